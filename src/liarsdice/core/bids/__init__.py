"""Bids as text, exact odds and the bid chart.

Imports `core.rules` and the action types.
Start with `odds.py`.
"""
