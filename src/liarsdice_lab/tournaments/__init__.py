"""Tournaments of bots: duplicate matches, ratings, differences adjusted for luck, and simulations of matches.

Imports the game and nothing else of the lab. Start with `arena.py`.
"""
