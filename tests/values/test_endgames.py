"""The solved endgames of the package: which presets have them, and their exploitability, computed independently."""

from importlib.resources import as_file, files

import msgspec
import numpy as np
import pytest

from liarsdice.core.actions import Challenge
from liarsdice.core.engine.view import view
from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset, preset_names, simulated_preset_names
from liarsdice.core.rules.rule_costs import require_approximated
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.round_game import RoundGame, RoundStart, dice_lost_values, make_round_game, with_faces
from liarsdice.solve.strategy.reach import BestResponse, FloatArray
from liarsdice.solve.strategy.strategy_file import read_strategies
from liarsdice.values.endgames import (
    ENDGAME_ROUNDS,
    endgame_challenge_probs,
    endgame_policies,
    endgame_policy,
    endgame_values,
    solved_round,
)
from liarsdice_lab.best_response import VALUE_TARGET, match_values, round_values, values_by_successors
from tests.bots.positions import dealt_state
from tests.solve.sequence_form import CLOSE, match_value

MODELS = files("liarsdice.bots") / "models"
PRESETS = (*simulated_preset_names(), "cacho")
"""Those that the solver knows."""
UNSOLVED = {(1, 1): {"official"}, (2, 1): {"official", "snyd-stairs"}, (1, 2): {"official", "snyd-stairs"}}
"""By dice: `official` lets bids follow each other in any order, and `snyd-stairs` has 25 bids with three dice."""
MAX_EXPLOITABILITY = {(1, 1): 2e-4, (2, 1): 5e-4, (1, 2): 5e-4}
"""By the dice of the player who opens and of the other, in the value of the match (-1 to 1)."""


@pytest.mark.parametrize("dice", ENDGAME_ROUNDS)
def test_every_solvable_preset_has_an_endgame(dice: tuple[int, int]) -> None:
    solved = {name for name in PRESETS if solved_round(preset(name).ruleset, RoundStart(dice)) is not None}
    assert solved == set(PRESETS) - UNSOLVED[dice]


@pytest.mark.parametrize("file", sorted(file.name for file in MODELS.iterdir() if file.name.endswith(".lds")))
def test_a_best_response_gains_little_against_an_endgame(file: str) -> None:
    with as_file(MODELS / file) as path:
        solved = read_strategies(path)
    for strategy in solved.strategies:
        tree = strategy.tree
        high = BestResponse(tree, strategy.node_probs, 0, tree.high).value()
        low = -BestResponse(tree, strategy.node_probs, 1, tree.low).value()
        assert (high - low) / 2 == pytest.approx(strategy.bounds.exploitability, abs=1e-7)
        assert (high - low) / 2 <= MAX_EXPLOITABILITY[tree.game.start.dice]


def test_the_value_of_a_challenge_is_the_probability_that_it_is_right() -> None:
    shown = view(dealt_state(preset("perudo").ruleset, ((3,), (5,)), (Bid(2, 3),)), 1)
    values = endgame_values(shown, {(3,): 0.25, (4,): 0.75})
    assert values is not None
    assert values[Challenge()] == pytest.approx(1)  # both dice would have to be threes or ones
    assert all(0 <= value <= 1 for value in values.values())


def test_a_position_with_more_dice_is_not_solved() -> None:
    shown = view(dealt_state(preset("perudo").ruleset, ((3, 3), (5, 5))), 0)
    assert endgame_policy(shown) is None
    assert endgame_values(shown, {(5,): 1.0}) is None


def test_policies_of_several_hands_are_those_of_each() -> None:
    shown = view(dealt_state(preset("joker").ruleset, ((3,), (5, 6)), (Bid(1, 3),)), 1)
    hands = [(1, 1), (2, 5), (5, 6)]
    for hand, policy in zip(hands, endgame_policies(shown, hands), strict=True):
        assert policy == endgame_policy(msgspec.structs.replace(shown, hand=hand))


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
    assert high - low <= 2 * VALUE_TARGET
    game = make_round_game(rules, RoundStart((2, 1)))
    (in_match,) = set(match_values(game).tolist()) - {1.0, -1.0}
    assert abs(in_match) == pytest.approx(abs(exact), abs=VALUE_TARGET)


def test_more_dice_are_refused_where_a_round_can_end_in_several_ways() -> None:
    with pytest.raises(UnavailableError, match="where at most 3 dice are left, not for"):
        match_values(make_round_game(preset("chart").ruleset, RoundStart((3, 2))))
    two_ways = make_round_game(preset("mustache").ruleset, RoundStart((3, 2)))
    np.testing.assert_allclose(match_values(two_ways), dice_lost_values(two_ways))


def test_each_bid_is_challenged_as_often_as_the_solved_hands_do() -> None:
    rules, bid = preset("perudo").ruleset, Bid(1, 4)
    opening = view(dealt_state(rules, ((3,), (5,))), 0)
    hand_probs: dict[Hand, float] = {(face,): 1 / 6 for face in range(1, 7)}
    probs = endgame_challenge_probs(opening, hand_probs)
    assert set(probs) == set(opening.may_bid)
    answers = endgame_policies(view(dealt_state(rules, ((3,), (5,)), (bid,)), 1), list(hand_probs))
    assert all(answers)
    expected = sum((answer or {}).get(Challenge(), 0.0) for answer in answers) / 6
    assert probs[bid] == pytest.approx(expected)
    assert endgame_challenge_probs(view(dealt_state(rules, ((3, 3), (5, 5))), 0), {}) == {}
