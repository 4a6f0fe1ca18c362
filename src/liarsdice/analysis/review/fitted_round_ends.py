"""What the end of a round is worth under rules that are not simulated: the fitted values, with an assumed error."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from liarsdice.analysis.fitted_values.fitted import fitted_values
from liarsdice.bots.round_end import FloatArray, RoundEnd, winners_share
from liarsdice.core.rules.choices import Direction
from liarsdice.core.rules.ruleset import Ruleset

FITTED_ERROR = 0.045
"""The standard error of a fitted value, as a share of the match.

Measured in perudo at two seats, where it is larger than at four (`python -m benchmarks.fitted_values`).
"""


class FittedRoundEndValues:
    """The value of round ends under one ruleset, where the dice of an end are what losses cost: dice or lives."""

    def __init__(self, rules: Ruleset, seats: int) -> None:
        self._values = fitted_values(rules, seats)

    def shares(self, ends: Sequence[RoundEnd]) -> FloatArray:
        """Return the share of the match that each seat wins, float64 [end, seat], 0..1."""
        return np.stack([self._share(end) for end in ends])

    def variances(self, ends: Sequence[RoundEnd]) -> FloatArray:
        """Return the variance of each of the shares, float64 [end, seat]; 0 after the end of a match."""
        going_on = np.array([end.winners is None for end in ends])[:, np.newaxis]
        shares = self.shares(ends)
        return np.where(going_on & (shares > 0), FITTED_ERROR**2, 0.0)

    def _share(self, end: RoundEnd) -> FloatArray:
        if end.winners is not None:
            return winners_share(end.winners)
        direction = next(one for one in Direction if one.step == end.step)
        return self._values.after_round(end.dice, end.starter, direction, end.round_number)
