"""Prose made from rules and events: narration of a match, summaries of calls and the rulebook.

Imports `core.engine` and below.
Start with `narration.py`; the rulebook is in `rulebook/`.
"""
