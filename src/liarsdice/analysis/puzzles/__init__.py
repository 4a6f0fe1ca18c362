"""Puzzles: decisions of recorded bot matches in which one move is clearly better than the others that are offered.

Imports `analysis.review`, `play`, `bots` and `core`. Start with `puzzle.py`.
"""
