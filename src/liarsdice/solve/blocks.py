"""What the compiled walk reads and writes: names for the places in its arrays, and the arrays in bundles.

All arrays of numbers have one type, float32 to learn and float64 to check. What belongs to a node is a block of `n`
numbers, hands times lanes with the lanes side by side. An action's block holds regrets (`learned`), the last ones alone
(`foreseen`, PCFR+ only, whose `learned` are regrets with the foreseen ones added), or play added up (`summed`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Reals = NDArray[Any]
"""float32 or float64, one of them throughout a call."""

LEARN, RESPOND = 0, 1
"""Walk to learn from regrets, or to find the best response to summed play."""
COMPARE, FORESEE = 0, 1
"""What becomes of a regret: multiplied and kept above a floor (DCFR, CFR+), or foreseen as well (PCFR+)."""
DOWN, UP = 1, 2
"""Whether a walk begins and ends at the root, and not where the branches do."""
FIELDS = 15
MOVER, MINE, THEIRS, ACTIVE, CHILDREN, CALLS, MINE_AT, THEIRS_AT = range(8)
ACTIVE_AT, SILENT_AT, SILENT, CHILDREN_AT, MY_CLASSES, THEIR_CLASSES, WORTH_AT = range(8, FIELDS)
KIND, PARENT, ACTION, GROUP, LANE, FIRST = range(6)
ZERO, ONE, LOSS, TINY, COUNTS = range(5)
KEEP, FORGET, WEIGHT, FLOOR = range(4)


class Plan(NamedTuple):
    """Where everything is: see `tree.Layout`. `payoffs` are real numbers, all others whole ones."""

    kinds: Ints
    lists: Ints
    payoffs: Reals
    stem: Ints
    actions: Ints
    branches: Ints
    lanes: Ints


class Memory(NamedTuple):
    """What is learned, by row and lane."""

    learned: Reals
    foreseen: Reals
    summed: Reals


class Stem(NamedTuple):
    """Numbers of the first few nodes: `ways[node, seat, hand]`, `worth[node, action, hand]`, `totals[node, hand]`."""

    ways: Reals
    norms: Reals
    evens: Reals
    worth: Reals
    totals: Reals


class Work(NamedTuple):
    """Numbers of the nodes on the way down to where a walk is, by depth, and places for what lives shorter still."""

    reach: Reals
    values: Reals
    norms: Reals
    evens: Reals
    mines: Reals
    bests: Reals
    temp: Reals
    buckets: Reals
    by_class: Reals
    stack: Ints


class Terms(NamedTuple):
    """For whom a walk is, and how it learns."""

    consts: Reals
    weights: Reals
    player: int
    mode: int
    rule: int


class Node(NamedTuple):
    """A node that is being walked: its kind, first row and lanes, and its blocks.

    `whole`: how likely the mover's hands come here; `mine`: the same of those that decide. `theirs`: the bidder's.
    `best`: what deciding hands of the player who learns win; `value`: what all hands of that player win.
    """

    kind: Ints
    first: int
    lanes: int
    whole: Reals
    mine: Reals
    theirs: Reals
    norm: Reals
    even: Reals
    best: Reals
    value: Reals
