"""The numbers of CFR on a recall graph: what is learned, and what an iteration computes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.solve.blueprint.recall_graph import GraphArrays

Float32Array = NDArray[np.float32]


class Learned(NamedTuple):
    """The numbers that are learned.

    By row (`GraphArrays.first_row`), float32: `regrets`, never negative, and `sums` of the strategies, weighted by
    iteration and by how likely each hand is at the node. `value`: float64 [1], the mean value of the round to seat 0,
    weighted by iteration.
    """

    regrets: Float32Array
    sums: Float32Array
    value: NDArray[np.float64]


class Pass(NamedTuple):
    """What a pass over the nodes computes, float32.

    `reach`: [node, hand of the mover * hand of the other], how likely both have these hands and come to the node.
    `values`: likewise, what the node is worth to the mover. `own_reach`: [node, hand of the learner], how likely its
    own play leads there if the other makes each action equally often. Scratch space: `blocks` [action, hand of the
    mover, hand of the other], `even` [hand of the mover, hand of the other], `strategy` and `gains`
    [action, hand], `masses` [hand].
    """

    reach: Float32Array
    values: Float32Array
    own_reach: Float32Array
    blocks: Float32Array
    even: Float32Array
    strategy: Float32Array
    masses: Float32Array
    gains: Float32Array


def make_learned(graph: GraphArrays) -> Learned:
    """Return the numbers before the first iteration."""
    rows = int(graph.first_row[-1])
    return Learned(np.zeros(rows, np.float32), np.zeros(rows, np.float32), np.zeros(1))


def make_pass(graph: GraphArrays) -> Pass:
    """Return the arrays of a pass, with the reach of the root."""
    nodes, hands = len(graph.movers), graph.hand_probs.shape[1]
    first, second = (int(count) for count in graph.hand_counts)
    actions = int((graph.calls + np.diff(graph.first_child)).max())
    reach = np.zeros((nodes, first * second), np.float32)
    reach[0] = np.outer(graph.hand_probs[0, :first], graph.hand_probs[1, :second]).ravel()
    return Pass(
        reach,
        np.zeros_like(reach),
        np.zeros((nodes, hands), np.float32),
        np.zeros((actions, hands, hands), np.float32),
        np.zeros((hands, hands), np.float32),
        np.zeros((actions, hands), np.float32),
        np.zeros(hands, np.float32),
        np.zeros((actions, hands), np.float32),
    )


def bytes_needed(graph: GraphArrays) -> int:
    """Return how many bytes learning takes, with a uint8 of the result for each row."""
    matrices = len(graph.movers) * int(graph.hand_counts.prod())
    return int(graph.first_row[-1]) * 9 + matrices * 8
