"""Rules as the page shows them: the rulebook, the form of rule choices and their translations.

Imports `core`.
Start with `rules_api.py`.
"""
