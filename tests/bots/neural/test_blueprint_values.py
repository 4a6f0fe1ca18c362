"""What moves lead to in a round with a blueprint, and what they are worth by the values of the round ends."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.bots.blueprints import RoundBlueprint, packaged_blueprints
from liarsdice.bots.learned_round_ends import learned_values
from liarsdice.bots.neural.blueprint_values import challenge_prob, move_outcomes
from liarsdice.core.actions import Challenge
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.game.round_start import RoundStart
from tests.bots.positions import dealt_state


def second_after(rules: str, hands: tuple[Hand, Hand], bid: Bid) -> tuple[RoundBlueprint, View]:
    """Return the blueprint of a round, and the view of the second player after a bid."""
    ruleset = preset(rules).ruleset
    blueprint = packaged_blueprints().of_round(ruleset, RoundStart((len(hands[0]), len(hands[1]))))
    assert blueprint is not None
    return blueprint, view(dealt_state(ruleset, hands, (bid,)), 1)


def challenge_value(rules: str, hands: tuple[Hand, Hand], bid: Bid, other: Hand) -> float:
    """Return the value of a challenge for the second player, who knows the hand of the first."""
    blueprint, shown = second_after(rules, hands, bid)
    values = move_outcomes(blueprint, shown, {other: 1.0}).values(learned_values(shown.ruleset, 2))
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


def test_a_bid_that_is_wrong_by_more_costs_more_dice_under_chart() -> None:
    """The bidder loses as many dice as the bid was wrong by."""
    for bid, lost in ((Bid(1, 2), 1), (Bid(2, 2), 2)):
        blueprint, shown = second_after("chart", ((3, 4), (3, 5)), bid)
        outcomes = move_outcomes(blueprint, shown, {(3, 4): 1.0})
        (end,) = np.flatnonzero(outcomes.probs[Challenge()]).tolist()
        assert outcomes.dice[end].tolist() == [2 - lost, 2]
        assert outcomes.seat == 1


def test_a_bid_is_challenged_as_often_as_the_believed_hands_do_it() -> None:
    blueprint, shown = second_after("perudo", ((2, 2), (3, 5)), Bid(1, 2))
    high, low = (challenge_prob(blueprint, shown, bid, {(2, 2): 1.0}) for bid in (Bid(4, 5), Bid(1, 5)))
    assert low < 0.2
    assert high > 0.9
    mixed = challenge_prob(blueprint, shown, Bid(2, 2), {(2, 2): 0.5, (5, 6): 0.5})
    each = [challenge_prob(blueprint, shown, Bid(2, 2), {hand: 1.0}) for hand in ((2, 2), (5, 6))]
    assert mixed == pytest.approx(np.mean(each))
