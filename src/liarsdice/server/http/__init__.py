"""The HTTP API, the WebSocket, authentication, rate limits and static files.

Imports all other parts of `server`.
Start with `api.py` and `websocket.py`.
"""
