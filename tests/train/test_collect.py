"""Experience gathered here and by Ray's actors."""

from __future__ import annotations

import numpy as np
import torch

from liarsdice.bots.neural.features import FEATURES
from liarsdice.train.collect import Weights, chosen, gather_by_ray, gather_here
from liarsdice.train.config import Plan
from liarsdice.train.model import Critic, Player
from liarsdice.train.rollout import Experience

PLAN = Plan(rules=("perudo",), iterations=2, width=8, layers=1, tables=6, at_once=4, matches=8, steps=8)


def weights() -> Weights:
    torch.manual_seed(1)
    return Player(FEATURES, 8, 1).state_dict(), Critic(FEATURES, 8, 1).state_dict()


def same(left: Experience, right: Experience) -> bool:
    return all(np.array_equal(getattr(left, name), getattr(right, name)) for name in left._fields)


def test_ray_gathers_the_same() -> None:
    here, known = gather_here(PLAN), weights()
    wanted = [here(iteration, known) for iteration in range(2)]
    with gather_by_ray(PLAN) as gather:
        found = [gather(iteration, known) for iteration in range(2)]
    for left, right in zip(wanted, found, strict=True):
        assert len(left) == len(right) == PLAN.at_once
        assert all(same(one, other) for one, other in zip(left, right, strict=True))


def test_each_table_has_chance_of_its_own() -> None:
    known = weights()
    both, one = gather_here(PLAN), gather_here(PLAN)
    assert chosen(PLAN, 0) != chosen(PLAN, 1)
    first = both(0, known)
    assert not same(first[0], first[1])
    assert all(same(left, right) for left, right in zip(first, one(0, known), strict=True))
