"""What follows in a round if both players play on by a blueprint: exact, nothing is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.blueprints import RoundBlueprint
from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.blueprint.recall_graph import FloatArray, Path, child_path
from liarsdice.solve.strategy.action_values import Action

NODES_KEPT = 20_000
"""The plays after so many bid sequences are kept: of all decisions of a match, and up to 10 KB for each of them."""


class BlueprintPlayouts:
    """What is won with one hand if both players follow a blueprint from some bids on, against each hand of the other.

    `seat`: the player with the hand, 0 if it opened the round. `values`: what each outcome of `RoundGame.outcomes` is
    worth, float64 [outcome, measure], in as many measures as are asked for at once; the identity matrix gives the
    probability of each outcome. What was computed is kept.
    """

    def __init__(self, blueprint: RoundBlueprint, seat: int, hand: Hand, values: FloatArray) -> None:
        self._blueprint = blueprint
        self._seat = seat
        self._hand = blueprint.hands[seat].index(tuple(sorted(hand)))
        self._outcome_values = values
        self._values: dict[Path, FloatArray] = {}

    def after(self, bids: Sequence[Bid]) -> FloatArray:
        """Return the values after these bids of the round, float64 [measure, hand of the other].

        Raises `KeyError` if a bid is illegal.
        """
        return self._value(self._blueprint.layout.path_of(tuple(bids)))

    def move_values(self, bids: Sequence[Bid], other_probs: FloatArray) -> dict[Action, FloatArray]:
        """Return the values of each move of the player with the hand after these bids, float64 [measure].

        `other_probs`: the probability of each hand of the other, float64 [hand], sum 1.
        """
        layout = self._blueprint.layout
        path = layout.path_of(tuple(bids))
        situation = layout.situations[path[-1]]
        values: dict[Action, FloatArray] = {
            (Exact() if is_exact else Challenge()): self._call_value(path[-1], call) @ other_probs
            for call, is_exact in enumerate(situation.calls)
        }
        for after in situation.raises:
            bid = layout.situations[after].bid
            assert bid is not None  # a raise leads to a situation with a standing bid
            values[bid] = self._value(child_path(path, after, layout.recall)) @ other_probs
        return values

    def _call_value(self, index: int, call: int) -> FloatArray:
        """Return the values of a call of the player with the hand in a situation, float64 [measure, hand of the other].

        `call`: its place among the calls of the situation.
        """
        situation = self._blueprint.game.situations[index]
        own, others = self._buckets(index)
        values: FloatArray = self._outcome_values[situation.calls[call].outcomes[own, others]].T
        return values

    def _answer_value(self, index: int, call: int) -> FloatArray:
        """Return the values of a call of the other player, float64 [measure, hand of the other]."""
        situation = self._blueprint.game.situations[index]
        own, others = self._buckets(index)
        values: FloatArray = self._outcome_values[situation.calls[call].outcomes[others, own]].T
        return values

    def _value(self, path: Path) -> FloatArray:
        if path in self._values:
            return self._values[path]
        layout, index = self._blueprint.layout, path[-1]
        situation = layout.situations[index]
        is_own = situation.mover == self._seat
        calls = len(situation.calls)
        total = np.zeros((self._outcome_values.shape[1], layout.hand_counts[1 - self._seat]))
        for action, share in self._own_plays(path) if is_own else _plays_after(self._blueprint, path):
            if action >= calls:
                after = situation.raises[situation.menu[action - calls]]
                value = self._value(child_path(path, after, layout.recall))
            else:
                value = self._call_value(index, action) if is_own else self._answer_value(index, action)
            total += share * value
        self._values[path] = total
        return total

    def _own_plays(self, path: Path) -> list[tuple[int, float]]:
        """Return the actions that the hand takes after the bids of a path, each with its probability."""
        probs = self._blueprint.hand_probs_after(path, self._hand)
        return [(action, float(probs[action])) for action in np.flatnonzero(probs).tolist()]

    def _buckets(self, index: int) -> tuple[int, NDArray[np.int32]]:
        """Return the bucket of the hand in a situation, and those of the other's hands, int32 [hand]."""
        buckets = self._blueprint.game.situations[index].hand_buckets
        return int(buckets[self._seat][self._hand]), buckets[1 - self._seat]


@lru_cache(NODES_KEPT)
def _plays_after(blueprint: RoundBlueprint, path: Path) -> tuple[tuple[int, FloatArray], ...]:
    """Return the actions that any hand takes after the bids of a path, each with its probability by hand."""
    probs = blueprint.named_probs(blueprint.weights_after(path), path[-1])
    return tuple((action, probs[action].copy()) for action in np.flatnonzero(probs.any(axis=1)).tolist())
