"""Messages between the server processes ("nodes") that serve the same tables.

Imports `server.storage`, `server.errors` and `server.settings`. Start with `event_bus.py`.
"""
