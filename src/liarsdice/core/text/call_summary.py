"""Why a call cost what it cost, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from liarsdice.core.engine.view import SeenEvent
from liarsdice.core.events import (
    Cause,
    Challenged,
    DiceGained,
    DiceLost,
    Eliminated,
    Event,
    ExactCalled,
    Revealed,
)
from liarsdice.core.text.narration import Voice, bid_words, dice, sentence, stakes, tell, there_were
from liarsdice.core.text.rulebook.english import listed, number


def verdict(events: Sequence[SeenEvent | Event], voice: Voice) -> str:
    """Why a call cost what it cost, from the events of that call: the call, the reveal, and all that followed.

    ::

        Ann bid five fours, there were three, so Ann loses one die.
    """
    call, reveal = events[0], events[1]
    assert isinstance(call, Challenged | ExactCalled)
    assert isinstance(reveal, Revealed)
    claim = f"{voice.name(call.bidder)} bid {bid_words(voice.rules, call.bid)}"
    because = _because_exact(call, reveal, voice) if isinstance(call, ExactCalled) else _because(reveal)
    told = [sentence(f"{claim}{because}, {_consequence(call, events, voice)}.")]
    penalties = [event for event in events if isinstance(event, DiceLost) and event.cause is Cause.PENALTY]
    told += [sentence(f"{voice.does(event.seat, 'pay')} a penalty of {dice(event.dice)}.") for event in penalties]
    told += [tell(event, voice) for event in events if isinstance(event, Eliminated)]
    return " ".join(told)


def _because(reveal: Revealed) -> str:
    if reveal.count == reveal.bid.quantity:
        return f" and {there_were(reveal.count, exactly=True)}"
    return f"{' and' if reveal.bid_true else ','} {there_were(reveal.count)}"


def _because_exact(call: ExactCalled, reveal: Revealed, voice: Voice) -> str:
    if reveal.count == call.bid.quantity:
        return f", {there_were(reveal.count, exactly=True)}, as {voice.name(call.seat)} said"
    return f", {there_were(reveal.count)}, not exactly {number(call.bid.quantity)}"


def _consequence(call: Challenged | ExactCalled, events: Sequence[SeenEvent | Event], voice: Voice) -> str:
    lost: dict[tuple[bool, int, int | None], list[int]] = {}
    for event in events:
        if isinstance(event, DiceLost) and event.cause is not Cause.PENALTY:
            lost.setdefault((event.left == 0, event.dice, event.to), []).append(event.seat)
    parts = [
        f"{voice.does(event.seat, 'gain')} {dice(event.dice)}" for event in events if isinstance(event, DiceGained)
    ]
    for (all_gone, count, to), seats in sorted(lost.items(), key=lambda group: group[0][0]):
        each = " each" if len(seats) > 1 else ""
        giving = "" if to is None else f" to {voice.name(to)}"
        last = f", {_all_that(seats, count, voice)}" if all_gone else ""
        parts.append(f"{voice.all_do(seats, 'lose')} {dice(count)}{each}{giving}{last}")
    if not parts:
        return _why_nothing(call, events, voice)
    factor = voice.rules.loss.out_of_turn_factor
    if isinstance(call, Challenged) and call.out_of_turn and factor > 1:
        return f"so, with the stakes {stakes(factor)}, {listed(parts)}"
    return f"so {listed(parts)}"


def _all_that(seats: Sequence[int], count: int, voice: Voice) -> str:
    """That somebody has no more to lose, however high the stakes: "the last Ann has", "all you have"."""
    owners = voice.does(seats[0], "have") if len(seats) == 1 else "they have"
    return f"{'the last' if count == 1 else 'all'} {owners}"


def _why_nothing(call: Challenged | ExactCalled, events: Sequence[SeenEvent | Event], voice: Voice) -> str:
    """Why no dice moved. A challenge always costs its loser dice, unless an immediate penalty took the last one."""
    exact = voice.rules.exact_call
    if isinstance(call, ExactCalled) and exact is not None:
        reveal = events[1]
        if isinstance(reveal, Revealed) and reveal.count != call.bid.quantity:
            return "but a wrong call costs nothing"
        if exact.success_gain:
            return f"but {voice.does(call.seat, 'have')} all the dice one can have"
        if not exact.bidder_loss:
            return "and nobody loses a die"
    return f"but {voice.does(call.bidder, 'be')} out already"
