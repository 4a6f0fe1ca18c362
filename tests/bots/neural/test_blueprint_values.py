"""The value of moves in a round with a blueprint: what the round is worth in the match, by the chance to win it."""

from __future__ import annotations

import pytest

from liarsdice.bots.blueprints import packaged_blueprints
from liarsdice.bots.neural.blueprint_values import blueprint_values
from liarsdice.core.actions import Challenge
from liarsdice.core.engine.view import view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.game.round_start import RoundStart
from tests.bots.positions import dealt_state


def challenge_value(rules: str, hands: tuple[Hand, Hand], bid: Bid, other: Hand) -> float:
    """Return the value of a challenge for the second player, who knows the hand of the first."""
    ruleset = preset(rules).ruleset
    shown = view(dealt_state(ruleset, hands, (bid,)), 1)
    blueprint = packaged_blueprints().of_round(ruleset, RoundStart((len(hands[0]), len(hands[1]))))
    assert blueprint is not None
    values = blueprint_values(blueprint, shown, {other: 1.0})
    assert values is not None
    assert set(values) == set(shown.moves)
    return values[Challenge()]


def test_a_call_that_ends_the_match_is_worth_the_match() -> None:
    """The first holds its last die, and its bid of two fives is false or true."""
    hands = ((5,), (1, 2, 3))
    assert challenge_value("perudo", hands, Bid(3, 5), (5,)) == pytest.approx(1)
    assert challenge_value("perudo", hands, Bid(2, 5), (5,)) < 0.95
    assert challenge_value("openspiel", ((2, 4), (3, 5)), Bid(1, 2), (2, 4)) == pytest.approx(0)
    assert challenge_value("openspiel", ((2, 4), (3, 5)), Bid(1, 1), (2, 4)) == pytest.approx(1)


def test_a_round_won_is_worth_more_than_one_lost_and_neither_decides_the_match() -> None:
    hands = ((1, 2, 3, 4), (2, 2, 3, 6))
    right, wrong = (challenge_value("perudo", hands, bid, hands[0]) for bid in (Bid(8, 6), Bid(1, 6)))
    assert 0.1 < wrong < right < 0.9
    assert right - wrong > 0.1


def test_a_round_that_may_end_in_more_than_two_ways_has_no_such_values() -> None:
    rules = preset("chart").ruleset
    shown = view(dealt_state(rules, ((2, 4), (3, 5))), 0)
    blueprint = packaged_blueprints().of_round(rules, RoundStart((2, 2)))
    assert blueprint is not None
    assert blueprint_values(blueprint, shown, {(3, 5): 1.0}) is None
