"""Matches analysed: ratings, luck, habits, reviews, puzzles and the rules lab.

Imports `play`, `bots`, `sim`, `runtime` and `core`.
Start with `luck.py`, and with `report.py` of `review`.
"""
