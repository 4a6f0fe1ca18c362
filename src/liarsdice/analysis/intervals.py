"""95% intervals, which the server needs without the simulations."""

from __future__ import annotations

from math import sqrt

Z_95 = 1.959964
"""The 97.5% quantile of the standard normal distribution."""


def wilson_interval(wins: float, matches: int) -> tuple[float, float]:
    """Return the 95% interval of a proportion of independent trials: Wilson's score interval; 0..1 without trials.

    Source: Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).

    >>> [round(end, 4) for end in wilson_interval(50, 100)]
    [0.4038, 0.5962]
    """
    if not matches:
        return 0.0, 1.0
    share, z2 = wins / matches, Z_95**2 / matches
    center = (share + z2 / 2) / (1 + z2)
    half_width = Z_95 * sqrt(share * (1 - share) / matches + z2 / (4 * matches)) / (1 + z2)
    return max(center - half_width, 0.0), min(center + half_width, 1.0)
