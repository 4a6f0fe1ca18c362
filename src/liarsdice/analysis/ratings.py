"""Ratings of bots that met at mixed tables, from their places in each match.

The model is Thurstone-Mosteller with full pairing: a bot's performance in a match is normally distributed around its
strength. The update is the Bayesian approximation of Weng and Lin, "A Bayesian approximation method for online
ranking", JMLR 12 (2011), as `openskill` implements it. Of that library's models it alone predicted the
results of simulated players well at two to six seats, as a test shows; Plackett-Luce overstates the
distance between strong and weak players.
"""

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import TypeAlias

import msgspec
from openskill.models import ThurstoneMostellerFull

from liarsdice.values.judgement import Z_95

Outcome: TypeAlias = tuple[Sequence[int], Sequence[int]]
"""A match: the player of each seat, and the place of each seat (1 for the winners)."""


class Rating(msgspec.Struct, frozen=True):
    """A strength and its standard error. Everybody starts at 25; a difference of about 4 is odds of 3 to 1."""

    strength: float
    error: float


def ratings(outcomes: Iterable[Outcome], player_count: int) -> tuple[Rating, ...]:
    """Return the ratings of players 0..player_count-1 after these matches, in this order.

    A player who has several seats in a match gets the mean of their updates.
    """
    model = ThurstoneMostellerFull(tau=0)  # strengths do not drift: a bot is the same program in every match
    current = [model.rating() for _ in range(player_count)]
    for seating, places in outcomes:
        teams = model.rate([[current[player]] for player in seating], ranks=list(map(float, places)))
        for player in set(seating):
            updates = [team[0] for team, seated in zip(teams, seating, strict=True) if seated == player]
            mu = sum(update.mu for update in updates) / len(updates)
            sigma = sum(update.sigma for update in updates) / len(updates)
            current[player] = model.rating(mu=mu, sigma=sigma)
    return tuple(Rating(rating.mu, rating.sigma) for rating in current)


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
    low, high = center - half_width, center + half_width
    return 0.0 if wins <= 0 else low, 1.0 if wins >= matches else high  # the ends without rounding errors
