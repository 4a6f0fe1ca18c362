"""The numbers of Monte Carlo CFR: what is learned, what a walk keeps, and how it samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Float32Array = NDArray[np.float32]


class Learned(NamedTuple):
    """The numbers that are learned.

    By row (`GraphArrays.first_row`), float32: `regrets`, and `sums` of the strategies, weighted by iteration and by how
    likely the own play comes to the node. `baseline`: float32 [hand], the mean value of the first decision, weighted by
    iteration. `rng`: uint64 [1], the state of the random numbers, not 0.
    """

    regrets: Float32Array
    sums: Float32Array
    baseline: Float32Array
    rng: NDArray[np.uint64]


class Walk(NamedTuple):
    """What a walk keeps for each depth.

    float32: `strategy` and `values` [depth, action, hand] (values of actions), `reach` [depth, hand] of the other seat,
    `value` [depth, hand] of the learner, `keep` [depth, action] (the weight of an action that was entered; 0 if it was
    not), `scale` [depth] (the weight of what a node learns). `node`, `next_action`: int64 [depth]. Scratch space,
    float32: `totals` [hand], `weights` and `by_bucket` [bucket], `masses` [action].
    """

    strategy: Float32Array
    values: Float32Array
    reach: Float32Array
    value: Float32Array
    keep: Float32Array
    scale: Float32Array
    node: NDArray[np.int64]
    next_action: NDArray[np.int64]
    totals: Float32Array
    weights: Float32Array
    by_bucket: Float32Array
    masses: Float32Array


class WalkSettings(NamedTuple):
    """How raises are sampled.

    `roulette`: an own raise is entered with this many times its mean probability, and always if that is 1 or more.
    `min_keep` (0..1): but at least with this probability. `explore` (0..1): the share of the other seat's raises that
    is sampled evenly.
    """

    roulette: float = 3.0
    min_keep: float = 0.1
    explore: float = 0.2
