"""A strategy as a policy of OpenSpiel, judged by OpenSpiel's own best responses."""

from __future__ import annotations

import pytest
from open_spiel.python.algorithms.exploitability import nash_conv

from liarsdice.core.errors import UnavailableError
from liarsdice.solve.strategy.average_strategy import quantized
from liarsdice.solve.strategy.export import tabular_policy
from tests.solve.solved_rounds import learn_strategy


@pytest.mark.parametrize("dice, faces", [(1, 4), (2, 2)])
def test_openspiel_finds_the_same_exploitability_of_the_policy(dice: int, faces: int) -> None:
    strategy = quantized(learn_strategy("openspiel", (dice, dice), faces, 50))
    policy = tabular_policy(strategy)
    assert nash_conv(policy.game, policy) / 2 == pytest.approx(strategy.bounds.exploitability, abs=1e-9)


@pytest.mark.parametrize("name, dice", [("perudo", (1, 1)), ("openspiel", (2, 1))])
def test_a_round_that_openspiel_does_not_know_is_refused(name: str, dice: tuple[int, int]) -> None:
    with pytest.raises(UnavailableError, match="OpenSpiel's liars_dice has the rules of openspiel and as many dice"):
        tabular_policy(learn_strategy(name, dice, 2, 5))
