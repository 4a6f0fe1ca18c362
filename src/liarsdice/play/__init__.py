"""Running one match: the dealer, the match in progress, the referee and provable dice.

Imports `bots`, `core` and below.
Start with `match.py`.
"""
