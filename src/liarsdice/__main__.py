"""The command line: `liarsdice`, or `python -m liarsdice`."""

import sys

from liarsdice.runtime.public_api import install_command, missing_extra

SERVER_COMMANDS = ["serve"], ["admin"]


def main() -> None:
    """Run the command line. If a package of an extra is missing, one line on stderr says how to install it."""
    try:
        from liarsdice.cli.app import main as run  # noqa: PLC0415  a package that it needs may be missing

        run()
    except ModuleNotFoundError as error:
        hint = missing_extra(error)
        if hint is None:
            raise
        if sys.argv[1:2] in SERVER_COMMANDS:
            hint = f"the server needs {error.name}: {install_command('table')}"
        sys.stderr.write(f"liarsdice: {hint}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
