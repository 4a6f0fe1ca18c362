"""Bots: programs that receive a view and answer with an action.

Imports `values`, `sim`, `solve`, `runtime` and `core`.
Start with `protocol.py`, the interface of a bot, and `registry.py`, the bots by name.
"""
