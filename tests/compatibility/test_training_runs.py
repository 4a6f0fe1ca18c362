"""A training run that was paused under version 0.1.0 is read as it was, and goes on."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch

from liarsdice.bots.neural.network import read_network
from liarsdice.train.balance import NO_MEASURES, Figures
from liarsdice.train.checkpoint import read_checkpoint, read_progress
from liarsdice.train.config import FORMER_NAMES, FORMER_PPO_NAMES, load_config, read_config
from liarsdice.train.evaluate import EVALUATIONS
from liarsdice.train.load_networks import load_teacher
from liarsdice.train.model import export_network
from liarsdice.train.trainer import CHECKPOINT_FILE, Trainer
from liarsdice.train.value_training import train_values
from tests.compatibility.readings import FILES, expected, lost
from tests.compatibility.test_networks import outputs
from tests.train.training_configs import SMALL, ignore_report

EXPECTED = expected("training_runs")
PAUSED = Path("paused")


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    """Leave the other processors to the tests beside this one."""
    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the files, as the working directory: the plan names a file of rules in it."""
    copy = Path(shutil.copytree(FILES / "training_runs", tmp_path / "runs"))
    monkeypatch.chdir(copy)
    return copy


def resumed() -> Trainer:
    return Trainer(PAUSED, load_config(PAUSED, None, {}))


def with_names(content: dict[str, Any], current_names: dict[str, str]) -> dict[str, Any]:
    """Return JSON values under the current names of their fields."""
    return {current_names.get(name, name): value for name, value in content.items()}


def test_a_plan_is_read_to_the_same_values() -> None:
    config = read_config(PAUSED / "plan.json", complete=True)
    stored = with_names(json.loads((PAUSED / "plan.json").read_bytes()), FORMER_NAMES)
    stored["ppo"] = with_names(stored["ppo"], FORMER_PPO_NAMES)
    assert lost(stored, json.loads(msgspec.json.encode(config))) == []
    assert load_config(Path("new"), Path("plan.json"), {}) == config


def test_a_checkpoint_is_read_to_the_same_progress() -> None:
    progress = read_progress(read_checkpoint(PAUSED / "checkpoint.pt"), 4)
    assert (
        EXPECTED.items()
        >= {
            "done": progress.iterations_done,
            "decisions": progress.decisions,
            "spent_s": progress.spent_s,
            "best": progress.best_strength,
            "measured": progress.last_evaluated,
            "learned": list(progress.last_stats or ()),
        }.items()
    )


def test_a_checkpoint_is_read_to_the_same_networks() -> None:
    run = resumed()
    assert (run.iterations_done, run.decisions, run.best) == (
        EXPECTED["done"],
        EXPECTED["decisions"],
        Figures(None, None, None, EXPECTED["best"]),
    )
    assert np.allclose(outputs(export_network(run.average)), EXPECTED["average"], atol=1e-4)
    assert np.allclose(outputs(export_network(run.policy)), EXPECTED["player"], atol=1e-4)
    assert np.allclose(outputs(load_teacher("paused/checkpoint.pt")), EXPECTED["teacher"], atol=1e-4)


def test_a_paused_run_goes_on_to_its_end() -> None:
    before = (PAUSED / "curve.csv").read_text(encoding="utf-8")
    run = resumed()
    run.run(ignore_report)
    assert run.iterations_done == 4
    assert run.decisions > EXPECTED["decisions"]
    after = (PAUSED / "curve.csv").read_text(encoding="utf-8")
    assert after.startswith(before)
    assert [row["iteration"] for row in csv.DictReader(after.splitlines())] == ["2", "4"]


def test_another_run_begins_with_an_old_checkpoint_or_network() -> None:
    for name in ("paused/checkpoint.pt", "paused/best.npz"):
        config = load_config(Path("new"), PAUSED / "plan.json", {"initial_weights": name})
        run = Trainer(Path("new"), config)
        answers = EXPECTED["average"] if name.endswith(".pt") else EXPECTED["networks"]["best.npz"]["outputs"]
        assert np.allclose(outputs(export_network(run.policy)), answers, atol=1e-4)
        shutil.rmtree("new")


def test_what_answers_are_worth_is_learned_from_an_old_run() -> None:
    train_values(PAUSED, load_config(PAUSED, None, {}), 1, lambda _done, _error: None)
    assert read_network(PAUSED / "values.npz").is_current


def test_a_run_of_an_earlier_version_is_measured_on_as_before(tmp_path: Path) -> None:
    run = Trainer(tmp_path / "run", SMALL)
    assert {rules for rules, _, _ in run.evaluations.values()} == {"joker"}
    run.run(ignore_report, stop=lambda: run.iterations_done == 2)
    run.run(ignore_report, stop=lambda: run.best is not None)
    assert Trainer(tmp_path / "run", SMALL).evaluations == run.evaluations
    state = dict(read_checkpoint(tmp_path / "run" / CHECKPOINT_FILE))
    del state["evaluations"], state["balance"]
    torch.save(state, tmp_path / "run" / CHECKPOINT_FILE)
    resumed = Trainer(tmp_path / "run", SMALL)
    assert resumed.evaluations == EVALUATIONS
    assert resumed.measures == NO_MEASURES
    assert resumed.best is not None
    assert run.best is not None
    assert resumed.best == Figures(None, None, None, run.best.strength)


def test_a_run_that_measured_no_floor_goes_on_without_one(tmp_path: Path) -> None:
    run = Trainer(tmp_path / "run", SMALL)
    run.run(ignore_report, stop=lambda: run.iterations_done == 2)
    run.run(ignore_report, stop=lambda: run.best is not None)
    assert run.best is not None
    state = dict(read_checkpoint(tmp_path / "run" / CHECKPOINT_FILE))
    state["balance"] = run.best.exploitability, run.best.hunter_share
    torch.save(state, tmp_path / "run" / CHECKPOINT_FILE)
    resumed = Trainer(tmp_path / "run", SMALL)
    assert resumed.measures == run.measures._replace(response=None)
    assert resumed.best == run.best._replace(floor=None)
    assert Trainer(tmp_path / "new", SMALL).measures.response is not None
