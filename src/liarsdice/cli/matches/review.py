"""`liarsdice review`: prints what each decision of a recorded match cost."""

from __future__ import annotations

from typing import Annotated

import typer

from liarsdice.runtime.blas_threads import use_one_thread


def review(
    file: Annotated[str, typer.Argument(help="The record of a finished match, such as `liarsdice play` writes.")],
    seat: Annotated[
        str | None,
        typer.Option(help="List only the decisions of this player: a name, or the number of a seat from 1."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="List every decision, not only the dearest ones.")] = False,
    spoiler_free: Annotated[
        bool, typer.Option("--spoiler-free", help="Leave out who won, luck and turning points.")
    ] = False,
    deals: Annotated[
        int, typer.Option(help="The number of deals that are played out for each decision, 30 to 100,000.")
    ] = 240,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same review.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False,
) -> None:
    """Review a recorded match: what each decision cost, going by what the player could see.

    The champion plays every round on after each move that it considers, against hands that fit the bids. A cost is the
    share of the match that a move gave away, with its 95% interval.
    """
    use_one_thread()
    from liarsdice.cli.matches.review_text import ReviewOptions, run

    raise typer.Exit(run(ReviewOptions(file, seat, every, spoiler_free, deals, seed, as_json)))
