"""Runs of a blueprint: limits, random numbers, and how they continue."""

import signal
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from liarsdice.bots.neural.champion import Champion, champion_network
from liarsdice.core.actions import Challenge
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.solve.blueprint.blueprint import Blueprint
from liarsdice.solve.blueprint.blueprint_trainer import (
    MAX_ITERATIONS,
    WORK,
    BlueprintTrainer,
    iteration_count,
    iteration_work,
    quick_blueprint,
)
from liarsdice.solve.blueprint.learned_arrays import NO_MODELS, Models
from liarsdice.solve.round_game import RoundStart
from liarsdice_lab.best_response import exploitability
from tests.solve.blueprint.trained_rounds import even_models, make_graph, trained
from tests.solve.solved_rounds import rules_of

GRAPH = make_graph("openspiel", (1, 1), 3)


@pytest.mark.parametrize("models", [NO_MODELS, even_models(GRAPH, 0.2)])
def test_a_run_that_continues_from_its_file_ends_as_one_that_was_not_stopped(tmp_path: Path, models: Models) -> None:
    first = trained(GRAPH, 20, models)
    first.save(tmp_path / "run.npz")
    second = BlueprintTrainer(GRAPH, models)
    second.load(tmp_path / "run.npz")
    second.run(iterations=20)
    assert second.iterations == 40
    np.testing.assert_array_equal(second.blueprint().weights, trained(GRAPH, 40, models).blueprint().weights)
    assert second.value == trained(GRAPH, 40, models).value


def test_ctrl_c_ends_a_run_after_a_whole_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    games = []

    def interrupted(*arguments: object) -> None:
        games.append(arguments)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("liarsdice.solve.blueprint.blueprint_trainer.learn", interrupted)
    trainer = BlueprintTrainer(GRAPH, even_models(GRAPH, 0.2))
    with pytest.raises(KeyboardInterrupt):
        trainer.run(iterations=5)
    assert trainer.iterations == 1
    assert len(games) == 2


def test_seconds_are_a_limit() -> None:
    trainer = trained(GRAPH, 1)
    trainer.run(seconds=1e-6)
    assert trainer.iterations > 1
    assert trainer.cpu_s > 0


def test_a_run_of_other_rules_is_refused(tmp_path: Path) -> None:
    trained(GRAPH, 1).save(tmp_path / "run.npz")
    other = BlueprintTrainer(make_graph("perudo", (1, 1), 3))
    with pytest.raises(MalformedError, match="other rules or settings"):
        other.load(tmp_path / "run.npz")


def test_a_file_that_holds_no_run_is_refused(tmp_path: Path) -> None:
    trainer = BlueprintTrainer(GRAPH)
    (tmp_path / "run.npz").write_bytes(b"nothing")
    with pytest.raises(MalformedError, match="holds no run"):
        trainer.load(tmp_path / "run.npz")
    with pytest.raises(UnavailableError, match="cannot read"):
        trainer.load(tmp_path / "none.npz")


def test_a_graph_that_does_not_fit_into_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("liarsdice.solve.blueprint.blueprint_trainer.free_memory_bytes", lambda: 10)
    with pytest.raises(UnavailableError, match="GiB of memory"):
        BlueprintTrainer(GRAPH)


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
