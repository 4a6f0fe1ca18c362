"""The domain of a table: its log, its state, commands and deadlines.

Imports `play`, `bots`, `core`; never `server.protocol`, `server.http` or `server.live`.
Start with `table_state.py`, then `command_handler.py`.
"""
