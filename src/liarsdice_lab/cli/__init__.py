"""The commands of the lab: `arena`, `evaluate`, `simulate` and `train`.

A plugin of the command `liarsdice`. Start with `app.py`.
"""
