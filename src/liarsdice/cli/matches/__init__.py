"""Commands about recorded matches: `replay` and `verify`.

Imports `core` and `play` when a command runs.
Start with `replay.py`.
"""
