"""Collects experience: plays the tables of a run in this process, in others, or with Ray on any number of machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from liarsdice.bots.neural.features import FEATURE_COUNT
from liarsdice.runtime.processes import single_worker
from liarsdice.runtime.ray_cluster import ray_running
from liarsdice_lab.train.config import TrainingConfig
from liarsdice_lab.train.curriculum import make_table_setups
from liarsdice_lab.train.model import Actor, Critic, PolicyNetwork, has_fast_bfloat16
from liarsdice_lab.train.rollout import Experience, TrainingTable

Weights = tuple[dict[str, Tensor], dict[str, Tensor]]
"""The state dictionaries of a policy and its critic."""
CollectExperience = Callable[[int, Weights], list[Experience]]
"""A function from the number of an iteration and the weights to the experience of each table."""


class Collector:
    """Plays the tables of a configuration. Each has its own seed, and its matches continue in the next iteration."""

    def __init__(self, config: TrainingConfig, device: str = "cpu") -> None:
        self._config = config
        fast = has_fast_bfloat16(device)
        self._policy = PolicyNetwork(FEATURE_COUNT, config.width, config.layers, bfloat16=fast).to(device)
        self._critic = Critic(FEATURE_COUNT, config.width, config.layers, bfloat16=fast).to(device)
        self._actor = Actor(self._policy, self._critic, device)
        self._setups = make_table_setups(config)
        self._tables: dict[int, TrainingTable] = {}

    def collect(self, iteration: int, table_ids: list[int], weights: Weights) -> list[Experience]:
        """Play `config.steps` decisions in each match of some tables with these weights; returns one item a table."""
        config = self._config
        self._policy.load_state_dict(weights[0])
        self._critic.load_state_dict(weights[1])
        for table_id in table_ids:
            if table_id not in self._tables:
                seed = config.seed * 100_003 + table_id * 1_009 + iteration
                self._tables[table_id] = TrainingTable(self._setups[table_id], seed)
        return [self._tables[table_id].play(config.steps, self._actor, config.ppo.gae_lambda) for table_id in table_ids]


def choose_tables(config: TrainingConfig, iteration: int) -> list[int]:
    """Return the indices of the tables that play in an iteration; the seed and the iteration determine them."""
    rng = np.random.default_rng((config.seed, iteration))
    table_ids: list[int] = rng.choice(config.tables, config.tables_per_iteration, replace=False).tolist()
    return table_ids


def collect_locally(config: TrainingConfig, device: str = "cpu") -> CollectExperience:
    """Return a function that plays in this process."""
    collector = Collector(config, device)
    return lambda iteration, weights: collector.collect(iteration, choose_tables(config, iteration), weights)


@contextmanager
def collect_with_processes(config: TrainingConfig, workers: int) -> Iterator[CollectExperience]:
    """Return a function that plays in so many processes of this machine, an iteration ahead of learning.

    The experience is that of `collect_with_ray`, whatever the number of processes.
    """
    with ExitStack() as stack:
        pools = [stack.enter_context(single_worker(_start_collector, (config,))) for _ in range(workers)]

        def submit(index: int, iteration: int, table_ids: list[int], weights: Weights) -> Callable[[], Any]:
            return pools[index].submit(_collect, iteration, table_ids, weights).result

        yield _collect_ahead(config, workers, submit)


_COLLECTORS: list[Collector] = []
"""The collector of a worker process."""


def _start_collector(config: TrainingConfig) -> None:
    torch.set_num_threads(1)
    _COLLECTORS.append(Collector(config))


def _collect(iteration: int, table_ids: list[int], weights: Weights) -> list[Experience]:
    return _COLLECTORS[0].collect(iteration, table_ids, weights)


@contextmanager
def collect_with_ray(config: TrainingConfig) -> Iterator[CollectExperience]:
    """Return a function that plays with Ray's actors, one for each processor but one, an iteration ahead of learning.

    An iteration plays with the weights that the iteration before it began with, whatever the number of actors. Raises
    `UnavailableError` if Ray is not installed.
    """
    with ray_running() as (ray, processors):
        actor_class = ray.remote(num_cpus=1)(Collector)
        actors: list[Any] = [actor_class.remote(config) for _ in range(max(1, processors - 1))]

        def submit(index: int, iteration: int, table_ids: list[int], weights: Weights) -> Callable[[], Any]:
            return partial(ray.get, actors[index].collect.remote(iteration, table_ids, weights))

        yield _collect_ahead(config, len(actors), submit, share=ray.put)


def _collect_ahead(
    config: TrainingConfig,
    workers: int,
    submit: Callable[[int, int, list[int], Any], Callable[[], Any]],
    share: Callable[[Weights], Any] = lambda weights: weights,
) -> CollectExperience:
    """Return a function that collects an iteration while the one before is learned from.

    `submit(worker, iteration, table_ids, weights)` starts to play and returns a function that waits for the result.
    `share`: makes the weights ready for being sent to several workers. Each table is always played by the same worker.
    """
    pending: dict[int, list[tuple[list[int], Callable[[], Any]]]] = {}

    def start(iteration: int, weights: Weights) -> None:
        shared_weights = share(weights)
        tables_by_worker: dict[int, list[int]] = {}
        for table_id in choose_tables(config, iteration):
            tables_by_worker.setdefault(table_id % workers, []).append(table_id)
        pending[iteration] = [
            (table_ids, submit(index, iteration, table_ids, shared_weights))
            for index, table_ids in tables_by_worker.items()
        ]

    def collect(iteration: int, weights: Weights) -> list[Experience]:
        if iteration not in pending:
            start(iteration, weights)
        if iteration + 1 < config.iterations:
            start(iteration + 1, weights)
        experience: dict[int, Experience] = {}
        for table_ids, result in pending.pop(iteration):
            experience |= zip(table_ids, result(), strict=True)
        return [experience[table_id] for table_id in choose_tables(config, iteration)]

    return collect
