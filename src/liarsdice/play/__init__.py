"""Running matches: the dealer, the match in progress, the referee, whole matches between bots, and provable dice.

Imports `bots`, `core` and below.
Start with `match_runner.py`, which plays a match in one call; `match.py` and `referee.py` are its parts.
"""
