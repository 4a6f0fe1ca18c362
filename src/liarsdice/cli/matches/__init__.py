"""Commands about recorded matches: `replay`, `review` and `verify`.

Imports `core`, `play` and `analysis.review` when a command runs.
Start with `replay.py`.
"""
