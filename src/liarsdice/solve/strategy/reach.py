"""Reach probabilities: how likely hands come to each node under given strategies, nodes of one type taken together."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.solve.round_game import PublicTree

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
    first_raise = subtree.action_count - len(subtree.children)
    for slot, (child, offset) in enumerate(zip(subtree.children, subtree.child_offsets, strict=True)):
        raised = None if action_reach is None else action_reach[:, first_raise + slot]
        reach = (raised, bidder_reach) if mover == 0 else (bidder_reach, raised)
        children.append((child, Nodes(nodes.first_rows + offset, reach)))
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


class BestResponse:
    """A seat's best response to the other seat's `node_probs`.

    `outcome_values`: float64 [outcome], what each is worth to seat 0. `min_prob` (0..1): the response takes only
    actions to which `node_probs` gives its own hand at least this probability.
    """

    def __init__(
        self, tree: PublicTree, node_probs: NodeProbs, seat: int, outcome_values: FloatArray, *, min_prob: float = 0.0
    ) -> None:
        self._tree = tree
        self._node_probs = node_probs
        self._seat = seat
        self._outcome_values = outcome_values
        self._min_prob = min_prob

    def value(self) -> float:
        """Return the most that the seat can win on average."""
        values = self._values(self._tree.root, root_nodes(self._tree, (1 - self._seat,)))
        return float(values[0] @ self._tree.game.hand_probs[self._seat])

    def _values(self, type_id: int, nodes: Nodes) -> FloatArray:
        """Return what each hand of the seat wins at nodes of a type, weighted by the opponent's reach: [node, hand]."""
        if self._tree.subtree_types[type_id].node_count > MAX_NODES:
            visited = visit_nodes(self._tree, self._node_probs, type_id, nodes)
            return self._values_at(visited, [self._values(*child) for child in visited.children])
        by_type: dict[int, FloatArray] = {}
        for visited in reversed(list(iter_nodes_by_type(self._tree, self._node_probs, type_id, nodes))):
            offsets, count = visited.child_offsets, len(visited.nodes.first_rows)
            child_values = [
                by_type[child][offset : offset + count]
                for (child, _), offset in zip(visited.children, offsets, strict=True)
            ]
            by_type[visited.type_id] = self._values_at(visited, child_values)
        return by_type[type_id]

    def _values_at(self, visited: VisitedNodes, child_values: list[FloatArray]) -> FloatArray:
        """`_values` of nodes whose children have these values."""
        subtree, reach = self._tree.subtree_types[visited.type_id], visited.nodes.reach_of(1 - self._seat)
        situation = self._tree.game.situations[subtree.situation]
        mover_buckets = situation.hand_buckets[situation.mover][list(subtree.mover_hands)]
        bidder_buckets = situation.hand_buckets[1 - situation.mover][list(subtree.bidder_hands)]
        payoffs = situation.payoffs(self._outcome_values)
        calls = [payoff[np.ix_(mover_buckets, bidder_buckets)] for payoff in payoffs]
        deciding = list(subtree.deciding)
        if situation.mover == self._seat:
            values = reach @ calls[0].T if calls else np.zeros((len(reach), len(mover_buckets)))
            if deciding:
                action_values = np.stack([*((reach @ call[deciding].T) for call in calls), *child_values], axis=1)
                if self._min_prob:
                    probs = self._node_probs(visited.type_id, visited.nodes.first_rows)
                    # the likeliest action is always allowed
                    allowed = probs >= np.minimum(self._min_prob, probs.max(axis=1, keepdims=True))
                    action_values = np.where(allowed, action_values, -np.inf)
                values[:, deciding] = action_values.max(axis=1)
            return values
        sure = [place for place in range(len(mover_buckets)) if place not in subtree.deciding]
        values = -reach[:, sure] @ calls[0][sure] if sure else np.zeros((len(reach), len(bidder_buckets)))
        if visited.action_reach is not None:
            for action, call in enumerate(calls):
                values -= visited.action_reach[:, action] @ call[deciding]
        for child_value in child_values:
            values += child_value
        return values
