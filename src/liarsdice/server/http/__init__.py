"""The HTTP API, the WebSocket, authentication, rate limits and static files.

Imports all other packages of `server`, but not `server.services`, `server.app` or `server.run`.
Start with `api.py` and `websocket.py`.
"""
