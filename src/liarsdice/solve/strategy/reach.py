"""Reach probabilities: how likely hands come to each node under given strategies, nodes of one type taken together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.solve.game.round_game import PublicTree

FloatArray = NDArray[np.float64]
Int64Array = NDArray[np.int64]
NodeProbs = Callable[[int, Int64Array], FloatArray]
"""`node_probs(type_id, first_rows)`: action probabilities at nodes of a subtree type, float64 [node, action, deciding
hand]; `first_rows` int64 [node] says where the rows of each node begin."""
MAX_NODES = 2_000_000
"""Larger trees are taken apart at the root, to save memory."""


class Nodes(NamedTuple):
    """Nodes of one subtree type.

    `first_rows`: int64 [node], where their rows begin. `reach`: by seat float64 [node, hand], the probability that the
    hand is dealt and that its player's own actions lead here; None for a seat whose strategy does not matter.
    """

    first_rows: Int64Array
    reach: tuple[FloatArray | None, FloatArray | None]

    def reach_of(self, seat: int) -> FloatArray:
        """Return the reach of a seat whose strategy matters, float64 [node, hand]."""
        reach = self.reach[seat]
        assert reach is not None
        return reach


class VisitedNodes(NamedTuple):
    """Nodes of one type with what lies below them.

    `action_reach`: float64 [node, action, deciding hand], the reach of the mover's hands times the probability of each
    action; None if the mover's strategy does not matter or no hand decides. `children`: type and nodes after each
    raise. `child_offsets`: where those nodes stand among all nodes of their type.
    """

    type_id: int
    nodes: Nodes
    action_reach: FloatArray | None
    children: list[tuple[int, Nodes]]
    child_offsets: list[int]


def root_nodes(tree: PublicTree, seats: tuple[int, ...]) -> Nodes:
    """Return the root, for the seats whose strategies matter."""
    first, second = (tree.game.hand_probs[seat][np.newaxis] if seat in seats else None for seat in (0, 1))
    return Nodes(np.zeros(1, np.int64), (first, second))


def visit_nodes(tree: PublicTree, node_probs: NodeProbs, type_id: int, nodes: Nodes) -> VisitedNodes:
    """Visit nodes of one type: compute the reach of their actions and children."""
    subtree = tree.subtree_types[type_id]
    mover = tree.game.situations[subtree.situation].mover
    mover_reach, bidder_reach = nodes.reach[mover], nodes.reach[1 - mover]
    action_reach = None
    if mover_reach is not None and subtree.deciding:
        action_reach = node_probs(type_id, nodes.first_rows) * mover_reach[:, np.newaxis, list(subtree.deciding)]
    children: list[tuple[int, Nodes]] = []
    offset = subtree.row_count
    for action, child in enumerate(subtree.children, subtree.action_count - len(subtree.children)):
        raised = None if action_reach is None else action_reach[:, action]
        reach = (raised, bidder_reach) if mover == 0 else (bidder_reach, raised)
        children.append((child, Nodes(nodes.first_rows + offset, reach)))
        offset += tree.subtree_types[child].subtree_rows
    return VisitedNodes(type_id, nodes, action_reach, children, [])


def iter_nodes_by_type(tree: PublicTree, node_probs: NodeProbs, type_id: int, nodes: Nodes) -> Iterator[VisitedNodes]:
    """Visit these nodes and all below them, all nodes of a type at once, parents first."""
    waiting: dict[int, list[Nodes]] = defaultdict(list, {type_id: [nodes]})
    node_counts: dict[int, int] = defaultdict(int)
    for current in range(type_id, -1, -1):  # children have lower indices
        parts = waiting.pop(current, [])
        if not parts:
            continue
        visited = visit_nodes(tree, node_probs, current, _concatenate(parts))
        for child, part in visited.children:
            visited.child_offsets.append(node_counts[child])
            node_counts[child] += len(part.first_rows)
            waiting[child].append(part)
        yield visited


def iter_nodes(tree: PublicTree, node_probs: NodeProbs, type_id: int, nodes: Nodes) -> Iterator[VisitedNodes]:
    """Visit these nodes and all below them, for trees of any size and in no particular order."""
    if tree.subtree_types[type_id].node_count <= MAX_NODES:
        yield from iter_nodes_by_type(tree, node_probs, type_id, nodes)
        return
    visited = visit_nodes(tree, node_probs, type_id, nodes)
    yield visited
    for child, part in visited.children:
        yield from iter_nodes(tree, node_probs, child, part)


def _concatenate(parts: list[Nodes]) -> Nodes:
    if len(parts) == 1:
        return parts[0]
    first, second = (
        None if parts[0].reach[seat] is None else np.concatenate([part.reach_of(seat) for part in parts])
        for seat in (0, 1)
    )
    return Nodes(np.concatenate([part.first_rows for part in parts]), (first, second))
