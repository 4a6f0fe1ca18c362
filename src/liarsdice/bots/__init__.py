"""Bots: programs that see a view and answer with an action.

Imports `sim`, `solve`, `runtime` and `core`.
Start with `protocol.py` and `registry.py`.
"""
