"""Match records: the JSON Lines file of a match, and what it says about the fairness of its dice.

Imports `core.engine` and below.
Start with `record.py`.
"""
