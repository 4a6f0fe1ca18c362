"""The situation between two rounds, or after the last one, and what values it: without the simulator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

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


class EndValues(Protocol):
    """Values of round ends, each with the variance of its estimate."""

    def shares(self, ends: Sequence[RoundEnd]) -> FloatArray:
        """Return the share of the match that each seat wins, float64 [end, seat], 0..1."""
        ...

    def variances(self, ends: Sequence[RoundEnd]) -> FloatArray:
        """Return the variance of each of the shares, float64 [end, seat]."""
        ...


def winners_share(winners: tuple[bool, ...]) -> FloatArray:
    """Return the share of a match of each seat, float64 [seat], from who won it."""
    won = np.array(winners, np.float64)
    share: FloatArray = won / won.sum()
    return share
