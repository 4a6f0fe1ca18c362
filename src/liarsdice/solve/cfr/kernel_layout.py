"""Layout of the CFR kernel's arrays: names for the places in them, and the tuples that the kernel takes.

Import the module as a namespace (`from liarsdice.solve.cfr import kernel_layout as layout`). All real arrays of one
call have one dtype: float32 to learn, float64 to check. Numbers that belong to a node form a *block* of hands times
lanes, lanes side by side. `Memory` has one block for each action of a node and each of its deciding hands.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Int64Array = NDArray[np.int64]
RealArray = NDArray[Any]
"""float32 or float64, one of them throughout a call."""

LEARN, RESPOND = 0, 1
"""Modes of a walk: update regrets and the average strategy, or compute a best response to the average strategy."""
DISCOUNTED, PREDICTIVE = 0, 1
"""Regret updates: discounted and kept above a floor (DCFR, CFR+), or with the latest regret as a prediction (PCFR+)."""
DOWN, UP = 1, 2
"""Directions of a walk (bits): a subtree is walked in both, a stem node first down and later up."""

TYPE_FIELDS = 15
MOVER, MOVER_HANDS, BIDDER_HANDS, DECIDING, CHILDREN, CALLS, MOVER_BUCKETS_AT, BIDDER_BUCKETS_AT = range(8)
DECIDING_AT, SURE_CALLERS_AT, SURE_CALLERS, CHILDREN_AT, MOVER_BUCKETS, BIDDER_BUCKETS, PAYOFFS_AT = range(
    8, TYPE_FIELDS
)
"""Indices into a row of `TreeArrays.types`.

The mover's seat; how many hands the mover, the bidder and those who decide have; how many children and calls there are;
and where lists begin in `TreeArrays.lists` (`_AT`): the bucket of each hand (hands in a bucket are worth the same in
every call), the deciding hands followed by their buckets, the certain callers, and for each child its type and the
offset of its rows. Then the number of buckets of each player, and where the payoffs of the calls begin in
`TreeArrays.payoffs`.
"""

FRAME_FIELDS = 7
TYPE, FIRST_ROW, LANES, ACTION, PARENT, REACH_FRAMES = range(6)
"""Indices into a frame of `Workspace.frames`.

The type of the node, its first row in memory, its lanes, the action that is being walked, the frame to return to, and
by seat (two fields) the frame whose block holds the reach probabilities of that seat's hands.
"""

ZERO, MIN_VALUE, TINY, INTEGERS = range(4)
"""Indices into `WalkSettings.constants`: 0, a value below all others, the smallest sum with a usable inverse, and from
`INTEGERS` on the numbers 0, 1, 2 ... as reals."""
POSITIVE_DISCOUNT, NEGATIVE_DISCOUNT, AVERAGE_WEIGHT, REGRET_FLOOR = range(4)
"""Indices into `WalkSettings.weights`: factors of old regrets by their sign, the weight of this iteration's strategy in
the average, and the lowest regret that is kept."""

BLOCKS = 7
INVERSE_SUM, UNIFORM, DECIDING_REACH, DECIDING_VALUE, VALUE = range(2, BLOCKS)
"""Blocks of a frame; the first two (0 and 1) are the reach probabilities of each seat's hands.

A hand takes an action with probability max(regret, 0) x `INVERSE_SUM` + `UNIFORM`. `DECIDING_REACH`, `DECIDING_VALUE`:
reach and value of the hands that decide, apart from those that surely call. `VALUE`: the values of all hands.
"""


class TreeArrays(NamedTuple):
    """A public tree: see `tree_layout.TreeLayout`. `payoffs` has the dtype of the call, the others are int64."""

    types: Int64Array
    lists: Int64Array
    payoffs: RealArray
    links: Int64Array


class Memory(NamedTuple):
    """What is learned, real [row x lane].

    `regret`: cumulative regrets; in PCFR+ with the prediction added. `predicted_regret`: the latest regret alone (PCFR+
    only, else empty). `strategy_sum`: the weighted sum of strategies, whose normalisation is the average strategy.
    """

    regret: RealArray
    predicted_regret: RealArray
    strategy_sum: RealArray


class Workspace(NamedTuple):
    """Frames of the stem's nodes and of the subtrees' roots, and from `first_frame` on of nodes on the way down.

    `frames`: int64 [frame x FRAME_FIELDS]. `blocks`: real [frame x BLOCKS x block_size]. `buckets`: real, the reach
    of hand buckets. `bucket_values`: real, what a call wins by bucket. `block_size`: numbers in the largest block.
    """

    frames: Int64Array
    blocks: RealArray
    buckets: RealArray
    bucket_values: RealArray
    first_frame: int
    block_size: int


class WalkSettings(NamedTuple):
    """Settings of a walk: `constants` and `weights` by the names above, its mode and its regret update."""

    constants: RealArray
    weights: RealArray
    mode: int
    regret_update: int


class Node(NamedTuple):
    """The node in a frame, with the offsets of its blocks in `Workspace.blocks`.

    `fields`: its row of `TreeArrays.types`. `learner_moves`: whether the player who learns (or responds) is on turn.
    `mover_reach`: of all hands of the mover; `deciding_reach`: of those that decide. `deciding_value`, `value`: of the
    learner's hands. `action_reach`, `action_value`: of the action that is being walked.
    """

    fields: Int64Array
    learner_moves: bool
    first_row: int
    lanes: int
    mover_reach: int
    deciding_reach: int
    bidder_reach: int
    inverse_sum: int
    uniform: int
    deciding_value: int
    value: int
    action_reach: int
    action_value: int


class Call(NamedTuple):
    """A call of the mover of a node, or the call that ends the round after a raise, because every hand makes it.

    `fields`: the row of `TreeArrays.types` of the node where the call is made. `number`: which of its calls.
    `by_mover`, `by_learner`: whether the caller is the mover of the walked node, and whether it is the learner.
    `opposing`, `own`: how many hands of the opponent and of the learner take part. `_buckets_at`: where their buckets
    begin in `TreeArrays.lists`.
    """

    fields: Int64Array
    number: int
    by_mover: bool
    by_learner: bool
    opposing: int
    opposing_buckets_at: int
    own: int
    own_buckets_at: int
