"""What each answer is worth: a network that learns it from matches of a trained player with itself.

The player tries something else now and then, so that worse answers are known too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import torch

from liarsdice.bots.neural.features import ACTION_COUNT, FEATURE_COUNT, SILENT, NetworkInput
from liarsdice.bots.neural.network import Network
from liarsdice.bots.neural.observation import FloatArray, IntArray
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.sim.policies import ExternalPolicy
from liarsdice.train.checkpoint import load_weights, read_checkpoint
from liarsdice.train.config import TrainingConfig
from liarsdice.train.curriculum import make_table_setups
from liarsdice.train.load_networks import load_own_network
from liarsdice.train.model import Critic, PolicyNetwork, export_network, has_fast_bfloat16, update_ema
from liarsdice.train.opponents import sample_actions
from liarsdice.train.rollout import Experience, Table
from liarsdice.train.run_folder import keep
from liarsdice.train.trainer import BEST, CHECKPOINT

VALUES = "values.npz"
EXPLORATION_RATE, OUT_OF_TURN_EXPLORATION_RATE = 0.15, 0.02
"""How often any legal answer is tried. Out of turn every seat is asked, and hardly any call is a good one."""
KEEP = 0.9
"""λ of what is learned from: how far the outcome counts, and not what the critic expects."""
AVERAGE = 0.01
"""How much of the average that is kept is the latest; most of what came before the last hundred iterations is gone."""
RATE = 1e-3
MINIBATCH = 4096


class ExplorationPolicy:
    """Answers as a network, and now and then at random. `critic` says what is expected."""

    def __init__(self, network: Network, critic: Critic) -> None:
        self._network = network
        self._critic = critic

    def __call__(
        self, inputs: NetworkInput, hidden: FloatArray, chance: np.random.Generator
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        """Answers, their chances as logarithms, and what is expected."""
        plain = self._network.drop_unlikely(self._network.action_probs(inputs.features, inputs.action_mask))
        evenly = inputs.action_mask / inputs.action_mask.sum(axis=1, keepdims=True)
        tried = np.where(inputs.action_mask[:, SILENT], OUT_OF_TURN_EXPLORATION_RATE, EXPLORATION_RATE)[:, np.newaxis]
        mixed = ((1 - tried) * plain + tried * evenly).astype(np.float32)
        answers = sample_actions(mixed, chance)
        with torch.inference_mode():
            values = self._critic(torch.from_numpy(inputs.features), torch.from_numpy(hidden)).numpy()
        return answers, np.log(mixed[np.arange(len(answers)), answers]), values


def train_values(folder: Path, config: TrainingConfig, iterations: int, tell: Callable[[int, float], None]) -> Network:
    """Learn what answers of a run's strongest network are worth, and keep it in the run's folder.

    The network's outputs are the share of the match that is to be expected, by answer. `tell` gets the number of an
    iteration and the mean squared error. Raises `UnavailableError` where the folder holds no run or no network that
    plays by all that is steps_taken today, and `MalformedError` where its checkpoint is damaged.
    """
    if not (folder / BEST).exists() or not (folder / CHECKPOINT).exists():
        raise UnavailableError(f"{folder} holds no trained network; run `liarsdice train -o {folder}` first")
    fast = has_fast_bfloat16("cpu")
    critic = Critic(
        FEATURE_COUNT, config.width, config.layers, bfloat16=fast
    )  # it knows other company, and learns this one
    try:
        load_weights(critic, read_checkpoint(folder / CHECKPOINT).get("critic"))
    except (OSError, ValueError) as damage:
        raise MalformedError(f"{folder / CHECKPOINT} cannot be read: {damage}; train in another folder") from damage
    network = load_own_network(folder / BEST)
    if not network.is_current:
        raise UnavailableError(
            f"{folder / BEST} is by an older version of the program; begin another folder with it, and train there"
        )
    explorer = ExplorationPolicy(network, critic)
    alone = msgspec.structs.replace(config, bot_table_share=0.0, opponent_table_share=0.0, teachers={})
    tables: dict[int, Table] = {}
    settings = [
        msgspec.structs.replace(one, policies=(ExternalPolicy(),) * len(one.policies)) for one in make_table_setups(alone)
    ]
    chance = np.random.default_rng((config.seed, iterations))
    values = PolicyNetwork(FEATURE_COUNT, config.width, config.layers, bfloat16=fast)
    average = PolicyNetwork(FEATURE_COUNT, config.width, config.layers)
    optimizer = torch.optim.Adam([*values.parameters(), *critic.parameters()], lr=RATE)
    for iteration in range(iterations):
        numbers = chance.choice(len(settings), min(config.tables_per_iteration, len(settings)), replace=False).tolist()
        for number in numbers:
            if number not in tables:
                tables[number] = Table(settings[number], config.seed * 100_003 + number)
        parts = [tables[number].play(config.steps, explorer, KEEP) for number in numbers]
        for group in optimizer.param_groups:
            group["lr"] = RATE * (1 - iteration / iterations)
        error = fit(values, critic, optimizer, parts, chance)
        update_ema(average, values, iteration, AVERAGE)
        tell(iteration + 1, error)
    found = export_network(average)
    keep(folder / VALUES, found.save)
    return found


def fit(
    values: PolicyNetwork,
    critic: Critic,
    optimizer: torch.optim.Optimizer,
    parts: list[Experience],
    chance: np.random.Generator,
) -> float:
    """One pass over experience for values and critic.

    The mean squared error of values before each step; NaN where no match came to anything.
    """
    if not any(len(part.target) for part in parts):
        return math.nan
    numbers, hidden, answers, target = (
        torch.from_numpy(np.concatenate([getattr(part, name) for part in parts]))
        for name in ("numbers", "hidden", "answers", "target")
    )
    every = torch.ones((MINIBATCH, ACTION_COUNT), dtype=torch.bool)
    outcomes = []
    order = torch.from_numpy(chance.permutation(len(target)))
    for start in range(0, len(target), MINIBATCH):
        rows = order[start : start + MINIBATCH]
        found = values(numbers[rows], every[: len(rows)]).gather(1, answers[rows].unsqueeze(1)).squeeze(1)
        error = (found - target[rows]).square().mean()
        loss = error + (critic(numbers[rows], hidden[rows]) - target[rows]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        outcomes.append(float(error.detach()))
    return float(np.mean(outcomes))
