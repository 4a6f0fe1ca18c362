"""The commands `serve`, `admin` and `mcp`.

Imports `server` when they run.
Start with `serve.py` and `admin.py`.
"""
