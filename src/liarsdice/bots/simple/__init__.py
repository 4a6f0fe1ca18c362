"""Bots that decide by exact odds and simple rules, without training.

Imports `bots.protocol` and `core`.
Start with `threshold.py`; `bid_odds.py` has the odds, `inference.py` what bids tell about hands.
"""
