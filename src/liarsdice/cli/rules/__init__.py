"""Commands about rules: `rules`, `chart`, `odds` and `scenarios`.

Imports `core` and `testing` when a command runs.
Start with `rules.py`.
"""
