"""Matches analysed: arenas, simulations, ratings, exploitability, luck, habits, reviews, puzzles and the rules lab.

Imports `play`, `bots`, `sim`, `runtime` and `core`.
Start with `arena.py`.
"""
