"""Bots that decide by exact odds and simple rules, without training.

Imports `bots.protocol` and `core`.
Start with `threshold.py`; the odds they use are in `bid_odds.py`.
"""
