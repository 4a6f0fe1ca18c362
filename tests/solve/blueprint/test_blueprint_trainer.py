"""Runs of a blueprint: limits, random numbers, and how they continue."""

from __future__ import annotations

import signal
from pathlib import Path

import numpy as np
import pytest

from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.solve.blueprint.blueprint_trainer import BlueprintTrainer
from liarsdice.solve.blueprint.learned_arrays import NO_MODELS, Models
from tests.solve.blueprint.trained_rounds import even_models, make_graph, trained

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
