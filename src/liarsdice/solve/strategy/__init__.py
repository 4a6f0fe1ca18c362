"""Solved strategies: reach probabilities, best responses, action values and the file format.

Imports `solve.cfr` and `solve.round_game`.
Start with `strategy.py`.
"""
