"""The browser table: a server on which people and bots play any ruleset together.

Imports `play`, `bots`, `core`, litestar and sqlalchemy.
Start with `app.py`, then `table/table_state.py`.
"""
