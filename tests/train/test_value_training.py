"""What answers are worth, learned from a trained network's matches."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch

from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.features import ACTION_COUNT, CHALLENGE, FEATURE_COUNT, NetworkInput, encode
from liarsdice.bots.neural.network import Network
from liarsdice.bots.neural.observation import observe
from liarsdice.core.engine.view import view
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.sim.policies import ExternalPolicy
from liarsdice.train import value_training as worth
from liarsdice.train.config import TrainingConfig
from liarsdice.train.curriculum import make_table_setups
from liarsdice.train.model import Critic, PolicyNetwork, export_network
from liarsdice.train.rollout import Experience, TableSetup, TrainingTable
from liarsdice.train.trainer import BEST_FILE, CHECKPOINT_FILE
from liarsdice.train.value_training import (
    EXPLORATION_RATE,
    OUT_OF_TURN_EXPLORATION_RATE,
    VALUES_FILE,
    ExplorationPolicy,
    fit,
    train_values,
)
from tests.bots.positions import dealt_state

SMALL = TrainingConfig(rules=("perudo",), width=32, layers=1, tables=4, tables_per_iteration=4, matches=64, steps=32)


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """A run's folder with the first champion's network."""
    first = champion_network(1)
    Network(first.weights, first.biases, first.min_prob_ratio, answers_out_of_turn=True, knows_stairs=True).save(
        tmp_path / BEST_FILE
    )
    torch.manual_seed(1)
    torch.save({"critic": Critic(FEATURE_COUNT, SMALL.width, SMALL.layers).state_dict()}, tmp_path / CHECKPOINT_FILE)
    return tmp_path


def test_each_answer_has_a_worth_of_its_own() -> None:
    rng, rows = np.random.default_rng(1), 2048
    answers = rng.choice([3, CHALLENGE], rows)
    numbers = rng.random((rows, FEATURE_COUNT)).astype(np.float32)
    target = np.where(answers == CHALLENGE, 0.9, 0.2).astype(np.float32)
    other = np.zeros(rows, np.float32)
    hidden, untaught = np.zeros((rows, 8), np.float32), np.zeros((rows, ACTION_COUNT), np.float32)
    part = Experience(numbers, hidden, answers > 0, answers, other, other, target, untaught)
    torch.manual_seed(2)
    values, critic = PolicyNetwork(FEATURE_COUNT, 16, 1), Critic(FEATURE_COUNT, 16, 1)
    optimizer = torch.optim.Adam([*values.parameters(), *critic.parameters()], lr=0.01)
    errors = [fit(values, critic, optimizer, [part], rng) for _ in range(60)]
    assert errors[-1] < 0.01 < errors[0]
    found = export_network(values).outputs(numbers)
    assert found[:, CHALLENGE].mean() == pytest.approx(0.9, abs=0.05)
    assert found[:, 3].mean() == pytest.approx(0.2, abs=0.05)
    with torch.inference_mode():
        expected = critic(torch.from_numpy(numbers), torch.from_numpy(part.hidden)).mean()
    assert float(expected) == pytest.approx(target.mean(), abs=0.05)


def test_values_are_kept_beside_the_network(trained: Path) -> None:
    errors: list[float] = []
    values = train_values(trained, SMALL, 2, lambda _done, error: errors.append(error))
    assert len(errors) == 2
    state = dealt_state(preset("perudo").ruleset, ((2, 3, 4, 5, 5), (6, 6, 6, 1, 2)), (Bid(2, 6),))
    reading = encode(observe(view(state, 1)), knows_stairs=True)
    found = values.outputs(reading.features)
    assert found.shape == reading.action_mask.shape
    assert Network.load(trained / VALUES_FILE).outputs(reading.features) == pytest.approx(found, abs=0.01)


@pytest.mark.parametrize("seat, tried", [(1, EXPLORATION_RATE), (2, OUT_OF_TURN_EXPLORATION_RATE)])
def test_now_and_then_anything_legal_is_tried(seat: int, tried: float) -> None:
    hands = ((2, 2, 2, 2, 1), (6, 6, 6, 1, 2), (6, 6, 3, 4, 5))
    one = encode(observe(view(dealt_state(preset("official").ruleset, hands, (Bid(2, 6),)), seat)), knows_stairs=True)
    rows = 4000
    reading = NetworkInput(
        features=np.repeat(one.features, rows, axis=0),
        quantities=np.repeat(one.quantities, rows, axis=0),
        action_mask=np.repeat(one.action_mask, rows, axis=0),
        p_true=np.repeat(one.p_true, rows, axis=0),
    )
    torch.manual_seed(1)
    explorer = ExplorationPolicy(champion_network(1), Critic(FEATURE_COUNT, 8, 1))
    answers, logs, values = explorer(reading, np.zeros((rows, 8), np.float32), np.random.default_rng(2))
    shares = np.bincount(answers, minlength=reading.action_mask.shape[1]) / rows
    assert (shares[~one.action_mask[0]] == 0).all()
    least = tried / one.action_mask.sum()
    assert (np.exp(logs) > 0.99 * least).all()
    assert shares[one.action_mask[0]].min() > 0.3 * least
    assert values.shape == (rows,)


def test_tables_that_would_seat_bots_seat_the_player_too(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sat: list[TableSetup] = []

    class Kept(Table):
        def __init__(self, setting: TableSetup, seed: int) -> None:
            sat.append(setting)
            super().__init__(setting, seed)

    monkeypatch.setattr(worth, "Table", Kept)
    one = TrainingConfig(
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
    assert set(make_table_setups(msgspec.structs.replace(one, bot_table_share=0, opponent_table_share=0))[0].policies) != {
        ExternalPolicy()
    }
    train_values(trained, one, 1, lambda _done, _error: None)
    assert [set(setting.policies) for setting in sat] == [{ExternalPolicy()}]


def test_a_network_that_is_shown_less_than_today_is_refused(trained: Path) -> None:
    champion_network(3).save(trained / BEST_FILE)
    with pytest.raises(UnavailableError, match="is by an older version of the program"):
        train_values(trained, SMALL, 1, lambda _done, _error: None)


def test_a_folder_without_a_network_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="holds no trained network"):
        train_values(tmp_path, SMALL, 1, lambda _done, _error: None)
