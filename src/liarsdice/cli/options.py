"""The options of the commands that play, review and coach."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer


class PlayOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Play against bots: full screen in a terminal, line by line in a pipe.

    Every match is saved with all dice in plain text: in the file of --record, or else in
    $XDG_STATE_HOME/liarsdice/matches (by default ~/.local/state/liarsdice/matches).
    """

    file: Annotated[Path | None, typer.Argument(help="With --resume: the record of the match to continue.")] = None
    rules: Annotated[
        str | None,
        typer.Option(
            help="A preset such as perudo or classic+aces, or a file of house rules. Without it, the full screen"
            " asks; line by line, the rules are classic+aces+palifico+calza."
        ),
    ] = None
    seats: Annotated[int | None, typer.Option(min=2, help="The number of players, including you.")] = None
    bots: Annotated[
        str | None,
        typer.Option(
            help="The bots to play against, such as inference,threshold:0.4; `liarsdice bots` describes them. With"
            " --resume: the bots that take over the bots' seats."
        ),
    ] = None
    seed: Annotated[int | None, typer.Option(help="The same seed and the same moves give the same match.")] = None
    record: Annotated[Path | None, typer.Option(help="Write the match to this new file while it is played.")] = None
    name: Annotated[str, typer.Option(help="Your name in the record. On the screen you are always You.")] = "Player"
    resume: Annotated[bool, typer.Option("--resume", help="Continue a match that was interrupted.")] = False
    plain: Annotated[bool, typer.Option("--plain", help="Play line by line instead of full screen.")] = False
    fast: Annotated[bool, typer.Option("--fast", help="Do not pause between the bots' moves.")] = False


class ReviewOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Review a recorded match: what each decision cost, going by what the player could see.

    The champion plays every round on after each move that it considers, against hands that fit the bids. A cost is the
    share of the match that a move gave away, with its 95% interval.
    """

    file: Annotated[str, typer.Argument(help="The record of a finished match, such as `liarsdice play` writes.")]
    seat: Annotated[
        str | None,
        typer.Option(help="List only the decisions of this player: a name, or the number of a seat from 1."),
    ] = None
    every: Annotated[bool, typer.Option("--all", help="List every decision, not only the dearest ones.")] = False
    spoiler_free: Annotated[
        bool, typer.Option("--spoiler-free", help="Leave out who won, luck and turning points.")
    ] = False
    deals: Annotated[
        int, typer.Option(help="The number of deals that are played out for each decision, 30 to 100,000.")
    ] = 240
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same review.")] = 0
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False


class CoachOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Find habits over many matches: what you do more or less often than the champion, and what it costs you.

    Each decision is reviewed as `liarsdice review` does it. A habit shows after 200 decisions of its kind. Matches that
    are not over, by rules that are not simulated, or without that player, are left out.
    """

    files: Annotated[
        list[str], typer.Argument(help="The records of finished matches, such as `liarsdice play` writes.")
    ]
    seat: Annotated[str, typer.Option(help="Whose habits: a name, or the number of a seat from 1.")] = "Player"
    deals: Annotated[
        int, typer.Option(help="The number of deals that are played out for each decision, 30 to 100,000.")
    ] = 120
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False
