"""Match records: the JSON Lines file of a match, its awards, and a position of it on one line.

Imports `core.engine` and below.
Start with `record.py`.
"""
