"""Near-perfect play for two players, with certified bounds: round games, CFR solvers, strategies and whole matches.

Imports numpy, numba, `runtime` and `core`; must not import `sim`.
Start with `round_solver.py`, then `round_game.py` and `cfr/solver.py`.
"""
