"""Checkpoints: damaged ones are refused with a clear error."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch

from liarsdice.bots.neural.features import FEATURE_COUNT
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.train.config import CONFIG_FILE
from liarsdice.train.model import (
    HIDDEN_FEATURE_COUNT,
    Critic,
    PolicyNetwork,
    Progress,
    load_weights,
    load_weights_widened,
    read_average,
    read_progress,
)
from liarsdice.train.trainer import CHECKPOINT_FILE, Trainer
from tests.train.training_configs import SMALL


def set_nan(state: dict[str, Any], *path: Any) -> None:  # noqa: ANN401  names and indices
    for key in path[:-1]:
        state = state[key]
    state[path[-1]] = state[path[-1]] * math.nan


def copy_of(state: Any) -> Any:  # noqa: ANN401  whatever a checkpoint holds
    return {key: copy_of(value) for key, value in state.items()} if isinstance(state, dict) else state


DAMAGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "iterations below 0": lambda state: state.update(iterations_done=-5),
    "iterations that are no number": lambda state: state.update(iterations_done="abc"),
    "more iterations than planned": lambda state: state.update(iterations_done=5),
    "a best strength that is no number": lambda state: state.update(best_strength=math.nan),
    "no decisions": lambda state: state.pop("decisions"),
    "the policy's weights": lambda state: set_nan(state, "player", "body.0.weight"),
    "the average's weights": lambda state: set_nan(state, "average", "body.2.bias"),
    "the critic's weights": lambda state: set_nan(state, "critic", "body.0.weight"),
    "no critic": lambda state: state.pop("critic"),
    "a list instead of a policy": lambda state: state.update(player=[1, 2]),
    "a number instead of an optimizer": lambda state: state.update(optimizer=3),
    "an optimizer's moments": lambda state: set_nan(state, "optimizer", "state", 0, "exp_avg"),
    "a list instead of digests": lambda state: state.update(input_digests=["joker"]),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_is_refused(damage: str, paused_state: dict[str, Any], tmp_path: Path) -> None:
    state = copy_of(paused_state)
    DAMAGES[damage](state)
    torch.save(state, tmp_path / CHECKPOINT_FILE)
    (tmp_path / CONFIG_FILE).write_bytes(msgspec.json.encode(SMALL))
    with pytest.raises(MalformedError, match=r"checkpoint\.pt cannot be read: .*; delete it to start again"):
        Trainer(tmp_path, SMALL)
    assert torch.load(tmp_path / CHECKPOINT_FILE, weights_only=True).keys() == state.keys()


@pytest.mark.parametrize("content", [3, [1], {}, {"average": 1, "critic": 2}])
def test_a_file_without_networks_is_refused(content: object, tmp_path: Path) -> None:
    file = tmp_path / "other.pt"
    torch.save(content, file)
    with pytest.raises(UnavailableError, match=r"cannot start from .*: it holds no networks"):
        Trainer(tmp_path / "run", msgspec.structs.replace(SMALL, initial_weights=str(file)))
    assert not (tmp_path / "run").exists()


def test_no_run_starts_from_weights_that_are_not_finite(paused_state: dict[str, Any], tmp_path: Path) -> None:
    state, file = copy_of(paused_state), tmp_path / "other.pt"
    set_nan(state, "average", "body.0.weight")
    torch.save(state, file)
    with pytest.raises(UnavailableError, match="its weights are not numbers"):
        Trainer(tmp_path / "run", msgspec.structs.replace(SMALL, initial_weights=str(file)))


def test_a_file_damaged_anywhere_is_refused_with_a_clear_error(paused_state: dict[str, Any], tmp_path: Path) -> None:
    rng, file = np.random.default_rng(1), tmp_path / CHECKPOINT_FILE
    torch.save(paused_state, file)
    whole = file.read_bytes()
    for trial in range(60):
        raw = bytearray(whole[: rng.integers(len(whole))] if trial % 3 == 0 else whole)
        for position in rng.integers(len(raw), size=8) if trial % 3 else ():
            raw[position] = rng.integers(256)
        if trial % 3 == 2:
            raw[200:4000] = rng.integers(0, 256, 3800, dtype=np.uint8).tobytes()
        file.write_bytes(raw)
        try:
            Trainer(tmp_path, SMALL)
        except MalformedError as error:
            assert "cannot be read" in str(error)  # noqa: PT017  some changed bytes do no damage


def test_progress_is_stored_under_its_names_and_must_be_complete(paused_state: dict[str, Any]) -> None:
    progress = read_progress(paused_state, 4)
    assert progress.iterations_done == 2
    assert all(getattr(progress, name) == paused_state[name] for name in Progress.__struct_fields__)
    with pytest.raises(ValueError, match="it lacks best_balance, best_strength, "):
        read_progress({"iterations_done": 1, "decisions": 2}, 4)


def test_a_wider_network_has_the_outputs_of_the_narrower_one_whose_weights_it_loads() -> None:
    torch.manual_seed(1)
    narrow, wide = Critic(FEATURE_COUNT, 8, 2), Critic(FEATURE_COUNT, 12, 2)
    load_weights_widened(wide, narrow.state_dict())
    features, hidden_features = torch.rand(5, FEATURE_COUNT), torch.rand(5, HIDDEN_FEATURE_COUNT)
    assert torch.allclose(wide(features, hidden_features), narrow(features, hidden_features), atol=1e-6)
    with pytest.raises(ValueError, match="it holds no networks with 2 layers of 12"):
        load_weights(wide, narrow.state_dict())


def test_the_size_of_an_average_is_read_from_its_weights() -> None:
    policy = read_average({"average": PolicyNetwork(FEATURE_COUNT, 10, 3).state_dict()})
    assert [tuple(layer.shape) for layer in policy.parameters() if layer.ndim == 2][:2] == [
        (10, FEATURE_COUNT),
        (10, 10),
    ]
