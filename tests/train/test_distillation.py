"""Networks that blueprints teach: what the rows of a round say, and runs that are stopped and continued."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch

from liarsdice.bots.neural.features import dice_held
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.solve.game.round_game import RoundStart
from liarsdice.train.distillation import (
    CHECKPOINT_FILE,
    CURVE_FILE,
    NETWORK_FILE,
    DistillationConfig,
    Distiller,
    Measure,
    TaughtRound,
    play_matches,
)
from liarsdice.train.model import load_network

THREE_FACES = """
[dice]
faces = 3
"""


@pytest.fixture
def config(tmp_path: Path) -> DistillationConfig:
    rules = tmp_path / "three.toml"
    rules.write_text(THREE_FACES)
    return DistillationConfig(
        rounds=(TaughtRound(str(rules), (2, 1)),),
        steps=60,
        minibatch=256,
        learning_rate=3e-3,
        match_share=0.0,
        iterations=40,
        measure_every=20,
    )


def measures_of(folder: Path, config: DistillationConfig, stop: Callable[[], bool] = lambda: False) -> list[Measure]:
    torch.manual_seed(config.seed)
    found: list[Measure] = []
    Distiller(folder, config, lambda _line: None).run(lambda _done, measure: found.append(measure), stop)
    return found


def test_a_network_learns_what_a_blueprint_plays(tmp_path: Path, config: DistillationConfig) -> None:
    measures = measures_of(tmp_path / "run", config)
    assert len(measures) == 4
    assert measures[-1].exploitability[0] < 0.5 * measures[0].exploitability[0]
    assert measures[-1].rounds < 0.5 * measures[0].rounds
    with (tmp_path / "run" / CURVE_FILE).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["step"] for row in rows] == ["0", "20", "40", "60"]
    assert float(rows[-1]["rounds"]) == round(measures[-1].rounds, 4)
    assert load_network(str(tmp_path / "run" / NETWORK_FILE)).min_prob_ratio == pytest.approx(0.05)


def test_a_run_that_was_stopped_continues_to_the_same_network(tmp_path: Path, config: DistillationConfig) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    measures = measures_of(whole, config)
    calls: list[None] = []

    def at_the_second_measure() -> bool:
        calls.append(None)
        return len(calls) == 2

    assert len(measures_of(parts, config, at_the_second_measure)) == 2
    assert measures_of(parts, config)[-1] == measures[-1]
    assert (parts / CURVE_FILE).read_text() == (whole / CURVE_FILE).read_text()
    assert measures_of(parts, config)[-1] == measures[-1]  # it is finished


def test_another_configuration_or_a_damaged_checkpoint_is_refused(tmp_path: Path, config: DistillationConfig) -> None:
    folder = tmp_path / "run"
    measures_of(folder, config)
    with pytest.raises(MalformedError, match="another configuration"):
        Distiller(folder, msgspec.structs.replace(config, seed=2), print)
    (folder / CHECKPOINT_FILE).write_bytes(b"no checkpoint")
    with pytest.raises(MalformedError, match="delete it to start again"):
        Distiller(folder, config, print)


def test_rules_without_solvable_rounds_and_networks_that_do_not_fit_are_refused(
    tmp_path: Path, config: DistillationConfig
) -> None:
    pure = msgspec.structs.replace(config, rounds=(TaughtRound("bar", (2, 1)),))
    with pytest.raises(UnavailableError):
        Distiller(tmp_path / "pure", pure, print)
    with pytest.raises(UnavailableError, match="cannot start from champion@7"):
        Distiller(tmp_path / "narrow", msgspec.structs.replace(config, width=8), print)


def test_matches_leave_out_the_rounds_that_blueprints_teach() -> None:
    known = [(find_rules("perudo"), (2, 2))]
    rows = {}
    for name, rounds in {"all": [], "others": known}.items():
        rows[name] = play_matches("champion@7", 1, 12, 12, rounds)
    held = dice_held(rows["all"].features.astype(np.float32))
    two_each = (held[:, 0] == 2) & (held[:, 1:].sum(axis=1) == 2) & ((held > 0).sum(axis=1) == 2)
    assert 0 < len(rows["all"].probs) - len(rows["others"].probs) <= two_each.sum()
    assert not rows["others"].probs[~rows["others"].action_mask].any()
    np.testing.assert_allclose(rows["others"].probs.sum(axis=1, dtype=np.float64), 1, atol=0.01)


def test_a_round_names_its_rules_and_dice() -> None:
    assert str(TaughtRound("perudo", RoundStart((2, 1)).dice)) == "perudo 2v1"
