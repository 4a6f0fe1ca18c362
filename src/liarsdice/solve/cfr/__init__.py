"""Counterfactual regret minimisation on the public tree of a round.

Imports `solve.game`.
Start with `solver.py`; everything compiled is in `cfr_kernel.py`.
"""
