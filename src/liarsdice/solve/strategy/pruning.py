"""Pruned strategies: only the decisions that a strategy itself comes to, in few bytes.

A player who follows a strategy never makes the decisions after an action that the strategy does not take. What the
strategy says there changes nothing of what it guarantees, so a pruned strategy leaves it out. Its weights are uint16,
and zero at the decisions left out. They are written in the order of a walk that the reader repeats, so positions need
not be stored.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.core.errors import MalformedError
from liarsdice.solve.game.round_game import PublicTree, SubtreeType
from liarsdice.solve.strategy.reach import Int64Array

PrunedWeights = NDArray[np.uint16]
DecisionWeights = Callable[[int, Int64Array, Int64Array], PrunedWeights]
"""`weights(type_id, first_rows, hands)`: the weights at decisions, uint16 [decision, action]. `first_rows`, `hands`:
int64 [decision], where the rows of the node begin, and the position among its deciding hands."""


class _Held(NamedTuple):
    """Nodes of one type, and which hands of a seat may come to each.

    `first_rows`: int64 [node]. `hands`: bool [node, hand of the seat in the order of the type].
    """

    first_rows: Int64Array
    hands: NDArray[np.bool_]


def encode_decisions(tree: PublicTree, weights: PrunedWeights) -> bytes:
    """Return the weights of a pruned strategy, uint16 [row], as compressed bytes."""
    parts: list[PrunedWeights] = []

    def collect(type_id: int, first_rows: Int64Array, hands: Int64Array) -> PrunedWeights:
        found = _decision_weights(tree.subtree_types[type_id], weights, first_rows, hands)
        parts.append(found.ravel())
        return found

    walk_decisions(tree, collect)
    stream = np.concatenate(parts).astype("<u2")
    return zlib.compress(stream.view(np.uint8).reshape(-1, 2).T.tobytes(), 9)  # all low bytes, then all high bytes


def decode_decisions(tree: PublicTree, compressed: bytes) -> PrunedWeights:
    """Return the weights that `encode_decisions` wrote, uint16 [row].

    Raises `MalformedError` if they are too few or too many for the tree, and `zlib.error` if they are no such bytes.
    """
    limit = 2 * tree.subtree_types[tree.root].subtree_rows
    raw = np.frombuffer(zlib.decompressobj().decompress(compressed, limit + 2), np.uint8)
    if len(raw) % 2:
        raise MalformedError("half an action weight is missing")
    stream = np.ascontiguousarray(raw.reshape(2, -1).T).view("<u2").ravel().astype(np.uint16)
    position = 0

    def read(type_id: int, _: Int64Array, hands: Int64Array) -> PrunedWeights:
        nonlocal position
        shape = len(hands), tree.subtree_types[type_id].action_count
        start, position = position, position + shape[0] * shape[1]
        if position > len(stream):
            raise MalformedError("there are too few action weights for this tree")
        found: PrunedWeights = stream[start:position].reshape(shape)
        if not found.any(axis=1).all():
            raise MalformedError("there is a decision without any action")
        return found

    weights = walk_decisions(tree, read)
    if position != len(stream):
        raise MalformedError("there are too many action weights for this tree")
    return weights


def walk_decisions(tree: PublicTree, decision_weights: DecisionWeights) -> PrunedWeights:
    """Visit all decisions that a player comes to who takes only actions with a weight, seat after seat.

    Returns the weights in the row order of the tree, uint16 [row]; zero where no player comes.
    """
    weights = np.zeros(tree.subtree_types[tree.root].subtree_rows, np.uint16)
    for seat in (0, 1):
        everything = np.ones((1, len(tree.game.hands[seat])), np.bool_)
        waiting: dict[int, list[_Held]] = defaultdict(list, {tree.root: [_Held(np.zeros(1, np.int64), everything)]})
        for type_id in range(tree.root, -1, -1):  # children have lower indices
            parts = waiting.pop(type_id, [])
            subtree = tree.subtree_types[type_id]
            if not parts or not subtree.deciding:
                continue
            held = _Held(
                np.concatenate([part.first_rows for part in parts]), np.concatenate([part.hands for part in parts])
            )
            is_mover = tree.game.situations[subtree.situation].mover == seat
            for child, below in (
                _own_children(tree, type_id, held, decision_weights, weights)
                if is_mover
                else _children(tree, subtree, held)
            ):
                waiting[child].append(below)
    return weights


def _own_children(
    tree: PublicTree, type_id: int, held: _Held, decision_weights: DecisionWeights, weights: PrunedWeights
) -> list[tuple[int, _Held]]:
    """Write the weights of the mover's decisions, and return the nodes below with the hands that come to them."""
    subtree = tree.subtree_types[type_id]
    nodes, hands = np.nonzero(held.hands[:, list(subtree.deciding)])
    by_node = np.zeros((len(held.first_rows), subtree.action_count, len(subtree.deciding)), np.uint16)
    by_node[nodes, :, hands] = decision_weights(type_id, held.first_rows[nodes], hands)
    rows = held.first_rows[:, np.newaxis] + np.arange(subtree.row_count)
    weights[rows] = by_node.reshape(len(rows), subtree.row_count)
    first_bid = subtree.action_count - len(subtree.children)
    below = []
    for place, (child, nodes_below) in enumerate(_children(tree, subtree, held)):
        raising = by_node[:, first_bid + place] > 0
        some = raising.any(axis=1)
        if some.any():
            below.append((child, _Held(nodes_below.first_rows[some], raising[some])))
    return below


def _children(tree: PublicTree, subtree: SubtreeType, held: _Held) -> list[tuple[int, _Held]]:
    """Return the nodes after each raise, with the same hands."""
    below, offset = [], subtree.row_count
    for child in subtree.children:
        below.append((child, _Held(held.first_rows + offset, held.hands)))
        offset += tree.subtree_types[child].subtree_rows
    return below


def _decision_weights(
    subtree: SubtreeType, weights: PrunedWeights, first_rows: Int64Array, hands: Int64Array
) -> PrunedWeights:
    """Return the weights of decisions, uint16 [decision, action], from those of all rows."""
    actions = np.arange(subtree.action_count) * len(subtree.deciding)
    found: PrunedWeights = weights[first_rows[:, np.newaxis] + actions + hands[:, np.newaxis]]
    return found
