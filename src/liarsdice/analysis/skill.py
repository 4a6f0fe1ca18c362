"""Skill over many matches: how much more than an even share a player wins once the luck of the dice is taken out.

The result of each match less its luck has the same mean as the result, because luck has mean zero whatever the values
are (Burch et al. 2018, https://arxiv.org/abs/1612.06915), and it varies less. One match says next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from statistics import fmean, stdev

import msgspec

from liarsdice.analysis.luck import Z_95, MatchAccount

MIN_MATCHES = 30
"""With fewer matches nothing is said: the interval would rest on a guess of how much results vary."""
MAX_MORE_MATCHES = 100_000
"""A gain that would take more matches than this is too near 0 for a number of matches."""
RATIOS = {2: 1.07, 3: 1.09, 4: 1.08, 6: 1.08}
"""By how much results of perudo vary less without luck, by number of seats (`python -m benchmarks.state_values`)."""
TOLD_GAIN, TELLING_FACTOR = 0.05, Z_95 + 0.84
"""A gain of so many standard errors is beyond its 95% interval with a probability of 80%."""


def matches_to_tell(seats: int) -> int:
    """Return about how many matches it takes, in tens, to see that a player wins 0.05 of them beyond an even share.

    It is so many that the 95% interval of the gain leaves out 0 with a probability of 80%. The result of one match, won
    with probability p = 1 / `seats`, has the variance p (1 - p), which luck reduces by the measured ratio.

    >>> matches_to_tell(2), matches_to_tell(4)
    (730, 540)
    """
    p = 1 / seats
    ratio = RATIOS[max(known for known in RATIOS if known <= seats)]
    return 10 * round(TELLING_FACTOR**2 * p * (1 - p) / (10 * TOLD_GAIN**2 * ratio))


class Skill(msgspec.Struct, frozen=True):
    """How much more than an even share a player won a match, without luck.

    `matches`: how many there were. `gain`: share of a match (-1..1), above 0 if the player won more. `error`: half the
    width of its 95% interval. Both are None below `MIN_MATCHES`. `more_matches`: about how many more it takes until the
    interval does not hold 0, if the gain stays what it is, or until there are `MIN_MATCHES`; 0 if it is settled, and
    None if it would take more than `MAX_MORE_MATCHES`.
    """

    matches: int
    gain: float | None
    error: float | None
    more_matches: int | None

    @property
    def is_settled(self) -> bool:
        """Whether the interval does not hold 0."""
        return self.gain is not None and self.more_matches == 0


def gain_without_luck(account: MatchAccount, seat: int) -> float:
    """Return how much more than an even share of a match a seat won, less its luck, as a share of the match."""
    return account.result[seat] - account.luck[seat] - 1 / len(account.result)


def estimate_skill(gains: Sequence[float]) -> Skill:
    """Return the skill of a player from the `gain_without_luck` of each match. It is relative to whom the player met.

    >>> estimate_skill([0.25, -0.05] * 200).more_matches
    0
    >>> estimate_skill([0.25] * 10)
    Skill(matches=10, gain=None, error=None, more_matches=20)
    """
    matches = len(gains)
    if matches < MIN_MATCHES:
        return Skill(matches, None, None, MIN_MATCHES - matches)
    gain, error = fmean(gains), Z_95 * stdev(gains) / sqrt(matches)
    if abs(gain) > error:
        return Skill(matches, gain, error, 0)
    is_countable = abs(gain) * sqrt(1 + MAX_MORE_MATCHES / matches) >= error
    more = max(1, ceil(matches * (error / gain) ** 2) - matches) if is_countable and gain else None
    return Skill(matches, gain, error, more)
