"""The first look at decisions."""

from __future__ import annotations

from liarsdice.analysis.puzzles.find import compared_moves, looks_clear, may_be_puzzle
from liarsdice.analysis.review.decisions import Decision, decisions_of
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match

FIVES, SIXES, HIGH, HIGHER, CALL = Bid(2, 5), Bid(2, 6), Bid(3, 5), Bid(4, 5), Challenge()


def decisions(rules: str = "perudo") -> list[Decision]:
    match = play_match(preset(rules).ruleset, ["inference", "novice", "threshold"], seed=5)
    return list(decisions_of(match.events))


def test_only_decisions_on_turn_between_bids_and_calls_are_looked_at() -> None:
    looked_at = [decision for decision in decisions() if may_be_puzzle(decision)]
    assert looked_at
    assert all(decision.view.on_turn and decision.view.direction.step == 1 for decision in looked_at)
    assert any(not may_be_puzzle(decision) for decision in decisions("official"))


def test_calls_the_best_bids_and_worse_ones_on_other_faces_are_compared() -> None:
    decision = next(one for one in decisions() if may_be_puzzle(one) and one.view.bid is not None)
    values: dict[PlayerAction | None, float] = {
        CALL: 0.3,
        Exact(): 0.2,
        FIVES: 0.5,
        SIXES: 0.45,
        Bid(2, 4): 0.44,
        HIGH: 0.4,
        HIGHER: 0.39,
        Bid(3, 6): 0.35,
        Bid(3, 4): 0.34,
    }
    compared = compared_moves(decision, values)
    assert compared == [CALL, Exact(), FIVES, SIXES, HIGH, Bid(3, 6), Bid(3, 4)]


def test_a_lead_over_two_moves_and_over_every_call_is_looked_for() -> None:
    values: dict[PlayerAction | None, float] = {FIVES: 0.5, SIXES: 0.49, HIGH: 0.4, CALL: 0.4}
    assert looks_clear([FIVES, SIXES, HIGH, CALL], values)
    assert not looks_clear([FIVES, SIXES, HIGH, CALL], {**values, CALL: 0.47})
    assert not looks_clear([FIVES, SIXES, CALL], values)
