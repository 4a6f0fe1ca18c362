"""Bots supplied by users: Python files, network files, programs in any language, and language models.

Imports `bots` and `core`; the server never imports this package.
Start with `user_bots.py`; the messages to programs are in `line_process.py`, language models in `language_model.py`.
"""
