"""Storage of table logs, and the migrations of its database.

Imports `server.table` and sqlalchemy.
Start with `store.py`.
"""
