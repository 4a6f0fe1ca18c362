"""Prose made from rules, views and events, such as narration and the rulebook, and moves read from prose.

Imports `core.engine` and below.
Start with `narration.py`; the rulebook is in `rulebook/`.
"""
