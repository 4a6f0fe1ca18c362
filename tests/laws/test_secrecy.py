"""What a seat may not see leaves no trace in what it is shown: not in its bytes, not in their number."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import msgspec
from hypothesis import given

from liarsdice.core.actions import Action, Challenge, Deal, Exact, Penalise, SetDirection
from liarsdice.core.engine.engine import decide, evolve_all
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import seen, view
from liarsdice.core.errors import LiarsDiceError
from liarsdice.core.events import Event, Revealed
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Direction, PenaltyTrigger
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.dealer import Dealer
from tests.laws.playing import Played, Step, played
from tests.laws.strategies import seeds, tables

TRIED: tuple[Action, ...] = (
    Bid(0, 1),
    Bid(1, 1),
    Bid(1, 2),
    Bid(2, 9),
    Bid(3, 2),
    Bid(99, 2),
    Challenge(),
    Exact(),
    SetDirection(Direction.CLOCKWISE),
    Penalise(PenaltyTrigger.ASKS_DICE_LEFT),
    Penalise(PenaltyTrigger.ASKS_WHOSE_TURN, (0,)),
    Penalise(PenaltyTrigger.ASKS_WHOSE_TURN, (0, 1, 7)),
    Deal(((1,),)),
)
Eyes = int | None  # a seat, or None for a spectator


def shown(state: State, eyes: Eyes) -> bytes:
    return msgspec.json.encode(view(state, eyes))


def told(events: Sequence[Event], eyes: Eyes) -> list[bytes]:
    """What is told of events up to the lifting of the cups."""
    found = []
    for event in events:
        if isinstance(event, Revealed):
            break
        found.append(msgspec.json.encode(seen(event, eyes)))
    return found


def answers(state: State) -> list[str]:
    """What every seat is told when it tries all sorts of things, so far as nothing is revealed by it."""
    found = []
    for seat in (None, *range(-1, len(state.names) + 1)):
        for action in TRIED:
            try:
                found.append(str(told(decide(state, seat, action), None)))
            except LiarsDiceError as error:
                found.append(f"{type(error).__name__}: {error}")
    return found


def other_worlds(match: Played, eyes: Eyes, rng: random.Random) -> Iterator[tuple[Step, State, Action]]:
    """Each step of a match, beside it the same table where dice that `eyes` can't see lie differently.

    Dice that a penalty takes from under another's cup are different ones, too.
    """
    other: State | None = None
    for step in match.steps:
        action = step.action
        if isinstance(action, Deal):
            other = step.before
            rolled = Dealer(rng.randrange(2**32)).action(step.before)
            assert isinstance(rolled, Deal)
            action = Deal(tuple(hand if seat == eyes else rolled.hands[seat] for seat, hand in enumerate(action.hands)))
        if isinstance(action, Penalise) and step.seat != eyes and action.taken:
            held = range(step.before.dice[step.seat or 0])
            action = Penalise(action.trigger, tuple(rng.sample(held, len(action.taken))))
        if other is None:
            continue
        yield step, other, action
        other = (
            None
            if step.after.revealed is not step.before.revealed
            else evolve_all(other, decide(other, step.seat, action))
        )


@given(tables(), seeds)
def test_hidden_dice_change_no_byte_of_a_view_or_of_an_event(table: tuple[Ruleset, int], seed: int) -> None:
    match = played(*table, seed, 80)
    for eyes in (None, *range(len(match.names))):
        for step, other, action in other_worlds(match, eyes, random.Random(seed)):
            assert shown(step.before, eyes) == shown(other, eyes)
            assert told(step.events, eyes) == told(decide(other, step.seat, action), eyes)


@given(tables(), seeds)
def test_hidden_dice_change_no_word_of_a_refusal(table: tuple[Ruleset, int], seed: int) -> None:
    match = played(*table, seed, 40)
    for step, other, _ in other_worlds(match, None, random.Random(seed)):
        assert answers(step.before) == answers(other)


@given(tables(), seeds)
def test_a_seat_is_shown_its_own_dice_and_a_spectator_none(table: tuple[Ruleset, int], seed: int) -> None:
    match = played(*table, seed, 40)
    for step in match.steps:
        assert view(step.before, None).hand == ()
        for seat in range(len(match.names)):
            own = step.before.hands[seat] if step.before.hands else ()
            assert view(step.before, seat).hand == own
