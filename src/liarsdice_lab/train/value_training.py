"""Trains a network that estimates action values, from matches of a trained network against itself.

The network explores: now and then it takes any legal action, so that worse actions get values, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import torch

from liarsdice.bots.neural.batch_observation import sample_actions
from liarsdice.bots.neural.features import ACTION_COUNT, FEATURE_COUNT, SILENT, FloatArray, IntArray, NetworkInput
from liarsdice.bots.neural.network import Network
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.sim.policies import ExternalPolicy
from liarsdice_lab.train.config import TrainingConfig
from liarsdice_lab.train.curriculum import make_table_setups
from liarsdice_lab.train.model import (
    Critic,
    PolicyNetwork,
    export_network,
    has_fast_bfloat16,
    load_run_network,
    load_weights,
    read_checkpoint,
    update_ema,
)
from liarsdice_lab.train.rollout import Experience, TableSetup, TrainingTable
from liarsdice_lab.train.run_folder import replace_file
from liarsdice_lab.train.trainer import BEST_FILE, CHECKPOINT_FILE

VALUES_FILE = "values.npz"
EXPLORATION_RATE, OUT_OF_TURN_EXPLORATION_RATE = 0.15, 0.02
"""How often a random legal action is taken. Out of turn every seat is asked, and few calls are good, so less often."""
GAE_LAMBDA = 0.9
"""Lambda of the returns that the network learns: near 1, outcomes of matches count more than the critic's estimates."""
EMA_RATE = 0.01
"""The weight of the current parameters in the averaged network: an average over about 100 iterations."""
LEARNING_RATE = 1e-3
MINIBATCH_SIZE = 4096


class ExplorationPolicy:
    """Acts as a network does, and takes a random legal action now and then; an `ActFunction`.

    `critic`: estimates the value of each situation.
    """

    def __init__(self, network: Network, critic: Critic) -> None:
        self._network = network
        self._critic = critic

    def __call__(
        self, inputs: NetworkInput, hidden_features: FloatArray, rng: np.random.Generator
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return sampled actions, int64 [row], their log probabilities and values, both float32 [row].

        `hidden_features`: float32 [row, feature].
        """
        probs = explored_probs(self._network, inputs)
        actions = sample_actions(probs, rng.random(len(probs)))
        with torch.inference_mode():
            values = self._critic(torch.from_numpy(inputs.features), torch.from_numpy(hidden_features)).numpy()
        return actions, np.log(probs[np.arange(len(actions)), actions]), values


def explored_probs(network: Network, inputs: NetworkInput) -> FloatArray:
    """Return the probabilities of a network that takes a random legal action now and then, float32 [row, action]."""
    network_probs = network.drop_unlikely(network.action_probs(inputs.features, inputs.action_mask))
    uniform_probs = inputs.action_mask / inputs.action_mask.sum(axis=1, keepdims=True)
    out_of_turn = inputs.action_mask[:, SILENT]
    rates = np.where(out_of_turn, OUT_OF_TURN_EXPLORATION_RATE, EXPLORATION_RATE)[:, np.newaxis]
    probs: FloatArray = ((1 - rates) * network_probs + rates * uniform_probs).astype(np.float32)
    return probs


def train_values(
    folder: Path, config: TrainingConfig, iterations: int, report: Callable[[int, float], None]
) -> Network:
    """Train action values for the strongest network of a run, and store them in the folder of the run.

    The outputs of the returned network are the expected shares of the match, by action. `report` is called after each
    iteration with the number of iterations done and the mean squared error. Raises `UnavailableError` if the folder
    holds no run, and `MalformedError` if its checkpoint is damaged.
    """
    if not (folder / BEST_FILE).exists() or not (folder / CHECKPOINT_FILE).exists():
        raise UnavailableError(f"{folder} holds no trained network; run `liarsdice train -o {folder}` first")
    fast = has_fast_bfloat16("cpu")
    critic = Critic(FEATURE_COUNT, config.width, config.layers, bfloat16=fast)
    try:
        load_weights(critic, read_checkpoint(folder / CHECKPOINT_FILE).get("critic"))
    except (OSError, ValueError) as damage:
        message = f"{folder / CHECKPOINT_FILE} cannot be read: {damage}; train in another folder"
        raise MalformedError(message) from damage
    network = load_run_network(folder / BEST_FILE)
    policy = ExplorationPolicy(network, critic)
    setups = _self_play_setups(config)
    tables: dict[int, TrainingTable] = {}
    rng = np.random.default_rng((config.seed, iterations))
    values = PolicyNetwork(FEATURE_COUNT, config.width, config.layers, bfloat16=fast)
    average = PolicyNetwork(FEATURE_COUNT, config.width, config.layers)
    optimizer = torch.optim.Adam([*values.parameters(), *critic.parameters()], lr=LEARNING_RATE)
    for iteration in range(iterations):
        table_ids = rng.choice(len(setups), min(config.tables_per_iteration, len(setups)), replace=False).tolist()
        for table_id in table_ids:
            if table_id not in tables:
                tables[table_id] = TrainingTable(setups[table_id], config.seed * 100_003 + table_id)
        experience = [tables[table_id].play(config.steps, policy, GAE_LAMBDA) for table_id in table_ids]
        for group in optimizer.param_groups:
            group["lr"] = LEARNING_RATE * (1 - iteration / iterations)
        error = fit(values, critic, optimizer, experience, rng)
        update_ema(average, values, iteration, EMA_RATE)
        report(iteration + 1, error)
    exported = export_network(average)
    replace_file(folder / VALUES_FILE, exported.save)
    return exported


def _self_play_setups(config: TrainingConfig) -> list[TableSetup]:
    """Return the tables of a run without bots, fixed opponents and teachers: the network plays in every seat."""
    self_play = msgspec.structs.replace(config, bot_table_share=0.0, opponent_table_share=0.0, teachers={})
    return [
        msgspec.structs.replace(setup, policies=(ExternalPolicy(),) * len(setup.policies))
        for setup in make_table_setups(self_play)
    ]


def fit(
    values: PolicyNetwork,
    critic: Critic,
    optimizer: torch.optim.Optimizer,
    tables: list[Experience],
    rng: np.random.Generator,
) -> float:
    """Update action values and critic in one pass over the experience of each table.

    Returns the mean squared error of the action values before each step; NaN if there is no experience.
    """
    if not any(len(table.returns) for table in tables):
        return math.nan
    features, hidden_features, actions, returns = (
        torch.from_numpy(np.concatenate([getattr(table, name) for table in tables]))
        for name in ("features", "hidden_features", "actions", "returns")
    )
    all_actions = torch.ones((MINIBATCH_SIZE, ACTION_COUNT), dtype=torch.bool)
    errors = []
    order = torch.from_numpy(rng.permutation(len(returns)))
    for start in range(0, len(returns), MINIBATCH_SIZE):
        rows = order[start : start + MINIBATCH_SIZE]
        outputs = values(features[rows], all_actions[: len(rows)])
        action_values = outputs.gather(1, actions[rows].unsqueeze(1)).squeeze(1)
        error = (action_values - returns[rows]).square().mean()
        loss = error + (critic(features[rows], hidden_features[rows]) - returns[rows]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        errors.append(float(error.detach()))
    return float(np.mean(errors))
