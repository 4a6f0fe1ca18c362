"""`liarsdice play`: a table in the terminal, for one player and bots."""
