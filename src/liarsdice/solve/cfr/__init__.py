"""Counterfactual regret minimisation on the public tree of a round.

Imports `solve.round_game`.
Start with `solver.py`, then `cfr_kernel.py`.
"""
