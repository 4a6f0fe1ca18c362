"""Experience collected in this process and in others."""

from __future__ import annotations

import multiprocessing

import numpy as np
import pytest
import torch

from liarsdice.bots.neural.features import FEATURE_COUNT
from liarsdice_lab.train.collect import Weights, choose_tables, collect_locally, collect_with_processes
from liarsdice_lab.train.config import TrainingConfig
from liarsdice_lab.train.model import Critic, PolicyNetwork
from liarsdice_lab.train.rollout import Experience

CONFIG = TrainingConfig(
    rules=("perudo",), iterations=2, width=8, layers=1, tables=6, tables_per_iteration=4, matches=8, steps=8
)


def initial_weights() -> Weights:
    torch.manual_seed(1)
    return PolicyNetwork(FEATURE_COUNT, 8, 1).state_dict(), Critic(FEATURE_COUNT, 8, 1).state_dict()


def are_equal(left: Experience, right: Experience) -> bool:
    return all(np.array_equal(getattr(left, name), getattr(right, name)) for name in left._fields)


@pytest.mark.parametrize("workers", [1, 2])
def test_processes_collect_the_same_experience(workers: int) -> None:
    other_children = set(multiprocessing.active_children())
    collect, weights = collect_locally(CONFIG), initial_weights()
    expected = [collect(iteration, weights) for iteration in range(2)]
    with collect_with_processes(CONFIG, workers) as collect_in_processes:
        collected = [collect_in_processes(iteration, weights) for iteration in range(2)]
    for left, right in zip(expected, collected, strict=True):
        assert all(are_equal(*pair) for pair in zip(left, right, strict=True))
    assert set(multiprocessing.active_children()) <= other_children


def test_each_table_has_its_own_seed() -> None:
    weights = initial_weights()
    assert choose_tables(CONFIG, 0) != choose_tables(CONFIG, 1)
    first = collect_locally(CONFIG)(0, weights)
    assert not are_equal(first[0], first[1])
    again = collect_locally(CONFIG)(0, weights)
    assert all(are_equal(*pair) for pair in zip(first, again, strict=True))
