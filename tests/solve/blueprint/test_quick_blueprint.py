"""Blueprints that are computed when a round first needs them."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.core.actions import Challenge
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.solve.blueprint.quick_blueprint import quick_blueprint
from liarsdice.solve.game.round_start import RoundStart
from tests.solve.solved_rounds import rules_of

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


def test_a_round_with_many_dice_is_left_out() -> None:
    assert quick_blueprint(RULES, RoundStart((4, 3))) is None


def test_rules_that_are_not_solved_are_refused() -> None:
    with pytest.raises(UnavailableError):
        quick_blueprint(preset("chui-niu+lives").ruleset, START)
