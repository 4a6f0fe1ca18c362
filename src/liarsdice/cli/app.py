"""The `liarsdice` command: what its commands are called. Each imports what it needs when it runs."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from liarsdice import __version__
from liarsdice.core.errors import LiarsDiceError

app = typer.Typer(
    help="Liar's Dice, every way it is played.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _print_version(value: bool) -> None:
    if value:
        print(__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version),
    ] = False,
) -> None:
    """What comes before the command's name."""


@app.command()
def scenarios(files: Annotated[list[str], typer.Argument(help="JSON lines of scenarios or ruleset cases.")]) -> None:
    """Run golden scenario files and ruleset case files through the engine."""
    from liarsdice.cli.scenarios import run

    raise typer.Exit(run(files))


def main() -> None:
    """Run the command line; errors of ours are one line on stderr and exit status 2."""
    try:
        app()
    except LiarsDiceError as error:
        print(f"liarsdice: {error}", file=sys.stderr)
        sys.exit(2)
