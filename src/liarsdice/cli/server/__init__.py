"""The commands `serve` and `admin`.

Imports `server` when they run.
Start with `serve.py` and `admin.py`.
"""
