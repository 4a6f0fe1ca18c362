"""Commands that solve rounds and matches and show strategies: `solve` and `strategy`.

Imports `solve` when a command runs.
Start with `commands.py`.
"""
