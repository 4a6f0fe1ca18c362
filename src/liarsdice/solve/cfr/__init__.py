"""Counterfactual regret minimisation on the public tree of a round.

Imports `solve.game`.
Start with `solver.py`, then `cfr_kernel.py`.
"""
