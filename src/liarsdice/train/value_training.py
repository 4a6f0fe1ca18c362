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

from liarsdice.bots.neural.features import ANSWERS, FEATURES, SILENT, Reading
from liarsdice.bots.neural.network import Network
from liarsdice.bots.neural.observation import Ints, Reals
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.sim.policies import Asked
from liarsdice.train.checkpoint import load_weights, read_checkpoint
from liarsdice.train.config import Plan
from liarsdice.train.curriculum import settings_of
from liarsdice.train.load_networks import network_in
from liarsdice.train.model import Critic, Player, follow, multiplies_bfloat16, network_of
from liarsdice.train.opponents import drawn
from liarsdice.train.rollout import Experience, Table
from liarsdice.train.run_folder import keep
from liarsdice.train.trainer import BEST, CHECKPOINT

VALUES = "values.npz"
TRIED, TRIED_OUT_OF_TURN = 0.15, 0.02
"""How often any legal answer is tried. Out of turn every seat is asked, and hardly any call is a good one."""
KEEP = 0.9
"""λ of what is learned from: how far the outcome counts, and not what the critic expects."""
AVERAGE = 0.01
"""How much of the average that is kept is the latest; most of what came before the last hundred iterations is gone."""
RATE = 1e-3
MINIBATCH = 4096


class Explorer:
    """Answers as a network, and now and then at random. `critic` says what is expected."""

    def __init__(self, network: Network, critic: Critic) -> None:
        self._network = network
        self._critic = critic

    def __call__(self, reading: Reading, hidden: Reals, chance: np.random.Generator) -> tuple[Ints, Reals, Reals]:
        """Answers, their chances as logarithms, and what is expected."""
        plain = self._network.purified(self._network.chances(reading.numbers, reading.legal))
        evenly = reading.legal / reading.legal.sum(axis=1, keepdims=True)
        tried = np.where(reading.legal[:, SILENT], TRIED_OUT_OF_TURN, TRIED)[:, np.newaxis]
        mixed = ((1 - tried) * plain + tried * evenly).astype(np.float32)
        answers = drawn(mixed, chance)
        with torch.inference_mode():
            values = self._critic(torch.from_numpy(reading.numbers), torch.from_numpy(hidden)).numpy()
        return answers, np.log(mixed[np.arange(len(answers)), answers]), values


def learn_values(folder: Path, plan: Plan, iterations: int, tell: Callable[[int, float], None]) -> Network:
    """Learn what answers of a run's strongest network are worth, and keep it in the run's folder.

    The network's outputs are the share of the match that is to be expected, by answer. `tell` gets the number of an
    iteration and the mean squared error. Raises `UnavailableError` where the folder holds no run or no network that
    plays by all that is seen today, and `MalformedError` where its checkpoint is damaged.
    """
    if not (folder / BEST).exists() or not (folder / CHECKPOINT).exists():
        raise UnavailableError(f"{folder} holds no trained network; run `liarsdice train -o {folder}` first")
    fast = multiplies_bfloat16("cpu")
    critic = Critic(FEATURES, plan.width, plan.layers, bfloat16=fast)  # it knows other company, and learns this one
    try:
        load_weights(critic, read_checkpoint(folder / CHECKPOINT).get("critic"))
    except (OSError, ValueError) as damage:
        raise MalformedError(f"{folder / CHECKPOINT} cannot be read: {damage}; train in another folder") from damage
    network = network_in(folder / BEST)
    if not network.up_to_date:
        raise UnavailableError(
            f"{folder / BEST} is by an older version of the program; begin another folder with it, and train there"
        )
    explorer = Explorer(network, critic)
    alone = msgspec.structs.replace(plan, sparring=0.0, against=0.0, teachers={})
    tables: dict[int, Table] = {}
    settings = [msgspec.structs.replace(one, minds=(Asked(),) * len(one.minds)) for one in settings_of(alone)]
    chance = np.random.default_rng((plan.seed, iterations))
    values = Player(FEATURES, plan.width, plan.layers, bfloat16=fast)
    average = Player(FEATURES, plan.width, plan.layers)
    optimizer = torch.optim.Adam([*values.parameters(), *critic.parameters()], lr=RATE)
    for iteration in range(iterations):
        numbers = chance.choice(len(settings), min(plan.at_once, len(settings)), replace=False).tolist()
        for number in numbers:
            if number not in tables:
                tables[number] = Table(settings[number], plan.seed * 100_003 + number)
        parts = [tables[number].play(plan.steps, explorer, KEEP) for number in numbers]
        for group in optimizer.param_groups:
            group["lr"] = RATE * (1 - iteration / iterations)
        error = fit(values, critic, optimizer, parts, chance)
        follow(average, values, iteration, AVERAGE)
        tell(iteration + 1, error)
    found = network_of(average)
    keep(folder / VALUES, found.save)
    return found


def fit(
    values: Player,
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
    every = torch.ones((MINIBATCH, ANSWERS), dtype=torch.bool)
    told = []
    order = torch.from_numpy(chance.permutation(len(target)))
    for start in range(0, len(target), MINIBATCH):
        rows = order[start : start + MINIBATCH]
        found = values(numbers[rows], every[: len(rows)]).gather(1, answers[rows].unsqueeze(1)).squeeze(1)
        error = (found - target[rows]).square().mean()
        loss = error + (critic(numbers[rows], hidden[rows]) - target[rows]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        told.append(float(error.detach()))
    return float(np.mean(told))
