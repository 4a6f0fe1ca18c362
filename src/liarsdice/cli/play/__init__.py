"""The command `play`: a table in the terminal for one player and bots.

Imports `play`, `bots`, `core`, rich and textual.
Start with `command.py`, then `match_driver.py`.
"""
