"""Blueprints: approximate strategies for rounds with many dice, by Monte Carlo CFR with imperfect recall.

Imports `solve.game`, `solve.strategy` and the memory check of `solve.cfr`.
Start with `recall_graph.py`, then `mccfr_kernel.py` and `blueprint_trainer.py`.
"""
