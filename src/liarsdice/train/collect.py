"""Gathering experience: the tables of a config, played in this process or by Ray's actors on any number of machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from torch import Tensor

from liarsdice.bots.neural.features import FEATURE_COUNT
from liarsdice.runtime.ray_cluster import ray_running
from liarsdice.train.config import TrainingConfig
from liarsdice.train.curriculum import make_table_setups
from liarsdice.train.model import Actor, Critic, PolicyNetwork, has_fast_bfloat16
from liarsdice.train.rollout import Experience, Table

Weights = tuple[dict[str, Tensor], dict[str, Tensor]]
"""Those of a player and its critic."""
CollectExperience = Callable[[int, Weights], list[Experience]]
"""From the number of an iteration and weights to what was gathered, table by table."""


class Collector:
    """Plays tables of a plan that go on from iteration to iteration, each with chance of its own."""

    def __init__(self, config: TrainingConfig, device: str = "cpu") -> None:
        self._config = config
        fast = has_fast_bfloat16(device)
        self._player = PolicyNetwork(FEATURE_COUNT, config.width, config.layers, bfloat16=fast).to(device)
        self._critic = Critic(FEATURE_COUNT, config.width, config.layers, bfloat16=fast).to(device)
        self._actor = Actor(self._player, self._critic, device)
        self._settings = make_table_setups(config)
        self._tables: dict[int, Table] = {}

    def play(self, iteration: int, numbers: list[int], weights: Weights) -> list[Experience]:
        """Let these tables go on with a network of these weights."""
        config = self._config
        self._player.load_state_dict(weights[0])
        self._critic.load_state_dict(weights[1])
        for number in numbers:
            if number not in self._tables:
                self._tables[number] = Table(self._settings[number], config.seed * 100_003 + number * 1_009 + iteration)
        return [self._tables[number].play(config.steps, self._actor, config.ppo.gae_lambda) for number in numbers]


def chosen(config: TrainingConfig, iteration: int) -> list[int]:
    """The tables that play in an iteration, by number."""
    chance = np.random.default_rng((config.seed, iteration))
    numbers: list[int] = chance.choice(config.tables, config.tables_per_iteration, replace=False).tolist()
    return numbers


def collect_locally(config: TrainingConfig, device: str = "cpu") -> CollectExperience:
    """Play in this process."""
    gatherer = Collector(config, device)
    return lambda iteration, weights: gatherer.play(iteration, chosen(config, iteration), weights)


@contextmanager
def collect_with_ray(config: TrainingConfig) -> Iterator[CollectExperience]:
    """Play by Ray's actors, one for each processor but the learner's, an iteration ahead of learning.

    The weights of an iteration are those that the one before it began with, whatever the number of actors. Raises
    `UnavailableError` where Ray isn't installed.
    """
    with ray_running() as (ray, processors):
        actor = ray.remote(num_cpus=1)(Collector)
        actors: list[Any] = [actor.remote(config) for _ in range(max(1, processors - 1))]
        asked: dict[int, list[tuple[list[int], Any]]] = {}

        def ask(iteration: int, weights: Weights) -> None:
            shared = ray.put(weights)
            parts: dict[int, list[int]] = {}
            for number in chosen(config, iteration):
                parts.setdefault(number % len(actors), []).append(number)
            asked[iteration] = [
                (part, actors[place].play.remote(iteration, part, shared)) for place, part in parts.items()
            ]

        def gather(iteration: int, weights: Weights) -> list[Experience]:
            if iteration not in asked:
                ask(iteration, weights)
            if iteration + 1 < config.iterations:
                ask(iteration + 1, weights)
            found: dict[int, Experience] = {}
            for numbers, answer in asked.pop(iteration):
                found |= zip(numbers, ray.get(answer), strict=True)
            return [found[number] for number in chosen(config, iteration)]

        yield gather
