"""Best response to a strategy, in double precision and plain array steps: it certifies the bounds of strategies.

It shares nothing with the compiled kernel but the tree.
"""

from __future__ import annotations

import numpy as np

from liarsdice.solve.game.round_game import PublicTree
from liarsdice.solve.strategy.reach import (
    MAX_NODES,
    FloatArray,
    NodeProbs,
    Nodes,
    VisitedNodes,
    iter_nodes_by_type,
    root_nodes,
    visit_nodes,
)


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
        payoffs = self._tree.payoffs(situation, self._outcome_values)
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
