"""Action values, learned from matches of a trained network against itself."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch

from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.features import ACTION_COUNT, CHALLENGE, FEATURE_COUNT, NetworkInput, encode, observe
from liarsdice.bots.neural.network import Network
from liarsdice.core.engine.view import view
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.sim.policies import ExternalPolicy
from liarsdice_lab.train import value_training
from liarsdice_lab.train.config import TrainingConfig
from liarsdice_lab.train.curriculum import make_table_setups
from liarsdice_lab.train.model import HIDDEN_FEATURE_COUNT, Critic, PolicyNetwork, export_network
from liarsdice_lab.train.rollout import Experience, TableSetup, TrainingTable
from liarsdice_lab.train.trainer import BEST_FILE, CHECKPOINT_FILE
from liarsdice_lab.train.value_training import (
    EXPLORATION_RATE,
    OUT_OF_TURN_EXPLORATION_RATE,
    VALUES_FILE,
    ExplorationPolicy,
    fit,
    train_values,
)
from tests.bots.positions import dealt_state

SMALL = TrainingConfig(rules=("perudo",), width=32, layers=1, tables=2, tables_per_iteration=2, matches=8, steps=8)


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """A run's folder with the first champion's network."""
    first = champion_network()
    Network(first.weights, first.biases, first.min_prob_ratio).save(tmp_path / BEST_FILE)
    torch.manual_seed(1)
    torch.save({"critic": Critic(FEATURE_COUNT, SMALL.width, SMALL.layers).state_dict()}, tmp_path / CHECKPOINT_FILE)
    return tmp_path


def test_each_action_has_its_own_value() -> None:
    rng, rows = np.random.default_rng(1), 2048
    actions = rng.choice([3, CHALLENGE], rows)
    features = rng.random((rows, FEATURE_COUNT)).astype(np.float32)
    returns = np.where(actions == CHALLENGE, 0.9, 0.2).astype(np.float32)
    zeros = np.zeros(rows, np.float32)
    experience = Experience(
        features=features,
        hidden_features=np.zeros((rows, HIDDEN_FEATURE_COUNT), np.float32),
        action_mask=np.ones((rows, ACTION_COUNT), np.bool_),
        actions=actions,
        log_probs=zeros,
        advantages=zeros,
        returns=returns,
        teacher_probs=np.zeros((rows, ACTION_COUNT), np.float32),
    )
    torch.manual_seed(2)
    values, critic = PolicyNetwork(FEATURE_COUNT, 16, 1), Critic(FEATURE_COUNT, 16, 1)
    optimizer = torch.optim.Adam([*values.parameters(), *critic.parameters()], lr=0.01)
    errors = [fit(values, critic, optimizer, [experience], rng) for _ in range(60)]
    assert errors[-1] < 0.01 < errors[0]
    outputs = export_network(values).outputs(features)
    assert outputs[:, CHALLENGE].mean() == pytest.approx(0.9, abs=0.05)
    assert outputs[:, 3].mean() == pytest.approx(0.2, abs=0.05)
    with torch.inference_mode():
        expected = critic(torch.from_numpy(features), torch.from_numpy(experience.hidden_features)).mean()
    assert float(expected) == pytest.approx(returns.mean(), abs=0.05)


def test_values_are_stored_beside_the_network(trained: Path) -> None:
    errors: list[float] = []
    values = train_values(trained, SMALL, 2, lambda _done, error: errors.append(error))
    assert len(errors) == 2
    assert all(map(math.isfinite, errors))
    state = dealt_state(preset("perudo").ruleset, ((2, 3, 4, 5, 5), (6, 6, 6, 1, 2)), (Bid(2, 6),))
    inputs = encode(observe(view(state, 1)))
    outputs = values.outputs(inputs.features)
    assert outputs.shape == inputs.action_mask.shape
    assert Network.load(trained / VALUES_FILE).outputs(inputs.features) == pytest.approx(outputs, abs=0.01)


def test_an_update_without_experience_has_no_error() -> None:
    zeros = np.zeros(0, np.float32)
    empty = Experience(
        features=np.zeros((0, FEATURE_COUNT), np.float32),
        hidden_features=np.zeros((0, HIDDEN_FEATURE_COUNT), np.float32),
        action_mask=np.zeros((0, ACTION_COUNT), np.bool_),
        actions=np.zeros(0, np.int64),
        log_probs=zeros,
        advantages=zeros,
        returns=zeros,
        teacher_probs=np.zeros((0, ACTION_COUNT), np.float32),
    )
    values, critic = PolicyNetwork(FEATURE_COUNT, 8, 1), Critic(FEATURE_COUNT, 8, 1)
    optimizer = torch.optim.Adam([*values.parameters(), *critic.parameters()])
    assert math.isnan(fit(values, critic, optimizer, [empty], np.random.default_rng(1)))


@pytest.mark.parametrize("seat, rate", [(1, EXPLORATION_RATE), (2, OUT_OF_TURN_EXPLORATION_RATE)])
def test_any_legal_action_is_explored_at_the_exploration_rate(seat: int, rate: float) -> None:
    hands = ((2, 2, 2, 2, 1), (6, 6, 6, 1, 2), (6, 6, 3, 4, 5))
    single = encode(observe(view(dealt_state(preset("official").ruleset, hands, (Bid(2, 6),)), seat)))
    rows = 4000
    inputs = NetworkInput(
        features=np.repeat(single.features, rows, axis=0),
        quantities=np.repeat(single.quantities, rows, axis=0),
        action_mask=np.repeat(single.action_mask, rows, axis=0),
        p_true=np.repeat(single.p_true, rows, axis=0),
        ruled_out=np.repeat(single.ruled_out, rows, axis=0),
        needed=np.repeat(single.needed, rows),
        unseen=np.repeat(single.unseen, rows),
    )
    torch.manual_seed(1)
    policy = ExplorationPolicy(champion_network(), Critic(FEATURE_COUNT, 8, 1))
    hidden_features = np.zeros((rows, HIDDEN_FEATURE_COUNT), np.float32)
    actions, log_probs, values = policy(inputs, hidden_features, np.random.default_rng(2))
    shares = np.bincount(actions, minlength=inputs.action_mask.shape[1]) / rows
    assert (shares[~single.action_mask[0]] == 0).all()
    min_prob = rate / single.action_mask.sum()
    assert (np.exp(log_probs) > 0.99 * min_prob).all()
    assert shares[single.action_mask[0]].min() > 0.3 * min_prob
    assert values.shape == (rows,)


def test_the_network_plays_in_the_seats_of_bots_too(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setups: list[TableSetup] = []

    class RecordingTable(TrainingTable):
        def __init__(self, setup: TableSetup, seed: int) -> None:
            setups.append(setup)
            super().__init__(setup, seed)

    monkeypatch.setattr(value_training, "TrainingTable", RecordingTable)
    config = TrainingConfig(
        rules=("perudo",),
        seed=25,
        width=32,
        layers=1,
        tables=1,
        tables_per_iteration=1,
        matches=8,
        steps=8,
        two_learner_share=0,
    )
    assert set(
        make_table_setups(msgspec.structs.replace(config, bot_table_share=0, opponent_table_share=0))[0].policies
    ) != {ExternalPolicy()}
    train_values(trained, config, 1, lambda _done, _error: None)
    assert [set(setup.policies) for setup in setups] == [{ExternalPolicy()}]


def test_a_folder_without_a_network_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="holds no trained network"):
        train_values(tmp_path, SMALL, 1, lambda _done, _error: None)
