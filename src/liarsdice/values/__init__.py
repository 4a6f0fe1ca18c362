"""What positions, round ends and moves are worth: as the share of the match that each seat wins.

Solved rounds and blueprints tell it exactly, and a network of state values elsewhere.
Imports `sim`, `solve` and `core`.
Start with `round_ends.py` for positions between rounds, and with `value_network.py` for those with all dice known.
"""
