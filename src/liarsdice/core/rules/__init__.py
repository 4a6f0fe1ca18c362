"""Rulesets: every rule choice as data, its validation, presets, bids and the relation that ranks them.

Imports `core.errors` only.
Start with `ruleset.py`; the values of each choice are in `choices.py`.
"""
