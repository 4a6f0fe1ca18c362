"""The web server: people and bots play any ruleset together at tables in the browser.

Imports `play`, `bots`, `core`, litestar and sqlalchemy.
Start with `app.py`, then `table/table_state.py`.
"""
