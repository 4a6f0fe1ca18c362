"""A blueprint in memory: the weights of all decisions of a recall graph."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from liarsdice.solve.blueprint.blueprint_play import MAX_WEIGHT, ActionWeights, BlueprintPlay, nearest, padded
from liarsdice.solve.blueprint.recall_graph import FloatArray, Path, RecallGraph
from liarsdice.solve.blueprint.round_layout import layout_of
from liarsdice.solve.game.round_game import RoundGame


class Blueprint(BlueprintPlay):
    """The blueprint of a recall graph. `weights`: uint8 [row of the graph], 0 where nobody comes."""

    def __init__(self, graph: RecallGraph, weights: ActionWeights) -> None:
        super().__init__(graph.game.start, graph.game.hands, layout_of(graph.game, graph.menus, graph.recall))
        self.graph = graph
        self.weights = weights
        self._answers: dict[int, NDArray[np.intp]] = {}
        self._nodes: dict[int, tuple[list[int], NDArray[np.int64]]] = {}

    def weights_after(self, path: Path) -> ActionWeights:
        """Return the weights after the bids of a path, or the nearest that were learned, uint8 [action, hand]."""
        node = self.node_of(path)
        if node is not None:
            return self.node_weights(node)
        situation = self.layout.situations[path[-1]]
        return np.zeros((situation.action_count, self.layout.hand_counts[situation.mover]), np.uint8)

    def node_probs(self, node: int) -> FloatArray:
        """Return how all hands of the mover of a node play, float64 [action, hand]."""
        return self.named_probs(self.node_weights(node), int(self.graph.arrays.situations[node]))

    def node_of(self, path: Path) -> int | None:
        """Return the node of a path, or the nearest one that ends with the same bid; None if no menu leads there."""
        node = self.graph.nodes.get(path)
        if node is not None and self.is_learned[node]:
            return node
        nodes, paths = self._nodes_of(path[-1])
        return nodes[nearest(path, paths)] if nodes else None

    def node_weights(self, node: int) -> ActionWeights:
        """Return the weights of a node, uint8 [action, hand]."""
        arrays = self.graph.arrays
        start, end = arrays.first_row[node], arrays.first_row[node + 1]
        return self.weights[start:end].reshape(-1, arrays.hand_counts[arrays.movers[node]])

    @property
    def game(self) -> RoundGame:
        """The round itself: what calls lead to."""
        return self.graph.game

    @property
    def outcome_values(self) -> FloatArray:
        """What each outcome of the round is worth to seat 0, float64 [outcome]."""
        return self.graph.values

    @property
    def unpacked(self) -> Blueprint:
        """The blueprint itself."""
        return self

    @cached_property
    def is_learned(self) -> NDArray[np.bool_]:
        """Whether any hand has a weight, bool [node]."""
        largest = np.maximum.reduceat(self.weights, self.graph.arrays.first_row[:-1])
        known: NDArray[np.bool_] = largest > 0
        return known

    @cached_property
    def paths(self) -> list[Path]:
        """The path of each node."""
        return list(self.graph.nodes)

    def _nodes_of(self, index: int) -> tuple[list[int], NDArray[np.int64]]:
        """Return the nodes of a situation and their paths: those that were learned, or all if none was."""
        if index not in self._nodes:
            every = np.flatnonzero(self.graph.arrays.situations == index)
            learned = every[self.is_learned[every]]
            nodes = (learned if len(learned) else every).tolist()
            self._nodes[index] = nodes, np.array([padded(self.paths[node], self.graph.recall) for node in nodes])
        return self._nodes[index]

    def best_answers(self, index: int) -> NDArray[np.intp]:
        """Return the action that is worth most to each hand of the mover in a situation, int [hand]."""
        if index not in self._answers:
            self._answers[index] = self._one_step_values(index).argmax(axis=0)
        return self._answers[index]

    def _one_step_values(self, index: int) -> FloatArray:
        """Return what each offered action is worth to each hand of the mover, float64 [action, hand].

        The opponent may have any hand, and answers a raise by the better call.
        """
        game, values = self.graph.game, self.graph.values
        situation = game.situations[index]
        sign = 1 if situation.mover == 0 else -1
        opponent = game.hand_probs[1 - situation.mover]
        own, other = situation.hand_buckets[situation.mover], situation.hand_buckets[1 - situation.mover]
        rows = [sign * values[call.outcomes][np.ix_(own, other)] @ opponent for call in situation.calls]
        for place in self.graph.menus[index]:
            after = game.situations[situation.raises[place][1]]
            caller, bidder = after.hand_buckets[after.mover], after.hand_buckets[1 - after.mover]
            replies = [-sign * values[call.outcomes][np.ix_(caller, bidder)] for call in after.calls]
            rows.append(-(opponent @ np.max(replies, axis=0)))
        return np.stack(rows)


def quantized(
    sums: NDArray[np.float32], graph: RecallGraph, min_share: float = 0.0, levels: int = MAX_WEIGHT + 1
) -> ActionWeights:
    """Return the weights of average strategies, uint8 [row].

    `sums`: float32 [row], see `learned_arrays.Learned`. `min_share`: actions below this fraction of a hand's likeliest
    action are dropped. `levels`: how many weights there are (2..256), evenly from 0 to `MAX_WEIGHT`; fewer take less
    space in a file.
    """
    weights = np.zeros(len(sums), np.uint8)
    arrays = graph.arrays
    for node in range(len(graph.nodes)):
        start, end = arrays.first_row[node], arrays.first_row[node + 1]
        block = sums[start:end].reshape(-1, arrays.hand_counts[arrays.movers[node]])
        largest = block.max(axis=0, initial=0)
        shares = block / np.where(largest > 0, largest, 1)
        steps = np.rint((levels - 1) * np.where(shares < min_share, 0, shares))
        weights[start:end] = np.rint(MAX_WEIGHT / (levels - 1) * steps).ravel()
    return weights
