"""Ratings of simulated players of known strength: they are in the right order and predict results."""

import random
from collections.abc import Iterator
from itertools import combinations
from math import exp, log

import pytest
from openskill.models import ThurstoneMostellerFull

from liarsdice.analysis.ratings import Outcome, Rating, ratings, wilson_interval

STRENGTHS = (-1.5, -0.5, 0.0, 0.3, 0.8, 1.5)
"""In logits: a player finishes ahead of another with probability `1 / (1 + exp(other - own))`."""


def simulated_matches(seats: int, count: int, seed: int) -> Iterator[Outcome]:
    """Yield matches at mixed tables whose places follow the Plackett-Luce model."""
    generator = random.Random(seed)
    for _ in range(count):
        seating = generator.sample(range(len(STRENGTHS)), seats)
        performances = [STRENGTHS[player] - log(-log(generator.random())) for player in seating]
        yield seating, [1 + sum(other > own for other in performances) for own in performances]


def p_finishes_ahead(first: Rating, second: Rating) -> float:
    """Return the probability that the first player finishes ahead of the second."""
    model = ThurstoneMostellerFull(tau=0)
    return float(
        model.predict_win([[model.rating(mu=player.strength, sigma=player.error)] for player in (first, second)])[0]
    )


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
def test_players_of_known_strength_are_ordered_and_results_are_predicted(seats: int) -> None:
    rated = ratings(simulated_matches(seats, 4_000, seed=11), len(STRENGTHS))
    assert [rating.strength for rating in rated] == sorted(rating.strength for rating in rated)
    errors = [
        abs(p_finishes_ahead(rated[first], rated[second]) - 1 / (1 + exp(STRENGTHS[second] - STRENGTHS[first])))
        for first, second in combinations(range(len(STRENGTHS)), 2)
    ]
    assert max(errors) < 0.1
    assert sum(errors) / len(errors) < 0.05


def test_a_player_without_matches_keeps_the_initial_rating() -> None:
    rated = ratings(simulated_matches(3, 50, seed=1), len(STRENGTHS) + 1)
    assert rated[-1].strength == 25
    assert rated[-1].error > 8
    assert all(rating.error < 4 for rating in rated[:-1])


def test_a_player_in_two_seats_is_rated_once() -> None:
    first, second = ratings([((0, 0, 1), (1, 2, 3))] * 30, 2)
    assert first.strength > 28
    assert second.strength < 22


def test_equal_players_are_equally_likely_to_finish_ahead() -> None:
    (first, second) = ratings([], 2)
    assert p_finishes_ahead(first, second) == pytest.approx(0.5)


def test_wilsons_interval_as_published() -> None:
    # Newcombe 1998, simulation I: 81 of 263, 15 of 148, 0 of 20 and 1 of 29, to four places.
    assert wilson_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson_interval(15, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)
    assert wilson_interval(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert wilson_interval(1, 29) == pytest.approx((0.0061, 0.1718), abs=5e-5)
    assert wilson_interval(0, 0) == (0.0, 1.0)
