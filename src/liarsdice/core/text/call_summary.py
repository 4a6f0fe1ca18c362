"""Summaries of calls in each language: the bid, the count, the dice or lives lost, and the players who are out.

The page in the browser says the same sentences (`web/src/reveal/callSummary.ts`); `tests/golden/sentence_cases.json`
compares both.
"""

from __future__ import annotations

from collections.abc import Sequence

from liarsdice.core.engine.settle import stake_factor
from liarsdice.core.engine.view import EventView
from liarsdice.core.events import (
    Cause,
    Challenged,
    DiceGained,
    DiceLost,
    Eliminated,
    Event,
    ExactCalled,
    LivesGained,
    LivesLost,
    PassChallenged,
    Revealed,
)
from liarsdice.core.rules.meaning import counts_taken
from liarsdice.core.text.narration import Narrator, stakes_key


def summarise_call(events: Sequence[EventView | Event], narrator: Narrator) -> str:
    """Returns a summary of a call from its events: the call, the reveal, and everything that followed.

    ::

        Ann bid five fours, but there were only three, so Ann loses one die.
    """
    call, reveal = events[0], events[1]
    assert isinstance(call, Challenged | ExactCalled | PassChallenged)
    assert isinstance(reveal, Revealed)
    changes = _changes(events, narrator)
    if isinstance(call, PassChallenged):
        facts = narrator.say_of(f"call.passed.{reveal.pass_hand or 'none'}", call.passer)
        sentences = [narrator.say("call.so", facts=facts, changes=narrator.join(changes))]
    elif changes:
        sentences = [_outcome(call, _facts(call, reveal, narrator), narrator.join(changes), narrator)]
    else:
        sentences = [f"{_facts(call, reveal, narrator)}.", _no_loss_reason(call, reveal, narrator)]
    sentences += [
        narrator.say_of("call.penalty", event.seat, dice=narrator.stakes(event.amount))
        for event in events
        if isinstance(event, DiceLost | LivesLost) and event.cause is Cause.PENALTY
    ]
    out = [event.seat for event in events if isinstance(event, Eliminated)]
    if len(out) == 1:
        sentences.append(narrator.say_of("event.out", out[0]))
    elif out:
        sentences.append(narrator.say("event.out.many", players=narrator.join_names(out)))
    return " ".join(sentences)


def _facts(call: Challenged | ExactCalled, reveal: Revealed, narrator: Narrator) -> str:
    """The bid and the count, without a full stop."""
    count, quantity = reveal.count, call.bid.quantity
    claim, n = narrator.say_of("call.bid", call.bidder, bid=narrator.bid(call.bid)), narrator.number(count)
    if count == 0:
        return narrator.say("call.none", claim=claim)
    key = "call.sum" if call.bid.is_sum else "call"
    if isinstance(call, ExactCalled):
        if count == quantity:
            return narrator.say_of(f"{key}.exact.right", call.seat, count=count, claim=claim, n=n)
        return narrator.say(f"{key}.exact.wrong", count=count, claim=claim, n=n, quantity=narrator.number(quantity))
    if count == quantity:
        return narrator.say(f"{key}.exactly", count=count, claim=claim, n=n)
    return narrator.say(f"{key}.enough" if reveal.bid_true else f"{key}.too_few", count=count, claim=claim, n=n)


def _outcome(call: Challenged | ExactCalled, facts: str, changes: str, narrator: Narrator) -> str:
    factor = stake_factor(narrator.rules, call)
    if factor > 1:
        return narrator.say(f"call.so.{stakes_key(factor)}", facts=facts, changes=changes, n=narrator.number(factor))
    return narrator.say("call.so", facts=facts, changes=changes)


def _changes(events: Sequence[EventView | Event], narrator: Narrator) -> list[str]:
    """Gains and losses except penalties. Players with the same loss share a clause."""
    seats_by_loss: dict[tuple[int, int | None], list[int]] = {}
    for event in events:
        if isinstance(event, DiceLost | LivesLost) and event.cause is not Cause.PENALTY:
            seats_by_loss.setdefault((event.amount, event.to), []).append(event.seat)
    gain = "call.rid" if counts_taken(narrator.rules) else "call.gain"
    gains = [
        narrator.say_of(gain, event.seat, dice=narrator.stakes(event.amount))
        for event in events
        if isinstance(event, DiceGained | LivesGained)
    ]
    return gains + [_describe_loss(seats, *loss, narrator) for loss, seats in seats_by_loss.items()]


def _describe_loss(seats: Sequence[int], amount: int, to: int | None, narrator: Narrator) -> str:
    key, receiver, dice = "call.take" if counts_taken(narrator.rules) else "call.lose", "", narrator.stakes(amount)
    if to is not None:
        key, receiver = "call.give", narrator.name(to)
        if to == narrator.listener:
            key += ".to_you"
    if len(seats) == 1:
        return narrator.say_of(key, seats[0], dice=dice, to=receiver)
    return narrator.say(f"{key}.many", players=narrator.join_names(seats), dice=dice, to=receiver)


def _no_loss_reason(call: Challenged | ExactCalled, reveal: Revealed, narrator: Narrator) -> str:
    """Why nothing was lost. A challenge always costs its loser something, unless an immediate penalty took the last."""
    exact = narrator.rules.exact_call
    if isinstance(call, ExactCalled) and exact is not None:
        if reveal.count != call.bid.quantity:
            return narrator.say("call.wrong_is_free")
        if exact.success_gain:
            return narrator.say_of("call.full_lives" if narrator.rules.loss.lives else "call.full_set", call.seat)
        if not exact.bidder_loss:
            return narrator.say("call.nobody_loses")
    return narrator.say_of("call.bidder_out", call.bidder)
