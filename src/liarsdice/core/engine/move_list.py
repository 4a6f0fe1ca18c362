"""The legal moves of a seat as one list, in their usual order."""

from __future__ import annotations

from liarsdice.core.actions import (
    AnswerDouble,
    Challenge,
    ChallengePass,
    ChooseKind,
    DeclareSpecial,
    Exact,
    Pass,
    PlayerAction,
    SetDirection,
)
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, Direction, RoundKind


def list_moves(  # noqa: PLR0913  one for each kind of move
    bids: tuple[Bid, ...],
    *,
    challenge: bool,
    double: bool,
    exact: bool,
    passing: bool,
    challenge_pass: bool,
    directions: tuple[Direction, ...],
    answers: tuple[Answer, ...],
    declare: bool,
    kinds: tuple[RoundKind, ...],
) -> tuple[PlayerAction, ...]:
    """Return moves in their usual order: bids, calls, passes, answers, directions, the declaration, kinds."""
    calls: dict[PlayerAction, bool] = {
        Challenge(): challenge,
        Challenge(double=True): double,
        Exact(): exact,
        ChallengePass(): challenge_pass,
        Pass(): passing,
    }
    return (
        *bids,
        *(call for call, may in calls.items() if may),
        *map(AnswerDouble, answers),
        *map(SetDirection, directions),
        *[DeclareSpecial()] * declare,
        *map(ChooseKind, kinds),
    )
