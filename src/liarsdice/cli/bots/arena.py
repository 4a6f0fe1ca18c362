"""`liarsdice arena`: its options. What it does is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def arena(  # noqa: PLR0917  typer calls it by name
    bots: Annotated[
        str | None,
        typer.Option(help="Bots with commas between them; where they are more than seats, tables are mixed from them."),
    ] = None,
    subject: Annotated[str | None, typer.Option(help="The one bot to be measured, with --field.")] = None,
    field: Annotated[str | None, typer.Option(help="The bots around it, repeated until the table is full.")] = None,
    seats: Annotated[int | None, typer.Option(help="Players at the table; as many as bots unless given.")] = None,
    rules: Annotated[str, typer.Option(help="A ruleset's name, or a TOML or JSON file of house rules.")] = "perudo",
    matches: Annotated[int, typer.Option(min=1, help="How many matches to play; the last deal is finished.")] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same result.")] = 0,
    duplicate: Annotated[
        bool, typer.Option("--duplicate", help="Play the same dice again until every bot has sat in every seat.")
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Deals to play at the same time, each in a process.")] = 1,
    ray: Annotated[bool, typer.Option("--ray", help="Spread the deals over a Ray cluster, or this machine.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Keep each finished deal in this file, and go on from it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False,
) -> None:
    """Measure how strong bots are: win shares with 95% intervals, places, thinking times and misplays.

    With --duplicate luck has less of a say, and the same number of matches tells more. A run that was stopped goes on
    from its file.
    """
    from liarsdice.cli.bots.arena_report import Options, run

    options = Options(
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
    raise typer.Exit(run(options))
