"""`liarsdice arena`: its options. It imports `arena_report` when it runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def arena(  # noqa: PLR0917  typer passes arguments by name
    bots: Annotated[
        str | None,
        typer.Option(help="Bots separated by commas; if there are more bots than seats, the tables mix them."),
    ] = None,
    subject: Annotated[str | None, typer.Option(help="The one bot to measure, against the bots of --field.")] = None,
    field: Annotated[
        str | None, typer.Option(help="The bots that --subject plays against, repeated until every seat is taken.")
    ] = None,
    seats: Annotated[int | None, typer.Option(help="The number of players (default: the number of bots).")] = None,
    rules: Annotated[
        str, typer.Option(help="A preset such as perudo or classic+aces, or a .toml or .json file.")
    ] = "perudo",
    matches: Annotated[
        int, typer.Option(min=1, help="The number of matches; the last deal is always finished.")
    ] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same result.")] = 0,
    duplicate: Annotated[
        bool, typer.Option("--duplicate", help="Play the same dice again until every bot has sat in every seat.")
    ] = False,
    jobs: Annotated[
        int, typer.Option(min=1, help="The number of deals to play at the same time, each in a process.")
    ] = 1,
    ray: Annotated[
        bool, typer.Option("--ray", help="Distribute the deals with Ray, over a cluster or this machine.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Save each finished deal in this file, and continue from the file."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False,
) -> None:
    """Measure the strength of bots: win shares with 95% intervals, places, thinking times and faults.

    With --duplicate, luck matters less, so the same number of matches says more. An interrupted run continues from
    its file.
    """
    from liarsdice.cli.bots.arena_report import ArenaOptions, run

    options = ArenaOptions(
        bots=bots,
        subject=subject,
        field=field,
        seats=seats,
        rules=rules,
        matches=matches,
        seed=seed,
        duplicate=duplicate,
        jobs=jobs,
        ray=ray,
        out=out,
        as_json=as_json,
    )
    sys.exit(run(options))
