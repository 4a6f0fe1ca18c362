"""Networks by name: champions, files, checkpoints, and what is refused."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.champions import baseline_network
from liarsdice.bots.neural.features import ACTION_COUNT, FEATURE_COUNT
from liarsdice.bots.neural.network import Network
from liarsdice.core.errors import UnavailableError
from liarsdice.train.model import (
    WHOLE_CHAMPION,
    PolicyNetwork,
    export_network,
    load_network,
    load_opponent,
    load_run_network,
    load_teacher,
)
from liarsdice.train.trainer import BEST_FILE, CHECKPOINT_FILE
from liarsdice.train.value_training import train_values
from tests.train.training_configs import SMALL


def test_networks_are_loaded_by_name_and_from_files(tmp_path: Path) -> None:
    assert load_network("champion@7") is champion_network()
    champion_network().save(tmp_path / "saved.npz")
    assert np.array_equal(load_network(str(tmp_path / "saved.npz")).weights[0], champion_network().weights[0])
    damaged = {name: tmp_path / f"{name}.npz" for name in ("half", "array", "empty", "narrow")}
    damaged["half"].write_bytes((tmp_path / "saved.npz").read_bytes()[:5000])
    with damaged["array"].open("wb") as file:
        np.save(file, np.zeros(3))
    np.savez(damaged["empty"], min_prob_ratio=0.2)
    Network([np.zeros((3, 2), np.float32)], [np.zeros(2, np.float32)]).save(damaged["narrow"])
    for name in (
        "champion@99",
        "champion@x",
        str(tmp_path / "none.npz"),
        str(Path(__file__)),
        *map(str, damaged.values()),
    ):
        with pytest.raises(UnavailableError, match=f"no network is called {re.escape(name)}"):
            load_network(name)


def test_the_champion_is_an_opponent_as_a_whole_and_others_are_networks() -> None:
    assert load_opponent(WHOLE_CHAMPION) == (champion_network(), True)
    assert load_opponent("champion@5") == (baseline_network("champion@5"), False)
    for load in (load_network, load_teacher):
        with pytest.raises(UnavailableError, match=f"no network is called {WHOLE_CHAMPION}"):
            load(WHOLE_CHAMPION)


def test_a_checkpoint_without_networks_cannot_teach(tmp_path: Path) -> None:
    file = tmp_path / CHECKPOINT_FILE
    contents: tuple[dict[str, object], ...] = (
        {},
        {"average": 3},
        {"average": {}},
        {"average": {"body.0.weight": torch.zeros(3, 3)}},
    )
    for content in contents:
        torch.save(content, file)
        with pytest.raises(UnavailableError, match="cannot teach: it holds no networks"):
            load_teacher(str(file))


def test_networks_of_another_size_are_refused(paused_state: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / BEST_FILE
    torch.save(paused_state, tmp_path / CHECKPOINT_FILE)
    first, last = np.zeros((FEATURE_COUNT, 4), np.float32), np.zeros((4, ACTION_COUNT), np.float32)
    biases = [np.zeros(4, np.float32), np.zeros(ACTION_COUNT, np.float32)]
    for network in (
        Network([first[1:], last], biases),
        Network([first, last[1:]], biases),
        Network([first, last], biases[:1]),
        Network([first, last], [biases[1], biases[0]]),
        Network([first[0], last], biases),
        Network([first * math.nan, last], biases),
        Network([first, last], biases, math.nan),
    ):
        if len(network.biases) < len(network.weights):
            np.savez(file, weight0=first, weight1=last, bias0=biases[0])
        else:
            network.save(file)
        with pytest.raises(UnavailableError, match="holds no network that plays here"):
            train_values(tmp_path, SMALL, 1, lambda _done, _error: None)


def test_a_network_file_damaged_anywhere_is_refused_with_a_clear_error(tmp_path: Path) -> None:
    file = tmp_path / BEST_FILE
    export_network(PolicyNetwork(FEATURE_COUNT, 8, 1)).save(file)
    whole, rng = file.read_bytes(), np.random.default_rng(2)
    for trial in range(60):
        raw = bytearray(whole[: rng.integers(len(whole))] if trial % 2 else whole)
        for position in rng.integers(len(raw), size=9):
            raw[position] = rng.integers(256)
        file.write_bytes(raw)
        try:
            load_run_network(file)
        except UnavailableError as error:
            assert "holds no network" in str(error)  # noqa: PT017  some changed bytes do no damage
