"""What the moves of a round with a blueprint lead to, if both players follow it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.blueprint_playouts import BlueprintPlayouts
from liarsdice.bots.blueprints import RoundBlueprint
from liarsdice.bots.round_end import FloatArray, RoundEnd, RoundEndValues
from liarsdice.core.actions import Challenge
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.game.round_game import Outcome
from liarsdice.solve.strategy.action_values import Action

ROUNDS_KEPT = 8
"""The playouts of how many rounds and hands are kept: both players of a round decide in turn."""


class MoveOutcomes(NamedTuple):
    """What the moves of a player lead to in a round of two players.

    `ends`: how the round may end. They have two seats, the player who opened the round first, the other one second.
    `dice`: int64 [end, seat], those left after each end, also of a match that is over. `seat`: that of the player among
    these two. `probs`: by move the probability of each end, float64 [end].
    """

    seat: int
    ends: list[RoundEnd]
    dice: NDArray[np.int64]
    probs: dict[Action, FloatArray]

    def values(self, end_values: RoundEndValues) -> dict[Action, float]:
        """Return the share of the match (0..1) that the player wins with each move."""
        shares = end_values.shares(self.ends)[:, self.seat]
        return {move: float(probs @ shares) for move, probs in self.probs.items()}


def move_outcomes(blueprint: RoundBlueprint, shown: View, hand_probs: Mapping[Hand, float]) -> MoveOutcomes:
    """Return what each legal move leads to if both players follow a blueprint after it. Nothing is drawn.

    `shown`: the view of the player on turn in the round of the blueprint. `hand_probs`: the probability of each hand of
    the opponent.
    """
    bids = [bid for _, bid in shown.bids]
    seat = len(bids) % 2
    outcomes = blueprint.game.outcomes
    return MoveOutcomes(
        seat=seat,
        ends=[_round_end(outcome) for outcome in outcomes],
        dice=np.array([outcome.dice for outcome in outcomes]),
        probs=_playouts(blueprint, seat, shown.hand).move_values(bids, _probs(blueprint, 1 - seat, hand_probs)),
    )


def challenge_prob(blueprint: RoundBlueprint, shown: View, bid: Bid, hand_probs: Mapping[Hand, float]) -> float:
    """Return how likely the opponent challenges a bid of the player on turn. The others are as in `move_outcomes`."""
    bids = [bid for _, bid in shown.bids] + [bid]
    actions, probs = blueprint.decision(bids)
    return float(probs[actions.index(Challenge())] @ _probs(blueprint, len(bids) % 2, hand_probs))


def _probs(blueprint: RoundBlueprint, seat: int, hand_probs: Mapping[Hand, float]) -> FloatArray:
    """Return the probability of each hand of a seat of the round, float64 [hand], sum 1."""
    weights = np.array([hand_probs.get(hand, 0.0) for hand in blueprint.hands[seat]])
    probs: FloatArray = weights / weights.sum()
    return probs


@lru_cache(ROUNDS_KEPT)
def _playouts(blueprint: RoundBlueprint, seat: int, hand: Hand) -> BlueprintPlayouts:
    """Return playouts that tell the probability of each outcome. Later decisions of a round use what they computed."""
    return BlueprintPlayouts(blueprint, seat, hand, np.eye(len(blueprint.game.outcomes)))


def _round_end(outcome: Outcome) -> RoundEnd:
    start, winners = outcome.next_start, outcome.winners
    if start is None:
        return RoundEnd((0, 0), -1, -1, 1, (0, 0), (False, False), 0, (0 in winners, 1 in winners))
    special = -1 if start.special is None else start.special
    had_special = (0 in start.had_special, 1 in start.had_special)
    return RoundEnd(outcome.dice, start.starter, special, 1, start.exact_calls, had_special, 0, None)
