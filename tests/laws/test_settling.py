"""A call is settled as the reference engine settles it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.actions import AnswerDouble, Challenge, ChallengePass, Exact
from liarsdice.core.engine.engine import decide, evolve_all, legal
from liarsdice.core.engine.state import State
from liarsdice.core.events import Doubled, Eliminated, Event, MatchEnded, MatchStarted, Revealed, RoundEnded
from liarsdice.core.rules.choices import Answer, DoubleAnswers, PassHand
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import tally
from tests.laws.random_matches import RandomMatch, random_match
from tests.laws.random_rulesets import rulesets, seeds, tables
from tests.laws.reference_calls import may_call_exact, may_challenge, may_double
from tests.laws.reference_engine import ReferenceState, plain_rules
from tests.laws.reference_passes import allows_pass, may_doubt_pass
from tests.laws.reference_settling import (
    CallOutcome,
    count_face,
    settle_call,
    settle_doubt,
    settle_fold,
    special_is_wild,
)


def calls(match: RandomMatch) -> Iterator[tuple[ReferenceState, State, int, Challenge | Exact]]:
    """Every call that somebody could make in a match: both states, the caller, and the call."""
    reference = ReferenceState(plain_rules(match.ruleset))
    reference.apply([MatchStarted(match.ruleset, match.names)])
    for step in match.steps:
        for seat in range(len(match.names)):
            if may_challenge(reference, seat):
                yield reference, step.before, seat, Challenge()
            if may_double(reference, seat):
                yield reference, step.before, seat, Challenge(double=True)
            if may_call_exact(reference, seat):
                yield reference, step.before, seat, Exact()
        reference.apply(step.events)


def outcome_of_events(state: State, events: list[Event]) -> CallOutcome:
    """The outcome that the engine's events describe."""
    reference = ReferenceState(
        plain_rules(state.ruleset),
        dice=list(state.dice),
        exact_calls=list(state.exact_calls),
        lives=list(state.lives),
    )
    reference.apply(events)
    result = CallOutcome([], reference.left())
    for event in events:
        match event:
            case Revealed():
                result.counted = list(event.counted)
            case Eliminated():
                result.out.add(event.seat)
            case RoundEnded():
                result.next_starter, result.special_of = event.next_starter, event.special_seat
            case MatchEnded():
                result.winners = list(event.winners)
            case _:
                pass
    return result


@given(tables(), seeds)
def test_any_call_at_any_time_is_settled_as_the_rule_sheets_say(table: tuple[Ruleset, int], seed: int) -> None:
    for reference, state, seat, call in calls(random_match(*table, seed)):
        events = decide(state, seat, call)
        if isinstance(events[-1], Doubled):
            doubled = evolve_all(state, events)
            events = decide(doubled, doubled.turn, AnswerDouble(Answer.ACCEPT))
        times = 2 if call == Challenge(double=True) else 1
        assert outcome_of_events(state, events) == settle_call(
            reference, seat, exact=isinstance(call, Exact), times=times
        ), (
            state.dice,
            state.bids,
            events,
        )


@given(tables(), seeds)
def test_a_doubted_pass_is_settled_as_the_rule_sheets_say(table: tuple[Ruleset, int], seed: int) -> None:
    match = random_match(*table, seed, 80)
    reference = ReferenceState(plain_rules(match.ruleset))
    reference.apply([MatchStarted(match.ruleset, match.names)])
    for step in match.steps:
        state = step.before
        if may_doubt_pass(reference, state.turn):
            events = decide(state, state.turn, ChallengePass())
            assert outcome_of_events(state, events) == settle_doubt(reference, state.turn), (state.passes, events)
            reveal = events[1]
            assert isinstance(reveal, Revealed)
            kind = allows_pass(reference.rules, reference.hands[reference.passed[-1][0]])
            assert reveal.pass_hand == (None if kind is None else PassHand(kind))
        reference.apply(step.events)


@given(tables(), seeds)
def test_any_answer_to_a_doubled_call_is_settled_as_the_rule_sheets_say(table: tuple[Ruleset, int], seed: int) -> None:
    match = random_match(*table, seed)
    reference = ReferenceState(plain_rules(match.ruleset))
    reference.apply([MatchStarted(match.ruleset, match.names)])
    for step in match.steps:
        for answer in legal(step.before).answers:
            events = decide(step.before, step.before.turn, AnswerDouble(answer))
            if answer is Answer.FOLD:
                assert not any(isinstance(event, Revealed) for event in events)
                assert outcome_of_events(step.before, events) == settle_fold(reference, step.before.turn)
            elif len(events) > 1:
                times = 4 if answer is Answer.REDOUBLE or len(reference.doubled) > 1 else 2
                wanted = settle_call(reference, reference.doubled[0], exact=False, times=times)
                assert outcome_of_events(step.before, events) == wanted
            else:
                assert answer is Answer.REDOUBLE
                assert match.ruleset.challenge.answers is DoubleAnswers.REDOUBLE_OR_FOLD
        reference.apply(step.events)


@given(tables(), seeds)
def test_the_wild_face_is_known_from_the_bids_and_the_kind_of_round(table: tuple[Ruleset, int], seed: int) -> None:
    for reference, state, _, _ in calls(random_match(*table, seed)):
        assert state.wilds_count is special_is_wild(reference)


@given(rulesets(), st.data())
def test_a_count_is_what_the_rule_sheets_make_of_the_dice(rules: Ruleset, data: st.DataObject) -> None:
    hand = st.lists(st.integers(1, rules.dice.faces), max_size=5).map(tuple)
    hands = tuple(data.draw(st.lists(hand, min_size=2, max_size=4)))
    for face, wild in product(range(1, rules.dice.faces + 1), (False, True)):
        result = tally(rules, hands, face, wilds_count=wild)
        assert list(result.counted) == count_face(plain_rules(rules), hands, face, wild=wild)
        assert result.count == sum(result.counted)
        for seat, places in enumerate(result.marked):
            assert len(set(places)) == len(places) <= result.counted[seat]
            assert set(places) <= set(range(len(hands[seat])))
