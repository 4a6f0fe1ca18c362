"""The numbers of CFR on a recall graph: what is learned, and what an iteration computes."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from liarsdice.solve.blueprint.recall_graph import GraphArrays, Path, RecallGraph

Float32Array = NDArray[np.float32]


class Learned(NamedTuple):
    """The numbers that are learned.

    By row (`GraphArrays.first_row`), float32: `regrets`, never negative, and `sums` of the strategies, weighted by
    iteration and by how likely each hand is at the node. `value`: float64 [1], the mean value of the round to seat 0 if
    both play what they learn, weighted by iteration.
    """

    regrets: Float32Array
    sums: Float32Array
    value: NDArray[np.float64]


class Models(NamedTuple):
    """Fixed opponents, each of which one seat meets with some probability (Johanson et al. 2007).

    `weights`: uint8 [model, row], those of the actions of each hand; a hand without any takes all actions alike.
    `shares`: float32 [model], how likely each is met, below 1 together. Otherwise the opponent plays what is learned.
    """

    weights: NDArray[np.uint8]
    shares: Float32Array


NO_MODELS = Models(np.zeros((0, 0), np.uint8), np.zeros(0, np.float32))
"""The opponent always plays what is learned."""


class Pass(NamedTuple):
    """What a pass over the nodes computes, float32.

    The seat that does not learn has each hand once for what is learned and once for each model, in this order.
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


def make_learned(graph: GraphArrays, sums: Float32Array | None = None) -> Learned:
    """Return the numbers before the first iteration.

    `sums`: float32 [row], the array for the sums of the strategies, in place of a new one.
    """
    rows = int(graph.first_row[-1])
    return Learned(np.zeros(rows, np.float32), np.zeros(rows, np.float32) if sums is None else sums, np.zeros(1))


def make_pass(graph: GraphArrays, models: Models = NO_MODELS) -> Pass:
    """Return the arrays of a pass."""
    nodes, hands = len(graph.movers), graph.hand_probs.shape[1]
    kinds = 1 + len(models.shares)
    actions = most_actions(graph)
    reach = np.zeros((nodes, int(graph.hand_counts.prod()) * kinds), np.float32)
    return Pass(
        reach,
        np.zeros_like(reach),
        np.zeros((nodes, hands), np.float32),
        np.zeros((actions, kinds * hands, kinds * hands), np.float32),
        np.zeros((kinds * hands, kinds * hands), np.float32),
        np.zeros((actions, kinds * hands), np.float32),
        np.zeros(kinds * hands, np.float32),
        np.zeros((actions, hands), np.float32),
    )


def bytes_needed(graph: GraphArrays, model_count: int = 0) -> int:
    """Return how many bytes learning takes, with so many models and a uint8 of the result for each row."""
    nodes, hands, kinds = len(graph.movers), int(graph.hand_probs.shape[1]), 1 + model_count
    matrices = nodes * int(graph.hand_counts.prod()) * kinds
    blocks = (most_actions(graph) + 1) * (kinds * hands) ** 2
    by_row = 9 if model_count == 0 else 13 + model_count
    return int(graph.first_row[-1]) * by_row + (2 * matrices + blocks + nodes * hands) * 4


def most_actions(graph: GraphArrays) -> int:
    """Return how many actions a node has at most."""
    return int((graph.calls + np.diff(graph.first_child)).max())


class NodeGroups(NamedTuple):
    """The nodes of a graph, group by group, so that the nodes of a group stand before all their children.

    The nodes of a group have the same standing bid and the same children, and no other node has these children.
    `members`: int64 [node]. `first_member`: int64, the index in `members` where each group begins, with one entry more
    than groups.
    """

    members: NDArray[np.int64]
    first_member: NDArray[np.int64]


def make_node_groups(graph: RecallGraph) -> NodeGroups:
    """Return the groups of the nodes of a graph. The root is the first one."""
    groups: dict[Path, list[int]] = {}
    for node, path in enumerate(graph.nodes):
        groups.setdefault(path[1 - graph.recall :], []).append(node)
    group_of = {node: key for key, members in groups.items() for node in members}
    children = {key: graph.children_of(members[0]).tolist() for key, members in groups.items()}
    order: list[Path] = []
    seen: set[Path] = set()
    stack: list[tuple[Path, bool]] = [(next(iter(groups)), False)]
    while stack:  # depth first; a group is finished after all groups below it
        key, is_finished = stack.pop()
        if is_finished:
            order.append(key)
        elif key not in seen:
            seen.add(key)
            stack.append((key, True))
            stack.extend((group_of[child], False) for child in children[key])
    order.reverse()
    sizes = [len(groups[key]) for key in order]
    return NodeGroups(
        np.array([node for key in order for node in groups[key]], np.int64),
        np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)]),
    )


OPTIONS: dict[str, Any] = {"fastmath": True, "nogil": True, "error_model": "numpy"}
TILE = 16
"""Matrices are transposed in squares of so many rows and columns."""

Function = TypeVar("Function", bound=Callable[..., Any])


def inlined(function: Function) -> Function:
    """Compile a function into the kernel."""
    return cast("Function", njit(forceinline=True, **OPTIONS)(function))


def compiled(function: Function) -> Function:
    """Compile a function that the kernel calls."""
    return cast("Function", njit(**OPTIONS)(function))


@compiled
def transpose(source: Float32Array, target: Float32Array, rows: int, columns: int) -> None:
    """Write the first rows and columns of a matrix to a flat one, with rows and columns exchanged.

    `source`: float32 [row, column], `target`: float32 [column * row].
    """
    for top in range(0, rows, TILE):
        for left in range(0, columns, TILE):
            for row in range(top, min(top + TILE, rows)):
                for column in range(left, min(left + TILE, columns)):
                    target[column * rows + row] = source[row, column]


@compiled
def transpose_back(source: Float32Array, target: Float32Array, rows: int, columns: int) -> None:
    """Write a flat matrix of so many rows and columns to another, with rows and columns exchanged and negated.

    `source`: float32 [row * column], `target`: float32 [column, row].
    """
    for top in range(0, rows, TILE):
        for left in range(0, columns, TILE):
            for column in range(left, min(left + TILE, columns)):
                for row in range(top, min(top + TILE, rows)):
                    target[column, row] = -source[row * columns + column]
