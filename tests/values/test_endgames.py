"""The solved endgames of the package: which presets have them, and their exploitability, computed independently."""

from __future__ import annotations

from importlib.resources import as_file, files

import msgspec
import pytest

from liarsdice.core.actions import Challenge
from liarsdice.core.engine.view import view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset, simulated_preset_names
from liarsdice.solve.game.round_game import RoundStart
from liarsdice.solve.strategy.best_response import BestResponse
from liarsdice.solve.strategy.strategy_file import read_strategies
from liarsdice.values.endgames import ENDGAME_ROUNDS, endgame_policies, endgame_policy, endgame_values, solved_round
from tests.bots.positions import dealt_state

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
