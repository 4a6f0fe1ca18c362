"""The HTTP API, the WebSocket, connections, authentication, limits, outgoing requests and static files.

Imports all other packages of `server`, but not `server.services`, `server.app` or `server.run`.
Start with `api.py` and `websocket.py`.
"""
