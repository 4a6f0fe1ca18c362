"""The value of a state of a match, with all dice known: the share of the match that each seat wins.

The players are taken to be typical: the values were learned from matches of all built-in bots. Imports `sim` and
`core`. Start with `value_network.py`.
"""
