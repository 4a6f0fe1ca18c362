"""Many matches: arenas, simulations, ratings and summaries.

Imports `play`, `bots`, `sim`, `runtime` and `core`.
Start with `arena.py`.
"""
