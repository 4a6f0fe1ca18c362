"""`liarsdice coach`: prints the habits of a player over many recorded matches, and what each costs."""

from __future__ import annotations

from typing import Annotated

import typer

from liarsdice.runtime.blas_threads import use_one_thread


def coach(
    files: Annotated[
        list[str], typer.Argument(help="The records of finished matches, such as `liarsdice play` writes.")
    ],
    seat: Annotated[str, typer.Option(help="Whose habits: a name, or the number of a seat from 1.")] = "Player",
    deals: Annotated[
        int, typer.Option(help="The number of deals that are played out for each decision, 30 to 100,000.")
    ] = 120,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False,
) -> None:
    """Find habits over many matches: what you do more or less often than the champion, and what it costs you.

    Each decision is reviewed as `liarsdice review` does it. A habit shows after 200 decisions of its kind. Matches that
    are not over, by rules that are not simulated, or without that player, are left out.
    """
    use_one_thread()
    from liarsdice.cli.matches.coach_text import CoachOptions, run

    raise typer.Exit(run(CoachOptions(tuple(files), seat, deals, as_json)))
