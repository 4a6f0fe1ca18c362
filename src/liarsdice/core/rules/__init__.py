"""Rulesets: every rule choice as data, validation, presets, editing, and the relation that ranks bids.

Imports `core.errors` and `core.sources` only; the modules build on each other in an order that import-linter checks.
Start with `parts.py` (the fields) and `choices.py` (their values); `ruleset.py` is the validated whole.
"""
