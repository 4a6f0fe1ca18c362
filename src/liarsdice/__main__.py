"""`python -m liarsdice` is the command line."""

from liarsdice.cli.app import main

main()
