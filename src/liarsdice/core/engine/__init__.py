"""The engine: match state, legal moves, judged actions, applied events and views.

Imports `core.rules`, `core.bids` and the action and event types.
Start with `engine.py`; who loses dice is decided in `settle.py`.
"""
