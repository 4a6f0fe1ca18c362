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
"""Which way to walk: a subtree is walked both ways, a node of the stem alone first down and later up."""
FIELDS = 15
MOVER, MINE, THEIRS, ACTIVE, CHILDREN, CALLS, MINE_AT, THEIRS_AT = range(8)
ACTIVE_AT, SILENT_AT, SILENT, CHILDREN_AT, MY_CLASSES, THEIR_CLASSES, WORTH_AT = range(8, FIELDS)
FRAME = 7
KIND, FIRST, LANES, ACTION, ABOVE, WAYS = range(6)
ZERO, LOSS, TINY, COUNTS = range(4)
KEEP, FORGET, WEIGHT, FLOOR = range(4)
BLOCKS = 7
NORM, EVEN, PLAYED, BEST, VALUE = range(2, BLOCKS)


class Plan(NamedTuple):
    """Where everything is: see `layout.Layout`. `payoffs` are real numbers, all others whole ones."""

    kinds: Ints
    lists: Ints
    payoffs: Reals
    links: Ints


class Memory(NamedTuple):
    """What is learned, by row and lane."""

    learned: Reals
    foreseen: Reals
    summed: Reals


class Work(NamedTuple):
    """Frames of the nodes of the stem, of the roots of subtrees, and from `base` on of nodes on the way down.

    `frames`: by frame the node's kind, first row and lanes, the action that is on the way, the frame to return to, and
    by seat the frame that tells how likely hands come here. `blocks`: by frame and block so many numbers as the
    `widest` has, by seat how likely hands come, then what `Node` has. Buckets and what classes win live shorter.
    """

    frames: Ints
    blocks: Reals
    buckets: Reals
    by_class: Reals
    base: int
    widest: int


class Terms(NamedTuple):
    """How a walk learns."""

    consts: Reals
    weights: Reals
    mode: int
    rule: int


class Node(NamedTuple):
    """A node that is being walked: its kind, whether the learner is on turn, first row and lanes, and where blocks are.

    `whole`: how likely the mover's hands come here; `mine`: the same of those that decide. `theirs`: the bidder's.
    `best`: what deciding hands of the player who learns win; `value`: what all hands of that player win. `sent`: how
    likely the mover's hands take the action that is on the way; `told`: what it is worth.
    """

    kind: Ints
    own: bool
    first: int
    lanes: int
    whole: int
    mine: int
    theirs: int
    norm: int
    even: int
    best: int
    value: int
    sent: int
    told: int
