"""The decisions of a record: every move and every chance to call out of turn, with what the player saw."""

from collections.abc import Mapping

import pytest

from liarsdice.analysis.review.decisions import BidCount, decision_facts, decisions_of, match_facts
from liarsdice.core.actions import MOVES, Action, BidAndShow, Challenge, ClaimExact, Penalise, RollAgain
from liarsdice.core.engine.view import view
from liarsdice.core.errors import UnfinishedError
from liarsdice.core.events import Challenged, Dealt, Revealed, RoundStarted, SpecialDeclared
from liarsdice.core.records.record import Record, read_record, recorded_actions, write_record
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.choices import (
    CountScope,
    ExactClaim,
    FaceOff,
    HandBonus,
    ShowDice,
    StarterMethod,
    ToPure,
    WhoCalls,
)
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import ExactCall
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import Hand
from liarsdice.play.match_runner import play_match
from tests.core.records.played_match import Played
from tests.laws.random_matches import random_match


def test_every_move_of_a_match_is_a_decision_with_the_view_of_its_player() -> None:
    match = random_match(preset("official").ruleset, 4, 11)
    moves = [(step.seat, step.action, step.before) for step in match.steps if isinstance(step.action, MOVES)]
    made = [decision for decision in decisions_of(match.events) if decision.move is not None]
    assert [(decision.seat, decision.move) for decision in made] == [(seat, action) for seat, action, _ in moves]
    assert [decision.view for decision in made] == [view(before, seat) for seat, _, before in moves]


def test_a_bid_that_stands_is_a_decision_of_everybody_who_might_have_called_it() -> None:
    match = random_match(preset("official").ruleset, 4, 11)
    decisions = list(decisions_of(match.events))
    assert [decision.number for decision in decisions] == list(range(len(decisions)))
    silent = [decision for decision in decisions if decision.move is None]
    raises = [step for step in match.steps if isinstance(step.action, Bid) and step.before.bids]
    callers = [
        (step.before.bid, seat)
        for step in raises
        for seat in step.before.alive()
        if seat not in (step.seat, step.before.bidder)
    ]
    assert [(decision.view.bid, decision.seat) for decision in silent] == callers
    assert callers


def test_a_bid_with_shown_dice_follows_the_same_decisions_as_one_without() -> None:
    rules = patched(preset("bluff+show-dice").ruleset, challenge__who=WhoCalls.ANYONE_BUT_BIDDER)
    events = play_match(rules, ["inference"] * 3, seed=1).events
    silent = [decision.view for decision in decisions_of(events) if decision.move is None]
    shown = 0
    for state, seat, action in recorded_actions(events):
        if isinstance(action, BidAndShow) and state.bids:
            for other in set(state.alive()) - {seat, state.bidder}:
                assert view(state, other) in silent
                shown += 1
    assert shown


def test_where_only_the_next_player_may_call_nobody_else_decides() -> None:
    match = random_match(preset("basic").ruleset, 3, 5)
    assert all(decision.view.on_turn for decision in decisions_of(match.events))


def test_reported_penalties_are_no_decisions_and_leave_the_dice_of_the_round_as_they_were_dealt() -> None:
    match = next(
        match
        for match in (random_match(preset("chart").ruleset, 4, seed) for seed in range(100))
        if any(isinstance(step.action, Penalise) for step in match.steps)
    )
    decisions = list(decisions_of(match.events))
    assert not any(isinstance(decision.move, Penalise) for decision in decisions)
    for decision in decisions:
        assert all(held <= dealt for held, dealt in zip(decision.view.dice, decision.round_dice, strict=True))


@pytest.fixture(scope="module")
def record() -> Record:
    match = play_match(preset("perudo").ruleset, ["random"] * 3, ["Ann", "Bo", "Cy"], seed=2)
    return read_record(write_record(match.events, "0.1.0"))


def test_every_round_has_its_hands_and_how_it_ended(record: Record) -> None:
    rounds = match_facts(record).rounds
    started = [event for event in record.events if isinstance(event, RoundStarted)]
    dealt = [event.hands for event in record.events if isinstance(event, Dealt)]
    revealed = [event.count for event in record.events if isinstance(event, Revealed)]
    assert [(facts.number, facts.starter, facts.special_seat) for facts in rounds] == [
        (event.number, event.starter, event.special_seat) for event in started
    ]
    assert [facts.hands for facts in rounds] == dealt
    assert [facts.count for facts in rounds] == revealed
    challenged = sum(isinstance(event, Challenged) for event in record.events)
    assert sum(not facts.exact for facts in rounds) == challenged


def test_a_round_that_its_opener_declares_special_is_a_special_one() -> None:
    match = play_match(preset("perudo+declared-palifico").ruleset, ["novice"] * 3, ["Ann", "Bo", "Cy"], seed=2)
    record = read_record(write_record(match.events, "0.1.0"))
    declared = [event.seat for event in record.events if isinstance(event, SpecialDeclared)]
    assert declared
    assert [facts.special_seat for facts in match_facts(record).rounds if facts.special_seat is not None] == declared


def test_the_decisions_are_those_that_are_reviewed(record: Record) -> None:
    facts = match_facts(record)
    assert [(decision.number, decision.seat, decision.move) for decision in facts.decisions] == [
        (decision.number, decision.seat, decision.move) for decision in decisions_of(record.events)
    ]
    assert facts.winners == record.state.winners


def test_a_match_that_is_not_over_has_no_facts(record: Record) -> None:
    with pytest.raises(UnfinishedError, match="only finished matches"):
        match_facts(read_record(write_record(record.events[:4], "0.1.0")))


def counts(
    changes: Mapping[str, object], hands: tuple[Hand, ...], *actions: tuple[int | None, Action]
) -> list[BidCount | None]:
    """Return what counts for the bid that is made in each decision of a round of `joker` with these changes."""
    start = {"dice__per_player": len(hands[0]), "first_starter__method": StarterMethod.CHOSEN}
    match = Played(patched(preset("joker").ruleset, **start, **changes)).round(hands, *actions)
    return [facts.made_count for facts in decision_facts(match.events)]


@pytest.mark.parametrize("quantity, stands, is_exact", [(1, True, False), (2, True, True), (3, False, False)])
def test_a_claim_holds_only_if_the_bid_is_exactly_right(quantity: int, *, stands: bool, is_exact: bool) -> None:
    rules = patched(
        preset("joker").ruleset,
        dice__per_player=2,
        first_starter__method=StarterMethod.CHOSEN,
        exact_call=ExactCall(claim=ExactClaim.NEXT_PLAYER, budget=1),
    )
    moves = ((0, Bid(quantity, 4)), (1, ClaimExact()), (0, Challenge()))
    facts = decision_facts(Played(rules).round(((4, 5), (4, 6)), *moves).events)
    assert [fact.standing_count and fact.standing_count.held for fact in facts] == [None, stands, is_exact]


@pytest.mark.parametrize(
    "changes, hands, bid, expected",
    [
        ({}, ((1, 4), (4, 6)), Bid(3, 4), BidCount(2, (2, 1), True)),
        ({"count__hand_bonus": HandBonus.STAIRS}, ((2, 1), (4, 6)), Bid(4, 4), BidCount(3, (3, 1), True)),
        ({"count__hand_bonus": HandBonus.ALIKE}, ((4, 4), (4, 6)), Bid(5, 4), BidCount(4, (4, 1), True)),
        ({"wilds__needs_natural": True}, ((1, 1), (4, 6)), Bid(3, 4), BidCount(0, (2, 1), True)),
        ({"wilds__needs_natural": True}, ((1, 1), (1, 6)), Bid(2, 4), BidCount(0, (0, 0), False)),
        (
            {"bidding__to_pure": ToPure.SAME_QUANTITY},
            ((1, 4), (4, 1)),
            Bid(3, 4, pure=True),
            BidCount(1, (1, 1), False),
        ),
        ({"count__scope": CountScope.BIDDER}, ((1, 4, 2), (4, 1, 6)), Bid(3, 4), BidCount(2, (2, 0), False)),
        ({"bidding__face_off": FaceOff.SUM}, ((3,), (6,)), Bid(9, SUM_FACE), BidCount(3, (3, 6), True)),
    ],
    ids=["wild", "stairs", "alike", "natural", "no-natural", "pure", "own-dice", "sum"],
)
def test_a_bid_counts_as_the_rules_say(
    changes: Mapping[str, object], hands: tuple[Hand, ...], bid: Bid, expected: BidCount
) -> None:
    assert counts(changes, hands, (0, bid)) == [expected]


def test_a_bid_with_shown_dice_is_told_by_the_dice_before_and_held_by_those_that_are_rolled_again() -> None:
    shown = counts(
        {"bidding__show_dice": ShowDice.COUNTING},
        ((4, 3, 2), (4, 6, 6)),
        (0, BidAndShow(Bid(3, 4), (4,))),
        (None, RollAgain((4, 1))),
        (1, Bid(5, 4)),
    )
    assert shown == [BidCount(1, (3, 1), True), BidCount(1, (3, 1), False)]


def test_a_bid_with_shown_dice_is_held_by_all_dice_where_the_others_are_kept() -> None:
    changes = {"bidding__show_dice": ShowDice.COUNTING_KEPT}
    hands = ((4, 3, 2), (4, 6, 6))
    assert counts(changes, hands, (0, BidAndShow(Bid(3, 4), (4,))), (1, Bid(5, 4))) == counts(
        changes, hands, (0, Bid(3, 4)), (1, Bid(5, 4))
    )


def test_the_standing_bid_counts_as_it_did_when_it_was_made(record: Record) -> None:
    made: BidCount | None = None
    for facts in match_facts(record).decisions:
        assert (facts.standing_count is None) == (facts.bid is None)
        if facts.standing_count and made:
            assert (facts.standing_count.counted, facts.standing_count.held) == (made.counted, made.held)
        made = facts.made_count or made
