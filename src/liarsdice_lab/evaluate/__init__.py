"""Measures how well a language model plays: duplicate matches against bots, and what its decisions cost.

Imports `analysis.review`, `analysis.arena` and `bots.external`. Start with `evaluation.py`.
"""
