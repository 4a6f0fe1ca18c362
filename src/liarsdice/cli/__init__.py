"""The command `liarsdice`: one package a command group.

Imports every other package, inside the command that uses it.
Start with `app.py`.
"""
