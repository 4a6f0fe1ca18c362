"""The trained networks: what NumPy computes is what PyTorch computes, and actors sample by the probabilities."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch

from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.champions import baseline_network
from liarsdice.bots.neural.features import ACTION_COUNT, FEATURE_COUNT, NetworkInput
from liarsdice.bots.neural.network import Network, read_network
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice_lab.train.config import CONFIG_FILE
from liarsdice_lab.train.model import (
    HIDDEN_FEATURE_COUNT,
    WHOLE_CHAMPION,
    Actor,
    Critic,
    PolicyNetwork,
    Progress,
    export_network,
    load_network,
    load_opponent,
    load_teacher,
    load_weights,
    load_weights_widened,
    read_average,
    read_progress,
)
from liarsdice_lab.train.trainer import BEST_FILE, CHECKPOINT_FILE, Trainer
from tests.lab.train.training_configs import SMALL


def test_an_exported_network_plays_as_the_trained_policy_does(tmp_path: Path) -> None:
    torch.manual_seed(3)
    policy = PolicyNetwork(FEATURE_COUNT, 48, 2)
    for parameter in policy.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    rng = np.random.default_rng(4)
    features = rng.random((64, FEATURE_COUNT)).astype(np.float32)
    action_mask = rng.random((64, ACTION_COUNT)) < 0.5
    action_mask[:, 0] = True
    with torch.inference_mode():
        logits = policy(torch.from_numpy(features), torch.from_numpy(action_mask))
        expected = torch.softmax(logits, dim=1).numpy()
    network = export_network(policy)
    assert network.action_probs(features, action_mask) == pytest.approx(expected, abs=1e-5)
    for ratio in (0.0, 0.05, 0.2):
        saved = Network(network.weights, network.biases, ratio)
        saved.save(tmp_path / "network.npz")
        loaded = Network.load(tmp_path / "network.npz")
        assert loaded.min_prob_ratio == ratio
        assert loaded.action_probs(features, action_mask) == pytest.approx(expected, abs=0.05)
        likely = loaded.drop_unlikely(expected)
        assert (likely.argmax(axis=1) == expected.argmax(axis=1)).all()
        assert ((likely == 0) == (expected < ratio * expected.max(axis=1, keepdims=True)) | (expected == 0)).all()


def test_an_actor_samples_by_the_probabilities() -> None:
    torch.manual_seed(6)
    rows = 4000
    policy, critic = PolicyNetwork(FEATURE_COUNT, 16, 1), Critic(FEATURE_COUNT, 16, 1)
    action_mask = np.zeros((rows, ACTION_COUNT), np.bool_)
    action_mask[:, :4] = True
    inputs = NetworkInput(
        features=np.zeros((rows, FEATURE_COUNT), np.float32),
        quantities=np.zeros((rows, 6, 4), np.int64),
        action_mask=action_mask,
        p_true=action_mask * 0.0,
        ruled_out=np.zeros_like(action_mask),
        needed=np.zeros(rows, np.int64),
        unseen=np.ones(rows, np.int64),
    )
    hidden_features = np.zeros((rows, HIDDEN_FEATURE_COUNT), np.float32)
    actions, log_probs, values = Actor(policy, critic)(inputs, hidden_features, np.random.default_rng(1))
    probs = export_network(policy).action_probs(inputs.features[:1], action_mask[:1])[0]
    assert np.bincount(actions, minlength=4) / rows == pytest.approx(probs[:4], abs=0.03)
    assert np.exp(log_probs) == pytest.approx(probs[actions], abs=1e-5)
    assert values.shape == (rows,)


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


def test_networks_of_another_size_are_refused(tmp_path: Path) -> None:
    file = tmp_path / BEST_FILE
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
        with pytest.raises(ValueError, match=r"holds (no|another kind of) network"):
            read_network(file)


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
            read_network(file)
        except ValueError as error:
            assert "holds no network" in str(error)  # noqa: PT017  some changed bytes do no damage
