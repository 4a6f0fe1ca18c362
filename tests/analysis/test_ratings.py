"""Ratings, checked on simulated games: players of known strength come out in their order and with their chances."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations
from math import exp, log

import pytest

from liarsdice.analysis.ratings import Outcome, p_before, ratings

STRENGTHS = (-1.5, -0.5, 0.0, 0.3, 0.8, 1.5)
"""Logarithms: one player comes before another with the chance `1 / (1 + exp(other - one))`."""


def games(seats: int, count: int, seed: int) -> Iterator[Outcome]:
    """Games at mixed tables whose players come in by Plackett's and Luce's law."""
    source = random.Random(seed)
    for _ in range(count):
        seating = source.sample(range(len(STRENGTHS)), seats)
        fortune = [STRENGTHS[one] - log(-log(source.random())) for one in seating]
        yield seating, [1 + sum(other > mine for other in fortune) for mine in fortune]


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
def test_players_of_known_strength_are_ordered_and_their_chances_told_rightly(seats: int) -> None:
    found = ratings(games(seats, 4_000, seed=11), len(STRENGTHS))
    assert [one.strength for one in found] == sorted(one.strength for one in found)
    wrong = [
        abs(p_before(found[one], found[other]) - 1 / (1 + exp(STRENGTHS[other] - STRENGTHS[one])))
        for one, other in combinations(range(len(STRENGTHS)), 2)
    ]
    assert max(wrong) < 0.1
    assert sum(wrong) / len(wrong) < 0.05


def test_who_never_played_stays_where_everybody_begins() -> None:
    found = ratings(games(3, 50, seed=1), len(STRENGTHS) + 1)
    assert found[-1].strength == 25
    assert found[-1].error > 8
    assert all(one.error < 4 for one in found[:-1])


def test_who_sits_in_two_seats_is_rated_once() -> None:
    first, second = ratings([((0, 0, 1), (1, 2, 3))] * 30, 2)
    assert first.strength > 28
    assert second.strength < 22


def test_as_strong_is_as_likely_to_come_first() -> None:
    (one, other) = ratings([], 2)
    assert p_before(one, other) == pytest.approx(0.5)
