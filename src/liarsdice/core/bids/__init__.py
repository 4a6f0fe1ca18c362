"""Bids and hands: notation, exact odds, the enumeration of hands, and the bid chart.

Imports `core.rules`, the action and the event types.
Start with `odds.py`.
"""
