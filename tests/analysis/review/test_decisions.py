"""The decisions of a record: every move and every chance to call out of turn, with what the player saw."""

from __future__ import annotations

from liarsdice.analysis.review.decisions import decisions_of
from liarsdice.core.actions import MOVES, BidAndShow, Penalise
from liarsdice.core.engine.view import view
from liarsdice.core.records.record import recorded_actions
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import WhoCalls
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match
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
