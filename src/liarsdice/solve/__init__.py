"""Exact play for two players: round games, CFR solvers, strategies and whole matches.

Imports numpy, numba, `runtime` and `core`; must not import `sim`.
Start with `game/round_game.py`, then `cfr/solver.py`.
"""
