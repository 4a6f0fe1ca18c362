"""A blueprint: the strategy of a recall graph, asked by the bids of a round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.blueprint.recall_graph import FloatArray, Path, RecallGraph
from liarsdice.solve.game.round_start import RoundStart
from liarsdice.solve.strategy.action_values import Action
from liarsdice.solve.strategy.strategy import ActionProbs

ActionWeights = NDArray[np.uint8]
MAX_WEIGHT = 255
"""The weight of the likeliest action of a hand."""


class Decision(NamedTuple):
    """What the player on turn may do after some bids, and how likely: `probs` float64 [action, hand]."""

    actions: tuple[Action, ...]
    probs: FloatArray


class Blueprint:
    """The strategy of both seats in one round. `weights`: uint8 [row of the graph], 0 where nobody comes.

    It answers every sequence of bids. After bids that its graph does not have, it plays as after the nearest ones that
    end with the same bid. A hand that has no weight there takes the action that is best against an average hand, if a
    raise is answered by the better call.
    """

    def __init__(self, graph: RecallGraph, weights: ActionWeights) -> None:
        self.graph = graph
        self.weights = weights
        self._answers: dict[int, NDArray[np.intp]] = {}

    @property
    def start(self) -> RoundStart:
        """The start of the round, which seat 0 opens."""
        return self.graph.game.start

    def action_probs(self, hand: Hand, bids: Sequence[Bid]) -> ActionProbs:
        """Return the probability of each action that a hand takes after these bids of the round."""
        actions, probs = self.decision(bids)
        column = probs[:, self.graph.game.hands[len(bids) % 2].index(tuple(sorted(hand)))]
        return {action: float(prob) for action, prob in zip(actions, column, strict=True) if prob > 0}

    def decision(self, bids: Sequence[Bid]) -> Decision:
        """Return how all hands of the player on turn play after these bids. Raises `KeyError` if one is illegal."""
        path = self.path_of(bids)
        return Decision(self.actions_of(path[-1]), self.node_probs(self.node_of(path)))

    def node_probs(self, node: int) -> FloatArray:
        """Return how all hands of the mover of a node play, float64 [action, hand]."""
        weights = self.node_weights(node).astype(np.float64)
        total = weights.sum(axis=0)
        if not total.all():
            lost = np.flatnonzero(total == 0)
            weights[self._best_answers(int(self.graph.arrays.situations[node]))[lost], lost] = 1
            total = weights.sum(axis=0)
        probs: FloatArray = weights / total
        return probs

    def actions_of(self, index: int) -> tuple[Action, ...]:
        """Return the actions of a situation that the graph offers, in the order of its rows."""
        situation = self.graph.game.situations[index]
        calls: list[Action] = [Exact() if call.exact else Challenge() for call in situation.calls]
        return (*calls, *(situation.raises[place][0] for place in self.graph.menus[index]))

    def path_of(self, bids: Sequence[Bid]) -> Path:
        """Return the latest situations of a round. Raises `KeyError` if a bid is illegal."""
        path: list[int] = [0]
        for bid in bids:
            path.append(self._successors[path[-1]][bid])
        return tuple(path[-self.graph.recall :])

    def node_of(self, path: Path) -> int:
        """Return the node of a path, or the nearest one that ends with the same bid."""
        node = self.graph.nodes.get(path)
        if node is not None and self._is_learned[node]:
            return node
        return min(self._nodes_by_situation[path[-1]], key=lambda other: _distance(path, self._paths[other]))

    def node_weights(self, node: int) -> ActionWeights:
        """Return the weights of a node, uint8 [action, hand]."""
        arrays = self.graph.arrays
        start, end = arrays.first_row[node], arrays.first_row[node + 1]
        return self.weights[start:end].reshape(-1, arrays.hand_counts[arrays.movers[node]])

    @cached_property
    def _successors(self) -> list[dict[Bid, int]]:
        return [dict(situation.raises) for situation in self.graph.game.situations]

    @cached_property
    def _paths(self) -> list[Path]:
        return list(self.graph.nodes)

    @cached_property
    def _is_learned(self) -> NDArray[np.bool_]:
        """Whether any hand has a weight, bool [node]."""
        largest = np.maximum.reduceat(self.weights, self.graph.arrays.first_row[:-1])
        known: NDArray[np.bool_] = largest > 0
        return known

    @cached_property
    def _nodes_by_situation(self) -> dict[int, list[int]]:
        """The nodes of each situation: those that were learned, or all if none was."""
        every: dict[int, list[int]] = defaultdict(list)
        for node, path in enumerate(self._paths):
            every[path[-1]].append(node)
        return {top: [node for node in nodes if self._is_learned[node]] or nodes for top, nodes in every.items()}

    def _best_answers(self, index: int) -> NDArray[np.intp]:
        """Return the action that is worth most to each hand in a situation, int [hand] (`_one_step_values`)."""
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


def _distance(path: Path, other: Path) -> int:
    """Return how far the situations of two paths are apart, counted from the latest one."""
    short = max(len(path), len(other))
    padded, padded_other = ((0,) * (short - len(way)) + way for way in (path, other))
    return sum(abs(here - there) for here, there in zip(padded, padded_other, strict=True))


def quantized(sums: NDArray[np.float32], graph: RecallGraph, min_share: float = 0.0) -> ActionWeights:
    """Return the weights of average strategies, uint8 [row].

    `sums`: float32 [row], see `learned_arrays.Learned`. `min_share`: actions below this fraction of a hand's likeliest
    action are dropped.
    """
    weights = np.zeros(len(sums), np.uint8)
    arrays = graph.arrays
    for node in range(len(graph.nodes)):
        start, end = arrays.first_row[node], arrays.first_row[node + 1]
        block = sums[start:end].reshape(-1, arrays.hand_counts[arrays.movers[node]])
        largest = block.max(axis=0, initial=0)
        shares = block / np.where(largest > 0, largest, 1)
        weights[start:end] = np.rint(MAX_WEIGHT * np.where(shares < min_share, 0, shares)).ravel()
    return weights
