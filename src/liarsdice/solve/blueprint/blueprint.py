"""A blueprint in memory: the weights of all decisions of a recall graph."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.blueprint.recall_graph import FloatArray, Path, RecallGraph
from liarsdice.solve.round_game import RoundGame, RoundStart, one_step_values
from liarsdice.solve.strategy.action_values import Action
from liarsdice.solve.strategy.strategy import ActionProbs


class SituationLayout(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A situation (`round_game.Situation`) as a player of a blueprint sees it.

    `bid`: the standing bid, None before the first. `mover`: the seat on turn. `calls`: for each call whether it is an
    exact call. `raises`: the situation after each raise. `menu`: the raises that the blueprint considers, as positions
    in `raises`.
    """

    bid: Bid | None
    mover: int
    calls: tuple[bool, ...]
    raises: tuple[int, ...]
    menu: tuple[int, ...]

    @property
    def action_count(self) -> int:
        """The number of actions that the blueprint considers."""
        return len(self.calls) + len(self.menu)


class RoundLayout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The layout of a round.

    `recall`: the number of bids that the play depends on. `hand_counts`: the number of hands of each seat.
    `situations`: all situations, the start of the round first.
    """

    recall: int
    hand_counts: tuple[int, int]
    situations: tuple[SituationLayout, ...]

    def actions_of(self, index: int) -> tuple[Action, ...]:
        """Return the actions that the blueprint considers in a situation: calls first, then raises."""
        situation = self.situations[index]
        calls: list[Action] = [Exact() if is_exact else Challenge() for is_exact in situation.calls]
        return (*calls, *(self._bid_after(situation.raises[place]) for place in situation.menu))

    def path_of(self, bids: tuple[Bid, ...]) -> Path:
        """Return the latest situations after some bids of the round. Raises `KeyError` if a bid is illegal."""
        path = [0]
        for bid in bids:
            after = next((after for after in self.situations[path[-1]].raises if self._bid_after(after) == bid), None)
            if after is None:
                raise KeyError(bid)
            path.append(after)
        return tuple(path[-self.recall :])

    def _bid_after(self, index: int) -> Bid:
        bid = self.situations[index].bid
        assert bid is not None  # a raise leads to a situation with a standing bid
        return bid


def layout_of(game: RoundGame, menus: Sequence[tuple[int, ...]], recall: int) -> RoundLayout:
    """Return the layout of a round.

    `menus`: by situation the offered raises, as positions in its raises. `recall`: the number of bids that the play
    depends on.
    """
    situations = tuple(
        SituationLayout(
            situation.bid,
            situation.mover,
            tuple(call.exact for call in situation.calls),
            tuple(after for _, after in situation.raises),
            menu,
        )
        for situation, menu in zip(game.situations, menus, strict=True)
    )
    first, second = (len(hands) for hands in game.hands)
    return RoundLayout(recall, (first, second), situations)


ActionWeights = NDArray[np.uint8]
MAX_WEIGHT = 255
"""The weight of the likeliest action of a hand."""


class Decision(NamedTuple):
    """What the player on turn may do after some bids, and how likely: `probs` float64 [action, hand]."""

    actions: tuple[Action, ...]
    probs: FloatArray


class BlueprintPlay(ABC):
    """The strategy of both seats in one round, asked by bids.

    It answers every sequence of bids. After bids that were not learned, it plays as after the nearest ones that end
    with the same bid. A hand that has no weight there takes the action that is best against an average hand, if a raise
    is answered by the better call. `start`: of the round, which seat 0 opens. `hands`: those of each seat, as in
    `RoundGame`.
    """

    def __init__(
        self, start: RoundStart, hands: tuple[tuple[Hand, ...], tuple[Hand, ...]], layout: RoundLayout
    ) -> None:
        self.start = start
        self.hands = hands
        self.layout = layout

    @abstractmethod
    def weights_after(self, path: Path) -> ActionWeights:
        """Return the weights after the bids of a path, or the nearest that were learned, uint8 [action, hand]."""

    def hand_probs_after(self, path: Path, hand: int) -> FloatArray:
        """Return the probabilities of one hand's actions after the bids of a path, float64 [action].

        `hand`: its place in `hands`. The result is a column of `named_probs`, without the work for all hands.
        """
        shares = self.hand_weights_after(path, hand).astype(np.float64)
        if not shares.any():
            shares[self.best_answers(path[-1])[hand]] = 1
        probs: FloatArray = shares / shares.sum()
        return probs

    def hand_weights_after(self, path: Path, hand: int) -> ActionWeights:
        """Return the weights of one hand of the player on turn, by its place in `hands`, uint8 [action]."""
        return self.weights_after(path)[:, hand]

    @abstractmethod
    def best_answers(self, index: int) -> NDArray[np.intp]:
        """Return the action that is worth most to each hand of the mover in a situation, int [hand]."""

    def action_probs(self, hand: Hand, bids: Sequence[Bid]) -> ActionProbs:
        """Return the probability of each action that a hand takes after these bids of the round."""
        actions, probs = self.decision(bids)
        column = probs[:, self.hands[len(bids) % 2].index(tuple(sorted(hand)))]
        return {action: float(prob) for action, prob in zip(actions, column, strict=True) if prob > 0}

    def decision(self, bids: Sequence[Bid]) -> Decision:
        """Return how all hands of the player on turn play after these bids. Raises `KeyError` if one is illegal."""
        path = self.layout.path_of(tuple(bids))
        return Decision(self.layout.actions_of(path[-1]), self.named_probs(self.weights_after(path), path[-1]))

    def named_probs(self, weights: ActionWeights, index: int) -> FloatArray:
        """Return the probabilities that weights in a situation stand for, float64 [action, hand]."""
        shares = weights.astype(np.float64)
        total = shares.sum(axis=0)
        if not total.all():
            lost = np.flatnonzero(total == 0)
            shares[self.best_answers(index)[lost], lost] = 1
            total = shares.sum(axis=0)
        probs: FloatArray = shares / total
        return probs


def padded(path: Path, recall: int) -> Path:
    """Return a path of the full length: the start of the round is repeated before a short one.

    >>> padded((0, 7), 3)
    (0, 0, 7)
    """
    return (0,) * (recall - len(path)) + path


def nearest(path: Path, paths: NDArray[np.int64]) -> int:
    """Return the place of the path whose situations are nearest to those of another, the first of equals.

    `paths`: int64 [path, situation], padded.

    >>> nearest((0, 2, 7), np.array([[0, 5, 7], [0, 1, 7], [0, 3, 7]]))
    1
    """
    return int(np.abs(paths - np.array(padded(path, paths.shape[1]))).sum(axis=1).argmin())


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
        return self.weights[self.graph.rows_of(node)].reshape(-1, arrays.hand_counts[arrays.movers[node]])

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
        """Return the action that is worth most to each hand of the mover in a situation, int [hand].

        The opponent may have any hand, and answers a raise by the better call.
        """
        if index not in self._answers:
            game, situation = self.game, self.game.situations[index]
            opponent_probs = game.hand_probs[1 - situation.mover]
            values = one_step_values(game, situation, self.outcome_values, opponent_probs, self.graph.menus[index])
            self._answers[index] = values.argmax(axis=0)
        return self._answers[index]


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
        rows = graph.rows_of(node)
        block = sums[rows].reshape(-1, arrays.hand_counts[arrays.movers[node]])
        largest = block.max(axis=0, initial=0)
        shares = block / np.where(largest > 0, largest, 1)
        steps = np.rint((levels - 1) * np.where(shares < min_share, 0, shares))
        weights[rows] = np.rint(MAX_WEIGHT / (levels - 1) * steps).ravel()
    return weights
