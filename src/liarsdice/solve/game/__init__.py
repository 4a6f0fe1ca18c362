"""A round of two players as a game: its start, its arrays and its public tree.

Imports `core`.
Start with `round_game.py`.
"""
