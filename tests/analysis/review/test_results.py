"""Results of reviews add up, and are read without compiled code."""

import subprocess
import sys

from liarsdice.analysis.review.results import (
    UNASSESSED,
    DecisionReview,
    accuracy,
    player_reviews,
)
from liarsdice.values.judgement import Source


def decision(number: int, seat: int, source: Source, cost: float = 0.0) -> DecisionReview:
    return DecisionReview(number, 1, seat, (2,), None, None, True, None, source, cost, cost / 2, None, ())


def test_decisions_without_a_choice_change_neither_the_mean_cost_nor_the_accuracy() -> None:
    hard = [
        decision(0, 0, Source.PLAYOUTS, 0.04),
        decision(1, 0, Source.SOLVED),
        decision(2, 1, Source.BLUEPRINT, 0.01),
    ]
    easy = [decision(3 + number, 0, source) for number, source in enumerate([*UNASSESSED] * 5)]
    alone, among_easy = player_reviews(("Ann", "Bo"), hard), player_reviews(("Ann", "Bo"), [*hard, *easy])
    assert among_easy == alone
    assert [(player.decisions, player.costly, player.cost) for player in alone] == [(2, 1, 0.04), (1, 1, 0.01)]
    assert alone[0].accuracy == accuracy(0.04, 2)


def test_results_of_reviews_are_read_without_compiled_code() -> None:
    code = "import sys, liarsdice.server.http.reviews; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
