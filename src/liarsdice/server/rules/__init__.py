"""Rules as the page shows them: the rulebook, the form of rule choices and their translations.

Imports `core`, and of the server only `server.table.table_config`.
Start with `rules_api.py`.
"""
