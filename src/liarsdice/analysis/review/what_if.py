"""What another move would have been worth: both moves are played on by the champion's network, on the same dice."""

from __future__ import annotations

from math import sqrt

import msgspec
import numpy as np

from liarsdice.analysis.review.assess import Z_95
from liarsdice.analysis.review.decisions import Decision
from liarsdice.analysis.review.playouts import is_playable, play_rounds_out, sample_hands
from liarsdice.analysis.review.round_ends import RoundEndValues
from liarsdice.bots.neural.champion import LATEST_MODEL, champion_network
from liarsdice.bots.neural.explain import explain
from liarsdice.core.actions import PlayerAction

BATCH_DEALS = 50
"""How many deals are played out at a time."""
SEED = 20_261_123
"""Other random numbers than those that found the best move."""


class EndCount(msgspec.Struct, frozen=True):
    """A round end: how often it followed each move, and the variance of its value."""

    end: str
    made: int
    other: int
    variance: float


class WhatIfBatch(msgspec.Struct, frozen=True):
    """The results of some deals: sums of the shares of the match (0..1) that the player wins with each move.

    `squares`: the sum of the squares of the differences. `ends`: all round ends that occurred.
    """

    deals: int
    made: float
    other: float
    squares: float
    ends: tuple[EndCount, ...]


class Comparison(msgspec.Struct, frozen=True):
    """What was found so far: the mean share of the match with each move, and how much better the `other` one is.

    `error`: half of the 95% interval of the difference.
    """

    deals: int
    made: float
    other: float
    difference: float
    error: float


def is_comparable(decision: Decision, other: PlayerAction | None) -> bool:
    """Return whether a move was legal at a decision, and playouts know it and all bids of the round."""
    shown = decision.view
    is_legal = other in shown.moves if other is not None else not shown.on_turn
    return is_legal and is_playable(msgspec.structs.replace(decision, move=other)) and is_playable(decision)


def what_if_batch(decision: Decision, other: PlayerAction | None, values: RoundEndValues, batch: int) -> WhatIfBatch:
    """Play `BATCH_DEALS` deals on after the move of a decision and after another legal one; `batch` counts from 0.

    Raises `UnavailableError` if the dice have too many faces for the network.
    """
    rng = np.random.default_rng((SEED, decision.number, batch))
    hands = sample_hands(decision, explain(decision.view).beliefs, BATCH_DEALS, rng)
    moves = (decision.move, other)
    playouts = play_rounds_out(decision, moves, hands, champion_network(LATEST_MODEL), rng)
    shares = values.shares(playouts.ends)[:, decision.seat]
    by_deal = shares[playouts.outcomes]
    counts = [np.bincount(outcomes, minlength=len(shares)).tolist() for outcomes in playouts.outcomes]
    ends = tuple(
        EndCount(repr(end), counts[0][number], counts[1][number], _variance(float(shares[number]), values, end.winners))
        for number, end in enumerate(playouts.ends)
    )
    squares = float(((by_deal[1] - by_deal[0]) ** 2).sum())
    return WhatIfBatch(BATCH_DEALS, float(by_deal[0].sum()), float(by_deal[1].sum()), squares, ends)


def _variance(share: float, values: RoundEndValues, winners: tuple[bool, ...] | None) -> float:
    """Return the variance of the value of a round end, which is exact when the match is over."""
    return 0.0 if winners is not None else share * (1 - share) / values.matches


class WhatIf:
    """Adds up the results of batches."""

    def __init__(self) -> None:
        self._deals = 0
        self._made = self._other = self._squares = 0.0
        self._ends: dict[str, tuple[int, float]] = {}

    def add(self, batch: WhatIfBatch) -> Comparison:
        """Add a batch and return what is known now."""
        self._deals += batch.deals
        self._made += batch.made
        self._other += batch.other
        self._squares += batch.squares
        for end in batch.ends:
            more, _ = self._ends.get(end.end, (0, 0.0))
            self._ends[end.end] = more + end.other - end.made, end.variance
        deals = self._deals
        made, other = self._made / deals, self._other / deals
        spread = (self._squares - deals * (other - made) ** 2) / (deals - 1)
        ends = sum((more / deals) ** 2 * variance for more, variance in self._ends.values())
        return Comparison(deals, made, other, other - made, Z_95 * sqrt(max(spread, 0.0) / deals + ends))
