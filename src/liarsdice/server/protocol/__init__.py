"""The messages between client and server, and the views of a table that they carry.

Imports `server.table`, `server.errors` and `core`; not `server.http` or `server.live`.
Start with `messages.py`, then `views.py`.
"""
