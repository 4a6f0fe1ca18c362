"""The messages between page and server, and the views that they carry.

Imports `server.table`, `server.rules` and `core`.
Start with `messages.py`.
"""
