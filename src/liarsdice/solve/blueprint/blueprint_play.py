"""How a blueprint is played: what the player on turn does with each hand after the bids of a round."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.blueprint.recall_graph import FloatArray, Path
from liarsdice.solve.blueprint.round_layout import RoundLayout
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
