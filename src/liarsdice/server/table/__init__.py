"""The domain of a table: its log, its state, its commands and its deadlines.

Imports `core`, `bots`, `play` and `server.errors`; no wire format, no database and no web framework.
Start with `table_state.py`, then `command_handler.py`.
"""
