"""`liarsdice puzzles`: plays puzzles in the terminal and makes new ones.

Imports `analysis.puzzles`. Start with `commands.py`.
"""
