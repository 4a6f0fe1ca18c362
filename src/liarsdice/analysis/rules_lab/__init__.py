"""The rules lab: what a rule does to the matches of equal players, measured by simulation.

Imports `values`, `bots`, `sim` and `core`. Start with `simulate.py`.
"""
