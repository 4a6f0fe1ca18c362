"""The review of a match: what each decision cost, going by what the player could know.

Imports `bots`, `sim` and `core`. Start with `report.py`.
"""
