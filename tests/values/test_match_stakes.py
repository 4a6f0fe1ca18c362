"""What the ends of rounds are worth in the match, and for which presets that differs from the dice that they cost."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.rule_costs import require_approximated
from liarsdice.solve.game.round_game import RoundGame, RoundStart, dice_lost_values, make_round_game, with_faces
from liarsdice.solve.strategy.reach import FloatArray
from liarsdice.values.endgames import TARGET, match_values, round_values, solved_round, values_by_successors
from tests.solve.sequence_form import CLOSE, match_value

ROUNDS = (1, 1), (2, 1), (1, 2), (2, 2), (3, 1), (1, 3)
"""All rounds of up to four dice."""
SEVERAL_WAYS = {"chart", "cacho", "bluff"}
"""The presets under which a call may cost several dice, or dice of both."""
NOT_SOLVED = {"snyd-stairs"}
"""The preset whose rounds of three dice are too large to be solved."""
A_ROUND = {"openspiel"}
"""The preset whose match is one round: who held more dice may win it whatever happens."""


def rising_rounds(name: str) -> list[RoundGame]:
    """Return the rounds of up to four dice under a preset; none if its rounds are not taught."""
    rules = preset(name).ruleset
    try:
        require_approximated(rules, "rounds are taught")
        return [make_round_game(rules, RoundStart(dice)) for dice in ROUNDS]
    except LiarsDiceError:
        return []


def scaled(values: FloatArray) -> FloatArray:
    low, high = values.min(), values.max()
    scaled: FloatArray = 2 * (values - low) / (high - low) - 1
    return scaled


@pytest.mark.parametrize("name", preset_names())
def test_a_round_that_ends_in_two_ways_is_played_for_its_dice(name: str) -> None:
    for game in rising_rounds(name):
        values, is_known = match_values(game), name not in NOT_SOLVED or sum(game.start.dice) <= 3
        if name not in SEVERAL_WAYS or sum(game.start.dice) == 2:
            np.testing.assert_allclose(values, dice_lost_values(game))
        else:
            assert not np.allclose(values, dice_lost_values(game))
        if is_known and (name not in A_ROUND or game.start.dice[0] - game.start.dice[1] in {-1, 0, 1}):
            np.testing.assert_allclose(values, scaled(values_by_successors(game)), atol=1e-6)


def test_ends_are_worth_the_rounds_that_follow() -> None:
    """Each end leads to a solved round; its value is that of who opens it."""
    rules = preset("chart").ruleset
    game = make_round_game(rules, RoundStart((2, 2)))
    values = {
        (outcome.dice, outcome.next_start): value
        for outcome, value in zip(game.outcomes, match_values(game), strict=True)
    }
    assert len(values) == 4
    for (dice, start), value in values.items():
        if start is None:
            assert value == (1 if dice[1] == 0 else -1)
        else:
            interval = round_values(rules, {start.with_seat_0_opening()})[start.with_seat_0_opening()]
            assert (1 if start.starter == 0 else -1) * value == pytest.approx(sum(interval) / 2)
            assert np.sign(value) == np.sign(dice[0] - dice[1])


def test_rounds_that_the_package_has_not_solved_are_solved() -> None:
    """Against the linear programs of the rounds that follow."""
    rules = with_faces(preset("chart").ruleset, 3)
    last = RoundStart((1, 1))
    assert solved_round(rules, last) is None
    (low, high), exact = round_values(rules, {last})[last], match_value(rules, last)
    assert low - CLOSE <= exact <= high + CLOSE
    assert high - low <= 2 * TARGET
    game = make_round_game(rules, RoundStart((2, 1)))
    (in_match,) = set(match_values(game).tolist()) - {1.0, -1.0}
    assert abs(in_match) == pytest.approx(abs(exact), abs=TARGET)


def test_more_dice_are_refused_where_a_round_can_end_in_several_ways() -> None:
    with pytest.raises(UnavailableError, match="where at most 3 dice are left, not for"):
        match_values(make_round_game(preset("chart").ruleset, RoundStart((3, 2))))
    two_ways = make_round_game(preset("mustache").ruleset, RoundStart((3, 2)))
    np.testing.assert_allclose(match_values(two_ways), dice_lost_values(two_ways))
