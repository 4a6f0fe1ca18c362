"""Commands about bots: `bots`, `arena`, `simulate`, `explain` and `train`.

Imports `bots`, `analysis` and `train` when a command runs.
Start with `arena.py`.
"""
