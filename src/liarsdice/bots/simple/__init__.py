"""Bots that decide by exact odds and simple rules, without training.

Imports `bots.protocol` and `core`.
Start with `simple_bots.py`; `bid_odds.py` has the odds, and what bids tell about hands.
"""
