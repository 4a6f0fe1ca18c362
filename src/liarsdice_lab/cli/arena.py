"""`liarsdice arena`: the options of its commands. Each imports its module when it runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

arena_app = typer.Typer(help="Measure bots: their strength, and how exploitable they are.", invoke_without_command=True)


@arena_app.callback()
def arena(  # noqa: PLR0917  typer passes arguments by name
    context: typer.Context,
    bots: Annotated[
        str | None,
        typer.Option(help="Bots separated by commas; if there are more bots than seats, the tables mix them."),
    ] = None,
    subject: Annotated[
        str | None, typer.Option(help="The one bot to measure, against the bots of --opponents.")
    ] = None,
    opponents: Annotated[
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
    adjusted: Annotated[
        bool, typer.Option("--adjusted", help="Also take what chance gave each bot out of its results.")
    ] = False,
    playouts: Annotated[
        int,
        typer.Option(
            min=0,
            help="How often --adjusted plays each round again, with other dice, to tell what chance gave; 0 goes by the"
            " values of positions, as it always does where bots do not name the probabilities of their moves.",
        ),
    ] = 8,
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
    """Measure the strength of bots: win shares with 95% intervals, places, decision times and faults.

    With --duplicate, luck cancels out, so the intervals get narrower for the same number of matches. An interrupted
    run continues from its file.
    """
    if context.invoked_subcommand is not None:
        return
    from liarsdice_lab.cli.arena_report import ArenaOptions, run

    options = ArenaOptions(
        bots=bots,
        subject=subject,
        opponents=opponents,
        seats=seats,
        rules=rules,
        matches=matches,
        seed=seed,
        duplicate=duplicate,
        adjusted=adjusted,
        playouts=playouts,
        jobs=jobs,
        ray=ray,
        out=out,
        as_json=as_json,
    )
    sys.exit(run(options))


@arena_app.command("exploit")
def exploit(
    bots: Annotated[
        list[str], typer.Argument(help="Bots that name their action probabilities, such as champion or champion@5.")
    ],
    rules: Annotated[
        str, typer.Option(help="A preset such as perudo or classic+aces, or a .toml or .json file.")
    ] = "perudo",
    dice: Annotated[
        str, typer.Option(help="The dice of the player who opens and of the other player, such as 2v1.")
    ] = "1v1",
    faces: Annotated[
        int | None, typer.Option(help="The number of faces of a die (default: that of the rules).")
    ] = None,
    match_stakes: Annotated[
        bool,
        typer.Option(
            "--match-stakes",
            help="Play the round for what its ends are worth in the match, from -1 for the worst to 1 for the best.",
        ),
    ] = False,
    min_reach: Annotated[
        float | None,
        typer.Option(
            help="Look ahead only where the bot's own bids lead with this probability or more, such as 0.01. Who calls"
            " elsewhere wins a lower bound, who sees the bot's hand there an upper bound; for rounds with many dice."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False,
) -> None:
    """Compute how much an opponent who knows a bot's probabilities wins from it in one round: exact best responses.

    2v2 with six faces takes minutes and several gigabytes of memory. --min-reach takes seconds for 3v3.
    """
    from liarsdice_lab.cli.exploit import ExploitOptions, run

    raise typer.Exit(run(ExploitOptions(tuple(bots), rules, dice, faces, match_stakes, min_reach, as_json)))
