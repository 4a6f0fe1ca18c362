"""The program `liarsdice`: its commands, each in a module of its own, and the table to play at in `play`."""
