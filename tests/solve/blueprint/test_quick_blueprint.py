"""Blueprints that are computed when a round first needs them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from liarsdice.analysis.exploitability import exploitability
from liarsdice.bots.neural.champion import Champion, champion_network
from liarsdice.core.actions import Challenge
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.solve.blueprint.blueprint import Blueprint
from liarsdice.solve.blueprint.blueprint_trainer import (
    MAX_ITERATIONS,
    WORK,
    iteration_count,
    iteration_work,
    quick_blueprint,
)
from liarsdice.solve.game.round_game import RoundStart
from tests.solve.blueprint.trained_rounds import make_graph
from tests.solve.solved_rounds import rules_of


class OneBlueprint(NamedTuple):
    """The blueprint that so much work gives, for any round."""

    work: int
    recall: int = 2

    def of_round(self, rules: Ruleset, start: RoundStart) -> Blueprint | None:
        return quick_blueprint(rules, start, self.work)


RULES = rules_of("joker", 3)
START = RoundStart((2, 2))


def test_the_same_round_gives_the_same_blueprint() -> None:
    first, second = quick_blueprint(RULES, START), quick_blueprint(RULES, START)
    assert first is not None
    assert second is not None
    np.testing.assert_array_equal(first.weights, second.weights)


def test_a_bid_that_is_hardly_ever_true_is_challenged() -> None:
    """No menu offers it, so that the blueprint has no node after it."""
    blueprint = quick_blueprint(RULES, START)
    assert blueprint is not None
    assert blueprint.node_of(blueprint.layout.path_of((Bid(4, 1),))) is None
    assert blueprint.action_probs((2, 3), [Bid(4, 1)]) == {Challenge(): 1.0}


def test_a_larger_round_has_fewer_iterations_for_the_same_work() -> None:
    small, large = (make_graph("joker", dice, 6, recall=2, menu=4) for dice in ((2, 2), (3, 3)))
    few, fewer = (iteration_count(graph, WORK // 2) for graph in (small, large))
    assert MAX_ITERATIONS >= few > fewer > 1
    assert fewer * iteration_work(large) <= WORK // 2 < (fewer + 1) * iteration_work(large)
    assert iteration_count(large, 1) == 1
    assert iteration_count(small, 100 * WORK) == MAX_ITERATIONS


def test_more_work_is_less_exploitable() -> None:
    little, usual = (
        exploitability(Champion(champion_network(), 1, blueprints=OneBlueprint(work)), RULES, START.dice)
        for work in (WORK // 2000, WORK)
    )
    assert usual.exploitability < 0.05 < little.exploitability


def test_a_round_with_many_dice_is_left_out() -> None:
    assert quick_blueprint(RULES, RoundStart((4, 3))) is None


def test_rules_that_are_not_solved_are_refused() -> None:
    with pytest.raises(UnavailableError):
        quick_blueprint(preset("chui-niu+lives").ruleset, START)
