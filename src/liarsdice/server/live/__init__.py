"""Tables that are loaded in this process, with their connections and timers.

Imports `server.table`, `server.protocol` and `server.storage`.
Start with `live_table.py`.
"""
