"""Monte Carlo CFR finds what the exact solver finds."""

from __future__ import annotations

import pytest

from liarsdice.solve.blueprint.blueprint_trainer import BlueprintTrainer
from liarsdice.solve.blueprint.mccfr_arrays import WalkSettings
from liarsdice.solve.cfr.solver import Solver, solve
from tests.solve.blueprint.trained_rounds import make_graph, trained
from tests.solve.solved_rounds import make_tree, rules_of


@pytest.mark.parametrize("name, dice, faces", [("openspiel", (1, 1), 4), ("perudo", (2, 1), 3), ("bluff", (1, 2), 3)])
def test_the_value_of_a_round_is_that_of_the_solver(name: str, dice: tuple[int, int], faces: int) -> None:
    solver = Solver(make_tree(rules_of(name, faces), dice))
    bounds = solve(solver, target=1e-3)
    trainer = trained(make_graph(name, dice, faces, recall=4), 20_000)
    assert trainer.value == pytest.approx((bounds.low + bounds.high) / 2, abs=0.04)


def test_roulette_does_not_change_what_is_learned() -> None:
    """Without roulette every own raise is entered; with it some are, and the value stays the same."""
    graph = make_graph("openspiel", (1, 1), 4, recall=4)
    values = []
    for settings in (WalkSettings(min_keep=1.0), WalkSettings(roulette=2.0, min_keep=0.3)):
        trainer = BlueprintTrainer(graph, settings=settings)
        trainer.run(iterations=20_000)
        values.append(trainer.value)
    assert values == pytest.approx([1 / 16, 1 / 16], abs=0.03)
