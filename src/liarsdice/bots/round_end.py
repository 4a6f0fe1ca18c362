"""The situation between two rounds, or after the last one, and what values it: without the simulator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


class RoundEnd(NamedTuple):
    """The situation between two rounds, or after the last one.

    By seat: `dice`, `exact_calls` made (zeros where they are not limited), `had_special` (whether the seat had a
    special round; False where that changes nothing). `starter` opens the next round, which is the special round of
    `special_seat` (-1 for none), and `step` is the direction of play, +1 or -1. `round_number`: the last round, 0 where
    no limit is near. `winners`: bool by seat, None while the match goes on.
    """

    dice: tuple[int, ...]
    starter: int
    special_seat: int
    step: int
    exact_calls: tuple[int, ...]
    had_special: tuple[bool, ...]
    round_number: int
    winners: tuple[bool, ...] | None


class RoundEndValues:
    """Values of round ends under one ruleset, each with the variance of its error.

    `going_on`: returns the share of the match that each seat wins, float64 [end, seat], 0..1, after ends of rounds that
    do not end the match. `error`: the standard error of such a share.
    """

    def __init__(self, going_on: Callable[[Sequence[RoundEnd]], FloatArray], error: float) -> None:
        self._going_on = going_on
        self._error = error

    def shares(self, ends: Sequence[RoundEnd]) -> FloatArray:
        """Return the share of the match that each seat wins, float64 [end, seat], 0..1."""
        shares = np.empty((len(ends), len(ends[0].dice)))
        going_on = [place for place, end in enumerate(ends) if end.winners is None]
        if going_on:
            shares[going_on] = self._going_on([ends[place] for place in going_on])
        for place, end in enumerate(ends):
            if end.winners is not None:
                shares[place] = winners_share(end.winners)
        return shares

    def variances(self, ends: Sequence[RoundEnd]) -> FloatArray:
        """Return the variance of each of the shares, float64 [end, seat]; 0 after the end of a match."""
        shares = self.shares(ends)
        return np.where((shares > 0) & (shares < 1), self._error**2, 0.0)


def winners_share(winners: tuple[bool, ...]) -> FloatArray:
    """Return the share of a match of each seat, float64 [seat], from who won it."""
    won = np.array(winners, np.float64)
    share: FloatArray = won / won.sum()
    return share
