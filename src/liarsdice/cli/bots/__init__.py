"""Commands about bots: `bots`, `arena`, `simulate`, `explain`, `evaluate` and `train`.

Imports `bots`, `analysis` and `train` when a command runs.
Start with `arena.py`.
"""
