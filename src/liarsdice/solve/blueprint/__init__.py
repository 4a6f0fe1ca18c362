"""Blueprints: approximate strategies for rounds with many dice, by CFR with imperfect recall.

Imports `solve.round_game`, `solve.strategy` and the memory check of `solve.cfr`.
Start with `recall_graph.py`, then `reach_kernel.py` and `blueprint_trainer.py`.
"""
