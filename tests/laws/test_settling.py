"""What a call leads to is what the plain twin of the rules works out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.state import State
from liarsdice.core.events import Eliminated, Event, MatchEnded, MatchStarted, Revealed, RoundEnded
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import tally
from tests.laws.playing import Played, played
from tests.laws.strategies import rulesets, seeds, tables
from tests.laws.twin import Chronicle, may_call_exact, may_challenge, plain
from tests.laws.twin_settling import Outcome, count, outcome, wild_in


def calls(match: Played) -> Iterator[tuple[Chronicle, State, int, bool]]:
    """Every call that somebody could make at any time in a match: caller, and whether it is the exact call."""
    known = Chronicle(plain(match.ruleset))
    known.note([MatchStarted(match.ruleset, match.names)])
    for step in match.steps:
        for seat in range(len(match.names)):
            if may_challenge(known, seat):
                yield known, step.before, seat, False
            if may_call_exact(known, seat):
                yield known, step.before, seat, True
        known.note(step.events)


def told(state: State, events: list[Event]) -> Outcome:
    """The outcome as the engine's events tell it."""
    known = Chronicle(plain(state.ruleset), dice=list(state.dice), exact_calls=list(state.exact_calls))
    known.note(events)
    found = Outcome([], known.dice)
    for event in events:
        match event:
            case Revealed():
                found.counted = list(event.counted)
            case Eliminated():
                found.out.add(event.seat)
            case RoundEnded():
                found.next_starter, found.special_of = event.next_starter, event.special_seat
            case MatchEnded():
                found.winners = list(event.winners)
            case _:
                pass
    return found


@given(tables(), seeds)
def test_any_call_at_any_time_is_settled_as_the_rule_sheets_say(table: tuple[Ruleset, int], seed: int) -> None:
    for known, state, seat, exact in calls(played(*table, seed)):
        events = decide(state, seat, Exact() if exact else Challenge())
        assert told(state, events) == outcome(known, seat, exact=exact), (state.dice, state.bids, events)


@given(tables(), seeds)
def test_the_wild_face_is_known_from_the_bids_and_the_kind_of_round(table: tuple[Ruleset, int], seed: int) -> None:
    for known, state, _, _ in calls(played(*table, seed)):
        assert state.wilds_count is wild_in(known)


@given(rulesets(), st.data())
def test_a_count_is_what_the_rule_sheets_make_of_the_dice(rules: Ruleset, data: st.DataObject) -> None:
    hand = st.lists(st.integers(1, rules.dice.faces), max_size=5).map(tuple)
    hands = tuple(data.draw(st.lists(hand, min_size=2, max_size=4)))
    for face, wild in product(range(1, rules.dice.faces + 1), (False, True)):
        found = tally(rules, hands, face, wilds_count=wild)
        assert list(found.counted) == count(plain(rules), hands, face, wild=wild)
        assert found.count == sum(found.counted)
        for seat, places in enumerate(found.marked):
            assert len(set(places)) == len(places) <= found.counted[seat]
            assert set(places) <= set(range(len(hands[seat])))
