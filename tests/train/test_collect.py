"""Experience gathered here and by Ray's actors."""

from __future__ import annotations

import numpy as np
import torch

from liarsdice.bots.neural.features import FEATURE_COUNT
from liarsdice.train.collect import Weights, choose_tables, collect_locally, collect_with_ray
from liarsdice.train.config import TrainingConfig
from liarsdice.train.model import Critic, PolicyNetwork
from liarsdice.train.rollout import Experience

CONFIG_FILE = TrainingConfig(
    rules=("perudo",), iterations=2, width=8, layers=1, tables=6, tables_per_iteration=4, matches=8, steps=8
)


def weights() -> Weights:
    torch.manual_seed(1)
    return PolicyNetwork(FEATURE_COUNT, 8, 1).state_dict(), Critic(FEATURE_COUNT, 8, 1).state_dict()


def same(left: Experience, right: Experience) -> bool:
    return all(np.array_equal(getattr(left, name), getattr(right, name)) for name in left._fields)


def test_ray_gathers_the_same() -> None:
    here, known = collect_locally(CONFIG_FILE), weights()
    wanted = [here(iteration, known) for iteration in range(2)]
    with collect_with_ray(CONFIG_FILE) as gather:
        found = [gather(iteration, known) for iteration in range(2)]
    for left, right in zip(wanted, found, strict=True):
        assert len(left) == len(right) == CONFIG_FILE.tables_per_iteration
        assert all(same(one, other) for one, other in zip(left, right, strict=True))


def test_each_table_has_chance_of_its_own() -> None:
    known = weights()
    both, one = collect_locally(CONFIG_FILE), collect_locally(CONFIG_FILE)
    assert choose_tables(CONFIG_FILE, 0) != choose_tables(CONFIG_FILE, 1)
    first = both(0, known)
    assert not same(first[0], first[1])
    assert all(same(left, right) for left, right in zip(first, one(0, known), strict=True))
