"""The ends of rounds, and what they are worth if champions play on: the state values, with a measured error."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.solve.strategy.strategy import canonical_rules
from liarsdice.values.features import PLAYER_KINDS, PlayerKind, Situation
from liarsdice.values.value_network import KNOWN_PLAYERS, value_network

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
    do not end the match. `error`: the standard error of such a share from one fifth to four fifths.
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
        """Return the variance of each of the shares, float64 [end, seat]; 0 after the end of a match.

        It shrinks towards shares of 0 and 1, as the variance of one result does.
        """
        shares, goes_on = self.shares(ends), np.array([end.winners is None for end in ends])
        return self._error**2 * np.minimum(goes_on[:, np.newaxis] * shares * (1 - shares) / TYPICAL_VARIANCE, 1)


def winners_share(winners: tuple[bool, ...]) -> FloatArray:
    """Return the share of a match of each seat, float64 [seat], from who won it."""
    won = np.array(winners, np.float64)
    share: FloatArray = won / won.sum()
    return share


TYPICAL_VARIANCE = 0.16
"""The variance of one result, 0 or 1, at a share of one fifth; standard errors are those of shares near it."""
LEAST_ERROR = 0.03
"""The least standard error of a learned value that is assumed, near the root mean square of all that was measured."""
UNMEASURED_ERROR = 0.04
"""The standard error under rules or at a number of seats that were not measured; most measured ones are smaller."""
LARGER_ERRORS = {
    "basic": {2: 0.047, 6: 0.038},
    "chart": {},
    "mustache": {2: 0.052, 3: 0.080, 4: 0.042, 6: 0.043},
    "official": {6: UNMEASURED_ERROR},
    "perudo": {6: 0.033},
}
"""The presets that were measured, and at which numbers of seats the standard error is larger than the least one.

It is the root mean square difference from matches that champions played on (`python -m benchmarks.round_ends`).
"""
MEASURED_SEATS = (2, 3, 4, 6)


def round_end_error(rules: Ruleset, seats: int) -> float:
    """Return the standard error of the learned values under these rules, as a share of the match."""
    for name, errors in LARGER_ERRORS.items():
        if seats in MEASURED_SEATS and canonical_rules(preset(name).ruleset) == canonical_rules(rules):
            return errors.get(seats, LEAST_ERROR)
    return UNMEASURED_ERROR


@lru_cache(8)
def learned_values(rules: Ruleset, seats: int) -> RoundEndValues:
    """Return the values of round ends under rules that are simulated, if champions play on at all seats.

    The network of state values tells them. `seats`: of the match, which the error depends on.
    """

    def shares(ends: Sequence[RoundEnd]) -> FloatArray:
        return value_network(KNOWN_PLAYERS).shares(situation_of_ends(rules, ends), in_round=False)

    return RoundEndValues(shares, round_end_error(rules, seats))


def situation_of_ends(rules: Ruleset, ends: Iterable[RoundEnd]) -> Situation:
    """Return the situation between rounds after each of these ends of rounds, none of which ended the match."""
    dice, starters, special_seats, steps, exact_calls, had_special, rounds, _ = (
        np.array(column) for column in zip(*ends, strict=True)
    )
    rows, none = len(dice), np.full(len(dice), -1)
    return Situation(
        rules=rules,
        dice=dice,
        had_special=had_special,
        exempt=np.zeros(dice.shape, np.bool_),
        exact_calls=exact_calls,
        latest_face=np.full(dice.shape, -1),
        hands=np.zeros((*dice.shape, rules.dice.faces), np.int64),
        step=steps,
        turn=starters,
        quantity=np.zeros(rows, np.int64),
        face=none,
        bidder=none,
        bid_count=np.zeros(rows, np.int64),
        wilds=np.zeros(rows, np.bool_),
        special_seat=special_seats,
        round_number=rounds + 1,
        lowest=np.zeros((rows, rules.dice.faces), np.int64),
        players=np.full(dice.shape, PLAYER_KINDS.index(PlayerKind.CHAMPION)),
    )
