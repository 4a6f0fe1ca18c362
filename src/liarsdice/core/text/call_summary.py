"""Summaries of calls in English: one sentence that says what was bid, what was counted and who pays."""

from __future__ import annotations

from collections.abc import Sequence

from liarsdice.core.engine.view import EventView
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
from liarsdice.core.text.narration import (
    Narrator,
    bid_name,
    capitalise_you,
    count_phrase,
    dice_words,
    narrate,
    stakes_words,
)
from liarsdice.core.text.rulebook.english import join_words, number


def summarise_call(events: Sequence[EventView | Event], narrator: Narrator) -> str:
    """Returns a summary of a call from its events: the call, the reveal, and everything that followed.

    ::

        Ann bid five fours, but there were only three, so Ann loses one die.
    """
    call, reveal = events[0], events[1]
    assert isinstance(call, Challenged | ExactCalled)
    assert isinstance(reveal, Revealed)
    bid = f"{narrator.name(call.bidder)} bid {bid_name(narrator.rules, call.bid)}"
    count = _exact_call_count(call, reveal, narrator) if isinstance(call, ExactCalled) else _challenge_count(reveal)
    losses = _losses(call, events, narrator)
    sentences = [capitalise_you(f"{bid}{count}{losses and f', {losses}'}.")]
    if not losses:
        sentences.append(capitalise_you(_no_loss_reason(call, reveal, narrator)))
    sentences += [
        capitalise_you(f"{narrator.with_verb(event.seat, 'pay')} a penalty of {dice_words(event.dice)}.")
        for event in events
        if isinstance(event, DiceLost) and event.cause is Cause.PENALTY
    ]
    sentences += [narrate(event, narrator) for event in events if isinstance(event, Eliminated)]
    return " ".join(sentences)


def _challenge_count(reveal: Revealed) -> str:
    if reveal.count == reveal.bid.quantity:
        return f" and {count_phrase(reveal.count, exactly=True)}"
    if reveal.bid_true or not reveal.count:
        return f"{' and' if reveal.bid_true else ', but'} {count_phrase(reveal.count)}"
    return f", but there {'was' if reveal.count == 1 else 'were'} only {number(reveal.count)}"


def _exact_call_count(call: ExactCalled, reveal: Revealed, narrator: Narrator) -> str:
    if reveal.count == call.bid.quantity:
        return f" and {count_phrase(reveal.count, exactly=True)}, as {narrator.name(call.seat)} said"
    return f", but {count_phrase(reveal.count)}, not exactly {number(call.bid.quantity)}"


def _losses(call: Challenged | ExactCalled, events: Sequence[EventView | Event], narrator: Narrator) -> str:
    seats_by_loss: dict[tuple[bool, int, int | None], list[int]] = {}
    for event in events:
        if isinstance(event, DiceLost) and event.cause is not Cause.PENALTY:
            seats_by_loss.setdefault((event.left == 0, event.dice, event.to), []).append(event.seat)
    parts = [
        f"{narrator.with_verb(event.seat, 'gain')} {dice_words(event.dice)}"
        for event in events
        if isinstance(event, DiceGained)
    ]
    for (is_last, count, to), seats in sorted(seats_by_loss.items(), key=lambda group: group[0][0]):
        each = " each" if len(seats) > 1 else ""
        receiver = "" if to is None else f" to {narrator.name(to)}"
        rest = f" and {_have(seats, narrator)} none left" if is_last else ""
        parts.append(f"{narrator.all_with_verb(seats, 'lose')} {dice_words(count)}{each}{receiver}{rest}")
    if not parts:
        return ""
    factor = narrator.rules.loss.out_of_turn_factor
    if isinstance(call, Challenged) and call.out_of_turn and factor > 1:
        return f"so, with the stakes {stakes_words(factor)}, {join_words(parts)}"
    return f"so {join_words(parts)}"


def _have(seats: Sequence[int], narrator: Narrator) -> str:
    return narrator.verb(seats[0], "have") if len(seats) == 1 else "have"


def _no_loss_reason(call: Challenged | ExactCalled, reveal: Revealed, narrator: Narrator) -> str:
    """Why no dice moved. A challenge always costs its loser dice, unless an immediate penalty took the last one."""
    exact = narrator.rules.exact_call
    if isinstance(call, ExactCalled) and exact is not None:
        if reveal.count != call.bid.quantity:
            return "A wrong call costs nothing."
        if exact.success_gain:
            return f"{narrator.name(call.seat)} already {narrator.verb(call.seat, 'have')} a full set of dice."
        if not exact.bidder_loss:
            return "Nobody loses a die."
    return f"{narrator.with_verb(call.bidder, 'be')} already out, so nobody loses a die."
