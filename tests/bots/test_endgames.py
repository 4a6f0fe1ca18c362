"""The solved endgames of the package: which presets have one, and their exploitability, computed independently."""

from __future__ import annotations

from importlib.resources import as_file, files

import pytest

from liarsdice.bots.endgames import endgame_policy, endgame_values
from liarsdice.core.actions import Challenge
from liarsdice.core.engine.view import view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.solve.strategy.best_response import BestResponse
from liarsdice.solve.strategy.strategy_file import read_strategies
from tests.bots.positions import dealt_state

MODELS = files("liarsdice.bots") / "models"
UNSOLVED = {"official"}
"""Presets under which bids may follow each other in any order, so that the solver cannot solve them."""
MAX_EXPLOITABILITY = 0.005


def test_every_solvable_preset_has_an_endgame() -> None:
    solved_names = {name for name in preset_names() if (MODELS / f"endgame-{name}.lds").is_file()}
    assert solved_names == set(preset_names()) - UNSOLVED


@pytest.mark.parametrize("name", sorted(set(preset_names()) - UNSOLVED))
def test_a_best_response_gains_little_against_an_endgame(name: str) -> None:
    with as_file(MODELS / f"endgame-{name}.lds") as path:
        solved = read_strategies(path)
    for strategy in solved.strategies:
        tree = strategy.tree
        assert max(tree.game.start.dice) == 1
        high = BestResponse(tree, strategy.node_probs, 0, tree.high).value()
        low = -BestResponse(tree, strategy.node_probs, 1, tree.low).value()
        assert (high - low) / 2 == pytest.approx(strategy.bounds.exploitability, abs=1e-7)
        assert (high - low) / 2 <= MAX_EXPLOITABILITY


def test_the_value_of_a_challenge_is_the_probability_that_it_is_right() -> None:
    shown = view(dealt_state(preset("perudo").ruleset, ((3,), (5,)), (Bid(2, 3),)), 1)
    values = endgame_values(shown, {(3,): 0.25, (4,): 0.75})
    assert values is not None
    assert values[Challenge()] == pytest.approx(1)  # both dice would have to be threes or ones
    assert all(0 <= value <= 1 for value in values.values())


def test_a_position_with_more_dice_is_not_solved() -> None:
    shown = view(dealt_state(preset("perudo").ruleset, ((3, 3), (5,))), 0)
    assert endgame_policy(shown) is None
    assert endgame_values(shown, {(5,): 1.0}) is None
