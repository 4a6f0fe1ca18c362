"""The database of table logs.

Imports `server.table` and `server.errors`; not `server.protocol`, `server.live` or `server.http`.
Start with `store.py`, then `sqlite.py` and `postgres.py`.
"""
