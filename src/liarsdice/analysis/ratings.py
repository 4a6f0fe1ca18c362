"""Ratings of many bots that met at mixed tables, from who came before whom.

The model is Thurstone's and Mosteller's with full pairing, as `openskill` has it: a bot plays now better, now worse, by
a normal distribution around its strength. Of that library's models it alone told the chances of simulated players
rightly at two to six seats (`tests/analysis/test_ratings.py`); Plackett-Luce spreads strong and weak too far apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import msgspec
from openskill.models import ThurstoneMostellerFull, ThurstoneMostellerFullRating

Outcome: TypeAlias = tuple[Sequence[int], Sequence[int]]
"""A match: who sat in each seat, and who came where."""


class Rating(msgspec.Struct, frozen=True):
    """A strength, and its standard error, on a scale where everybody begins with 25 and about 4 apart are 3 to 1."""

    strength: float
    error: float


def ratings(outcomes: Iterable[Outcome], count: int) -> tuple[Rating, ...]:
    """The ratings of so many players after these matches, in this order. Who sits in several seats gets their mean."""
    model = _model()
    known = [model.rating() for _ in range(count)]
    for seating, places in outcomes:
        rated = model.rate([[known[one]] for one in seating], ranks=list(map(float, places)))
        for one in set(seating):
            after = [team[0] for team, sat in zip(rated, seating, strict=True) if sat == one]
            mu, sigma = (sum(part) / len(after) for part in zip(*((own.mu, own.sigma) for own in after), strict=True))
            known[one] = model.rating(mu=mu, sigma=sigma)
    return tuple(Rating(one.mu, one.sigma) for one in known)


def p_before(one: Rating, other: Rating) -> float:
    """The chance that one player comes in before another one."""
    model = _model()
    teams: list[list[ThurstoneMostellerFullRating]] = [
        [model.rating(mu=player.strength, sigma=player.error)] for player in (one, other)
    ]
    return float(model.predict_win(teams)[0])


def _model() -> ThurstoneMostellerFull:
    return ThurstoneMostellerFull(tau=0)  # a program does not change from match to match
