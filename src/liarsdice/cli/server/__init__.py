"""The command `serve`.

Imports `server` when it runs.
Start with `serve.py`.
"""
