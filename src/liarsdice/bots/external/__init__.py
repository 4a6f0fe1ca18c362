"""Bots supplied by users: Python files, network files, and programs in any language.

Imports `bots` and `core`; the server never imports this package.
Start with `user_bots.py`; the messages to programs are in `line_process.py`.
"""
