"""The tables that are loaded in this process, with their subscribers and timers.

Imports `server.table`, `server.storage`, `server.bus`, `server.protocol`, `server.metrics` and `server.errors`.
Start with `live_table.py`, then `table_registry.py`.
"""
