"""Measures how well a language model plays: duplicate matches against bots, and what its decisions cost.

Imports `arena`, and of the game `analysis.review` and `bots.external`. Start with `evaluation.py`.
"""
