"""Values of states under any rules, with all dice known, fitted to matches that simple bots play by these rules."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from liarsdice.analysis.fitted_values.fit import SampledRows, softmax_shares
from liarsdice.analysis.fitted_values.sampled_matches import sampled_matches
from liarsdice.analysis.fitted_values.seat_features import (
    HANDS,
    FloatArray,
    features_between,
    features_in_round,
    hand_features,
)
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.rules.choices import Direction
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.values.round_ends import RoundEnd, RoundEndValues

TYPICAL_BETWEEN = (1.76, 1.41, -0.04, -0.11)
TYPICAL_IN_ROUND = (
    *(1.98, 1.58, -0.43, -0.02),
    *(0.07, 0.12, 0.0, -0.04),
    *(-1.14, -0.88, 0.23, 0.17, 0.19),
    *(0.48, 0.28, -0.55, -0.44, -0.49),
    0.92,
)
"""The means of the weights under nine rulesets at two to four seats, each fitted without being drawn to any others."""
FITTED_ERROR = 0.045
"""The standard error of a fitted value of a round end, as a share of the match.

Measured in perudo at two seats, where it is larger than at four (`python -m benchmarks.fitted_values`).
"""
PASSES = 5
"""How often values between rounds are fitted to those one round later."""


class FittedValues:
    """The share of a match that each seat wins, under one ruleset at one number of seats.

    `between`, `in_round`: float64 [feature], the weights between rounds and during the bidding.
    """

    def __init__(self, rules: Ruleset, between: FloatArray, in_round: FloatArray) -> None:
        self._rules = rules
        self._between = between
        self._in_round = in_round

    def after_round(self, stakes: Sequence[int], starter: int, direction: Direction, round_number: int) -> FloatArray:
        """Return the share of each seat after a round, float64 [seat]; see `features_between`."""
        features = features_between(self._rules, stakes, starter, direction, round_number)
        return softmax_shares(features[np.newaxis], self._between, _is_in(stakes)[np.newaxis]).reshape(-1)

    @property
    def knows_players(self) -> bool:
        """Whether the values go by who plays: never."""
        return False

    def between(self, states: Sequence[State]) -> FloatArray:
        """Return the shares in states before a deal, float64 [state, seat]."""
        features = [_between_features(state) for state in states]
        return softmax_shares(np.stack(features), self._between, _all_in(states))

    def in_round(self, states: Sequence[State]) -> FloatArray:
        """Return the shares in states of the bidding, float64 [state, seat]."""
        return softmax_shares(np.stack([*map(features_in_round, states)]), self._in_round, _all_in(states))

    def after_deals(self, state: State, counts: NDArray[np.int64]) -> FloatArray:
        """Return the shares after each of some deals of a round, float64 [deal, seat].

        `state`: of the bidding, before any bid. `counts`: int64 [deal, seat, face], how many dice show each face.
        """
        features = np.repeat(features_in_round(state)[np.newaxis], len(counts), axis=0)
        features[:, :, HANDS] = hand_features(state, counts)
        return softmax_shares(features, self._in_round, np.tile(_is_in(state.stakes), (len(counts), 1)))


@lru_cache(8)
def fitted_values(rules: Ruleset, seats: int) -> FittedValues:
    """Return the values under these rules at this number of seats; they are fitted once per process, in seconds.

    Values between rounds are fitted to the results of matches, then repeatedly to the values one round later, which
    vary less. Those during the bidding are fitted to the values at the end of the round.
    """
    between, in_round = SampledRows(np.array(TYPICAL_BETWEEN)), SampledRows(np.array(TYPICAL_IN_ROUND))
    for match in sampled_matches(rules, seats):
        starts = [state for state in match.states if state.phase is Phase.DEAL]
        first = len(between)
        for number, state in enumerate(starts):
            between.add(
                _between_features(state), _is_in(state.stakes), match.shares, _later(first, number, len(starts))
            )
        number = -1
        for state in match.states:
            number += state.phase is Phase.DEAL
            if state.phase is Phase.BIDDING:
                later = _later(first, number, len(starts))
                in_round.add(features_in_round(state), _is_in(state.stakes), match.shares, later)
    weights = between.fit(None)
    for _ in range(PASSES):
        weights = between.fit(between.shares(weights))
    return FittedValues(rules, weights, in_round.fit(between.shares(weights)))


def _later(first: int, number: int, rounds: int) -> int | None:
    """Return the row of the round after one, None after the last. `first`: that of the first round of the match."""
    return first + number + 1 if number + 1 < rounds else None


def _between_features(state: State) -> FloatArray:
    return features_between(state.ruleset, state.stakes, state.starter, state.direction, state.round_number)


def _all_in(states: Sequence[State]) -> NDArray[np.bool_]:
    """Return which seats are not out, bool [state, seat]."""
    return np.stack([_is_in(state.stakes) for state in states])


def _is_in(stakes: Sequence[int]) -> NDArray[np.bool_]:
    """Return which seats are not out, bool [seat]."""
    return np.array(stakes) > 0


def fitted_round_end_values(rules: Ruleset, seats: int) -> RoundEndValues:
    """Return the fitted values of round ends, whose dice are what losses cost: dice or lives."""
    values = fitted_values(rules, seats)

    def shares(ends: Sequence[RoundEnd]) -> FloatArray:
        return np.stack([values.after_round(end.dice, end.starter, _direction(end), end.round_number) for end in ends])

    return RoundEndValues(shares, FITTED_ERROR)


def _direction(end: RoundEnd) -> Direction:
    return next(one for one in Direction if one.step == end.step)
