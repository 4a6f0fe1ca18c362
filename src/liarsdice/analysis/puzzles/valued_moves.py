"""The moves of a decision with their values, and which of them a puzzle may offer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.rules.bids import Bid

MIN_LEAD = 0.08
"""The lead of the best move over each other offered move; its whole 95% interval lies above this share of the match."""
MIN_OFFERED, MAX_OFFERED = 3, 4
TOO_SURE = 0.97
"""A best move that is right with this probability is too easy if no other one is likely."""
MIN_P_PLAUSIBLE = 0.2
"""Of the other moves that are offered, one at least is right with this probability, going by the bids."""
LIKELY, MIN_P_BLUFF = 0.5, 0.15

PlayedMove = Bid | Challenge | Exact


class ValuedMoves(NamedTuple):
    """The moves of a decision, the best first: value, how far behind the best, and half of its 95% interval."""

    moves: list[PlayedMove]
    values: list[float]
    behind: list[float]
    errors: list[float]


def offered_moves(valued: ValuedMoves, lead: float) -> ValuedMoves | None:
    """Return the best move and the next best ones that are behind by more than a lead, None if there are too few.

    All legal calls are among them, as nobody would believe a puzzle without them.
    """
    clear = [place for place, behind in enumerate(valued.behind) if place == 0 or behind > lead]
    calls = _calls(valued)
    if len(clear) < MIN_OFFERED or not calls <= set(clear):
        return None
    bids = [place for place in clear[1:] if place not in calls]
    return _at_places(valued, sorted({0, *calls, *bids[: MAX_OFFERED - len({0, *calls})]}))


def _calls(valued: ValuedMoves) -> set[int]:
    return {place for place, move in enumerate(valued.moves) if isinstance(move, Challenge | Exact)}


def _at_places(valued: ValuedMoves, places: list[int]) -> ValuedMoves:
    moves = [valued.moves[place] for place in places]
    columns = (valued.values, valued.behind, valued.errors)
    return ValuedMoves(moves, *([column[place] for place in places] for column in columns))


def certain_moves(valued: ValuedMoves) -> ValuedMoves | None:
    """Return the best move and those that are certainly worse: the whole 95% interval lies behind `MIN_LEAD`.

    None if there are too few, if a call is not among them, or if another move turned out to be the best one.
    """
    if valued.behind[0] != 0.0:
        return None
    rows = zip(valued.behind, valued.errors, strict=True)
    certain = [place for place, (behind, error) in enumerate(rows) if place == 0 or behind - error > MIN_LEAD]
    return offered_moves(_at_places(valued, certain), MIN_LEAD) if _calls(valued) <= set(certain) else None


def is_worth_asking(offered: ValuedMoves, p_right: Mapping[PlayedMove, float]) -> bool:
    """Return whether one of the other moves is plausible, and the answer neither too easy nor hard to believe.

    `p_right`: the probability that each bid is true or each call right. A bid that is hardly ever true is hard to
    believe where a call is likely to be right: that it is best then rests on how rarely the reference calls.
    """
    best, *others = offered.moves
    likeliest = max(p_right[move] for move in others)
    if likeliest < MIN_P_PLAUSIBLE:
        return False
    if not isinstance(best, Bid):
        return p_right[best] <= TOO_SURE
    calls = [p_right[move] for move in others if not isinstance(move, Bid)]
    if p_right[best] < MIN_P_BLUFF and max(calls, default=0.0) >= LIKELY:
        return False
    return p_right[best] <= TOO_SURE or likeliest >= LIKELY
