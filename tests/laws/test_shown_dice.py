"""Dice that are shown with a bid: which may be, who sees them, and what becomes of the others."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.actions import BidAndShow
from liarsdice.core.engine.engine import decide, legal
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import PublicRoll, event_view, view
from liarsdice.core.errors import IllegalActionError
from liarsdice.core.events import BidMade, MatchStarted, RolledAgain
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from tests.laws.random_matches import random_match
from tests.laws.random_rulesets import seeds, tables
from tests.laws.reference_bidding import may_bid
from tests.laws.reference_bids import plain_bid
from tests.laws.reference_engine import ReferenceState, plain_rules
from tests.laws.reference_settling import special_is_wild


def with_shown_dice(table: tuple[Ruleset, int]) -> tuple[Ruleset, int]:
    """Rules under which dice may be shown, with the number of players."""
    rules, seats = table
    changes = {"count__hand_bonus": c.HandBonus.NONE, "count__all_different": None}
    timing = {"penalty_timing": c.PenaltyTiming.END_OF_ROUND}
    looks = {} if rules.special_round is None else {"special_round__visibility": None}
    bidding = {"bidding__show_dice": c.ShowDice.COUNTING, "bidding__pass_with": ()}
    return patched(rules, **bidding, **changes, **timing, **looks), seats


TABLES: st.SearchStrategy[tuple[Ruleset, int]] = tables().map(with_shown_dice)


def may_be_shown(table: ReferenceState, seat: int, bid: Bid, dice: Sequence[int]) -> bool:
    """Whether the rule sheet lets a seat show these dice with a bid."""
    if "show_dice" not in table.rules["bidding"] or not may_bid(table, seat, plain_bid(bid)):
        return False
    under_the_cup = Counter(table.hands[seat]) - Counter(table.in_the_open[seat])
    if not dice or Counter(dice) - under_the_cup or len(dice) == under_the_cup.total():
        return False
    after = replace(table, bids=[*table.bids, (seat, plain_bid(bid))])
    wild = table.rules["dice"]["special_face"] if special_is_wild(after) else bid.face
    return all(die in (bid.face, wild) for die in dice)


def is_accepted(state: State, action: BidAndShow) -> bool:
    try:
        return bool(decide(state, state.turn, action))
    except IllegalActionError:
        return False


def sets_of_dice(hand: Hand) -> set[Hand]:
    """All multisets of a hand's dice, and some with a die that it lacks."""
    own = {tuple(sorted(dice)) for count in range(len(hand) + 1) for dice in combinations(hand, count)}
    return own | {(face,) for face in range(10)} | {(*hand, hand[0])}


@given(TABLES, seeds)
def test_dice_may_be_shown_exactly_where_the_rule_sheet_lets_them(table: tuple[Ruleset, int], seed: int) -> None:
    match = random_match(*table, seed, 25)
    reference = ReferenceState(plain_rules(match.ruleset))
    reference.apply([MatchStarted(match.ruleset, match.names)])
    for step in match.steps:
        state = step.before
        if state.phase is Phase.BIDDING:
            bids = [*legal(state).bids[:8], Bid(1, 1), Bid(99, 1)]
            for bid in bids:
                shown = sets_of_dice(state.hands[state.turn])
                may = {dice for dice in shown if may_be_shown(reference, state.turn, bid, dice)}
                assert may == {dice for dice in shown if is_accepted(state, BidAndShow(bid, dice))}
                seen = view(state, state.turn)
                assert may == {dice for dice in shown if seen.allows(BidAndShow(bid, dice))}
                assert all(Counter(dice) <= Counter(seen.showable(bid)) for dice in may)
        reference.apply(step.events)
        assert [sorted(hand) for hand in step.after.hands] == [sorted(hand) for hand in reference.hands] or (
            step.after.phase in (Phase.DEAL, Phase.OVER, Phase.ROLL_AGAIN)
        )


@given(TABLES, seeds)
def test_shown_dice_stay_in_the_open_for_everybody_until_the_round_ends(table: tuple[Ruleset, int], seed: int) -> None:
    for step in random_match(*table, seed, 80).steps:
        before, after = step.before, step.after
        for seat, dice in enumerate(before.shown):
            assert before.hands[seat][: len(dice)] == dice
            assert dice == () or len(dice) < len(before.hands[seat])
            if after.phase in (Phase.BIDDING, Phase.ROLL_AGAIN) and after.round_number == before.round_number:
                assert after.shown_by(seat)[: len(dice)] == dice
        if before.phase is Phase.DEAL:
            assert before.shown == ()
        for viewer in (None, *range(len(before.names))):
            assert view(before, viewer).shown == before.shown


@given(TABLES, seeds)
def test_only_the_bidder_sees_what_was_rolled_again(table: tuple[Ruleset, int], seed: int) -> None:
    for step in random_match(*table, seed, 80).steps:
        for event in step.events:
            if isinstance(event, RolledAgain):
                assert event_view(event, event.seat) == event
                others = {None, *range(len(step.before.names))} - {event.seat}
                public = PublicRoll(event.seat, step.before.hidden_count(event.seat))
                assert {event_view(event, other) for other in others} == {public}
                assert step.after.hands[event.seat] == (*step.after.shown_by(event.seat), *event.hand)
            if isinstance(event, BidMade) and event.shown:
                assert {event_view(event, viewer) for viewer in (None, 0, 1)} == {event}
                assert step.after.phase is Phase.ROLL_AGAIN


@given(TABLES, seeds)
def test_a_seat_knows_its_dice_and_those_in_the_open(table: tuple[Ruleset, int], seed: int) -> None:
    for step in random_match(*table, seed, 60).steps:
        state = step.before
        if state.phase is Phase.BIDDING:
            for seat in state.alive():
                seen = view(state, seat)
                assert len(seen.known) + sum(seen.others) == sum(state.dice)
                assert seen.hand == (*seen.shown_by(seat), *seen.hidden)


@given(TABLES, seeds)
def test_the_dice_of_others_change_no_word_of_a_refusal_to_show(table: tuple[Ruleset, int], seed: int) -> None:
    rng = random.Random(seed)
    for step in random_match(*table, seed, 40).steps:
        state, seat = step.before, step.before.turn
        if state.phase is not Phase.BIDDING:
            continue
        other_hands = tuple(
            hand if place == seat else tuple(rng.choices(range(1, state.ruleset.dice.faces + 1), k=len(hand)))
            for place, hand in enumerate(state.hands)
        )
        same = msgspec.structs.replace(state, shown=())
        other = msgspec.structs.replace(same, hands=other_hands)
        for bid in legal(state).bids[:6]:
            for dice in sets_of_dice(state.hands[seat]):
                assert _answer(same, BidAndShow(bid, dice)) == _answer(other, BidAndShow(bid, dice))


def _answer(state: State, action: BidAndShow) -> str:
    try:
        return str(decide(state, state.turn, action))
    except IllegalActionError as error:
        return str(error)
