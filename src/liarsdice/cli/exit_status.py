"""How the program says by its exit status that something did not go as asked."""

REFUSED = 2
"""What was asked for cannot be done; typer says the same of a wrong option."""

INTERRUPTED = 130
"""Stopped by Ctrl-C, as shells have it."""
