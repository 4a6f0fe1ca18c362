"""The engine: the state of a match, legal moves, judging actions, applying events, and views.

Imports `core.rules` and the action and event types.
Start with `engine.py`; a bid is judged in `legal.py`, and losses are settled in `settle.py`.
"""
