"""What `liarsdice review` prints about the dice: how kind they were to each player, and where the match turned."""

from __future__ import annotations

from collections.abc import Iterator

from liarsdice.analysis.luck import ChangeCause, WinPoint
from liarsdice.analysis.review.parts import DiceStep, turning_points
from liarsdice.analysis.review.report import MatchReview
from liarsdice.cli.matches.move_words import move_clause
from liarsdice.core.actions import Penalise
from liarsdice.core.text.narration import Narrator

STEP_WORDS = {
    DiceStep.MUCH_KINDER: "much kinder to {} than usual",
    DiceStep.KINDER: "kinder to {} than usual",
    DiceStep.EVEN: "neither kind nor unkind to {}",
    DiceStep.HARSHER: "harsher to {} than usual",
    DiceStep.MUCH_HARSHER: "much harsher to {} than usual",
}


def luck_lines(narrator: Narrator, review: MatchReview, seat: int | None) -> Iterator[str]:
    """Yield the lines about luck and turning points; `seat`: only of this player."""
    yield ""
    yield "THE DICE, with all cups open"
    for parts in review.luck:
        if seat in (None, parts.seat):
            name = "you" if parts.seat == narrator.listener else narrator.names[parts.seat]
            yield f"  The dice were {STEP_WORDS[parts.dice].format(name)}."
    places = turning_points(review.win_line, seat)
    if not places:
        return
    yield ""
    yield "TURNING POINTS"
    for place in places:
        point = review.win_line[place]
        changes = [after - before for after, before in zip(point.shares, point.expected, strict=True)]
        shown = seat if seat is not None else max(range(len(changes)), key=lambda one: abs(changes[one]))
        name = narrator.list_name(shown)
        before, after = point.expected[shown], point.shares[shown]
        yield f"  Round {point.round_number}: {_event(narrator, point)} {name} {before:.0%} → {after:.0%}"


def _event(narrator: Narrator, point: WinPoint) -> str:
    if point.seat is None:
        return "the roll." if point.cause is ChangeCause.ROLL else "chance."
    name = narrator.list_name(point.seat)
    match point.move:
        case Penalise() | None:
            return f"{name} got a penalty."
        case move:
            return f"{name} {move_clause(narrator, move)}."
