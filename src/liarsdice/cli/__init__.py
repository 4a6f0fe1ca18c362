"""The command line: one file a command group; rendering apart from doing."""
