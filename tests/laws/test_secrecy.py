"""Dice that a seat may not see change no byte of what it is shown."""

import random
from collections.abc import Iterator, Sequence

import msgspec
from hypothesis import given

from liarsdice.core.actions import (
    Action,
    AnswerDouble,
    BidAndShow,
    Challenge,
    ChallengePass,
    ChooseKind,
    Deal,
    DeclareSpecial,
    Exact,
    Pass,
    Penalise,
    Reroll,
    RollAgain,
    SetDirection,
)
from liarsdice.core.engine.engine import decide, evolve_all
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import HandDealt, event_view, view
from liarsdice.core.errors import LiarsDiceError
from liarsdice.core.events import Event, Revealed
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, Direction, PenaltyTrigger, RoundKind
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.core.text.turn_text import turn_text
from liarsdice.play.match import Dealer
from tests.laws.random_matches import RandomMatch, Step, random_match
from tests.laws.random_rulesets import seeds, tables
from tests.laws.visible_hands import seats_seen_by

ATTEMPTS: tuple[Action, ...] = (
    Bid(1, 1),
    Bid(1, 2),
    Bid(2, 9),
    Bid(3, 2),
    Bid(99, 2),
    Challenge(),
    Challenge(double=True),
    AnswerDouble(Answer.FOLD),
    Exact(),
    Pass(),
    ChallengePass(),
    SetDirection(Direction.CLOCKWISE),
    DeclareSpecial(),
    ChooseKind(RoundKind.ORDINARY),
    ChooseKind(RoundKind.CLOSED),
    Penalise(PenaltyTrigger.ASKS_DICE_LEFT),
    Penalise(PenaltyTrigger.ASKS_WHOSE_TURN, (0,)),
    Penalise(PenaltyTrigger.ASKS_WHOSE_TURN, (0, 1, 7)),
    Deal(((1,),)),
)
Viewer = int | None  # a seat, or None for a spectator


def shown(state: State, viewer: Viewer) -> bytes:
    return msgspec.json.encode(view(state, viewer))


def encoded_events(events: Sequence[Event], viewer: Viewer) -> list[bytes]:
    """The encoded events as a viewer sees them, up to the reveal."""
    encoded = []
    for event in events:
        if isinstance(event, Revealed):
            break
        encoded.append(msgspec.json.encode(event_view(event, viewer)))
    return encoded


def answers(state: State) -> list[str]:
    """The answers to many attempted actions of every seat, without what a reveal shows."""
    texts = []
    for seat in (None, *range(-1, len(state.names) + 1)):
        for action in ATTEMPTS:
            try:
                texts.append(str(encoded_events(decide(state, seat, action), None)))
            except LiarsDiceError as error:
                texts.append(f"{type(error).__name__}: {error}")
    return texts


def with_other_hidden_dice(
    match: RandomMatch, viewer: Viewer, rng: random.Random
) -> Iterator[tuple[Step, State, Action]]:
    """Each step of a match, with the same state in which the dice that `viewer` cannot see are different.

    Dice that a penalty takes from another hand are different, too. Dice that a seat goes on to show stay the same, and
    those that it says to be such as may be rolled again stay such.
    """
    other: State | None = None
    seen = set[int]()
    for place, step in enumerate(match.steps):
        action = step.action
        if isinstance(action, Deal):
            other, seen = step.before, seats_seen_by(step.before, viewer, kind_of_round(match.steps[place:]))
            rolled = Dealer(rng.randrange(2**32)).action(step.before)
            assert isinstance(rolled, Deal)
            shown = [dice_kept(match.steps[place:], seat, hand) for seat, hand in enumerate(action.hands)]
            action = Deal(
                tuple(
                    hand if seat in seen else (*shown[seat], *rolled.hands[seat][len(shown[seat]) :])
                    for seat, hand in enumerate(action.hands)
                )
            )
        if isinstance(action, RollAgain) and step.before.roller not in (None, viewer):
            assert step.before.roller is not None
            shown_next = dice_kept(match.steps[place:], step.before.roller, action.hand)
            again = Dealer(rng.randrange(2**32)).action(step.before)
            assert isinstance(again, RollAgain)
            action = RollAgain((*shown_next, *again.hand[len(shown_next) :]))
        if isinstance(action, Penalise) and step.seat != viewer and step.seat not in seen and action.taken:
            held = range(step.before.dice[step.seat or 0])
            action = Penalise(action.trigger, tuple(rng.sample(held, len(action.taken))), action.offence)
        if other is None:
            continue
        yield step, other, action
        other = (
            None
            if step.after.revealed is not step.before.revealed
            else evolve_all(other, decide(other, step.seat, action))
        )


def kind_of_round(steps: Sequence[Step]) -> str:
    """What the opener of the round that the first step deals chooses; "nobody" if the steps end before that."""
    if not steps[0].after.kinds:
        return "ordinary"
    return steps[1].action.kind.value if len(steps) > 1 and isinstance(steps[1].action, ChooseKind) else "nobody"


def dice_kept(steps: Sequence[Step], seat: int, hand: Hand) -> Hand:
    """The dice that others learn of before it rolls again: those that a seat shows, or a hand that may be rerolled."""
    shown: Hand = ()
    for step in steps[1:]:
        if isinstance(step.action, Deal) or (isinstance(step.action, RollAgain) and step.before.roller == seat):
            break
        if step.seat == seat and isinstance(step.action, Reroll):
            return hand[::-1]
        if step.seat == seat and isinstance(step.action, BidAndShow):
            shown = (*shown, *step.action.shown)
            if step.after.phase is Phase.ROLL_AGAIN:
                break
    return shown


@given(tables(), seeds)
def test_hidden_dice_change_no_byte_of_a_view_or_of_an_event(table: tuple[Ruleset, int], seed: int) -> None:
    match = random_match(*table, seed, 80)
    for viewer in (None, *range(len(match.names))):
        for step, other, action in with_other_hidden_dice(match, viewer, random.Random(seed)):
            assert shown(step.before, viewer) == shown(other, viewer)
            assert encoded_events(step.events, viewer) == encoded_events(decide(other, step.seat, action), viewer)


@given(tables(), seeds)
def test_hidden_dice_change_no_word_of_a_refusal(table: tuple[Ruleset, int], seed: int) -> None:
    match = random_match(*table, seed, 40)
    for step, other, _ in with_other_hidden_dice(match, None, random.Random(seed)):
        assert answers(step.before) == answers(other)


@given(tables(), seeds)
def test_a_seat_is_shown_the_dice_that_it_may_see_and_a_spectator_none(table: tuple[Ruleset, int], seed: int) -> None:
    match = random_match(*table, seed, 40)
    seen: dict[Viewer, set[int]] = {}
    for step in match.steps:
        if isinstance(step.action, Deal):
            chosen = "nobody" if step.after.kinds else "ordinary"
            seen = {seat: seats_seen_by(step.before, seat, chosen) for seat in (None, *range(len(match.names)))}
            for seat, seats in seen.items():
                dealt = event_view(step.events[1], seat)
                assert isinstance(dealt, HandDealt)
                assert shown_hands(seat, dealt.hand, dealt.others or ()) == visible(step.after, seats)
        elif isinstance(step.action, ChooseKind):
            seen = {seat: seats_seen_by(step.after, seat, step.action.kind.value) for seat in seen}
        for seat, seats in seen.items():
            of_seat = view(step.before, seat)
            assert shown_hands(seat, of_seat.hand, of_seat.seen) == visible(step.before, seats)
            hidden = sum(of_seat.dice) - len(of_seat.known)
            assert not step.before.hands or sum(of_seat.unseen) == hidden


def visible(state: State, seats: set[int]) -> dict[int, Hand]:
    return {seat: hand for seat, hand in enumerate(state.hands) if seat in seats and hand}


def shown_hands(viewer: Viewer, own: Hand, others: Sequence[Hand]) -> dict[int, Hand]:
    """The hands that a viewer is shown, by seat."""
    shown_by_seat = {seat: hand for seat, hand in enumerate(others) if hand}
    return shown_by_seat | ({viewer: own} if own and viewer is not None else {})


@given(tables(), seeds)
def test_hidden_dice_change_no_word_of_a_turn_text(table: tuple[Ruleset, int], seed: int) -> None:
    match = random_match(*table, seed, 60)
    for seat in range(len(match.names)):
        for step, other, _ in with_other_hidden_dice(match, seat, random.Random(seed)):
            texts = [turn_text(view(state, seat), with_odds=True) for state in (step.before, other)]
            assert texts[0] == texts[1]
