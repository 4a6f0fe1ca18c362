"""Commands about recorded matches: `replay`, `review`, `coach` and `verify`.

Imports `core`, `play` and `analysis.review` when a command runs.
Start with `replay.py`.
"""
