"""Results of reviews add up, and are read without compiled code."""

from __future__ import annotations

import statistics
import subprocess
import sys

import pytest

from liarsdice.analysis.review.results import (
    UNASSESSED,
    DecisionReview,
    EndCount,
    WhatIf,
    WhatIfBatch,
    accuracy,
    player_reviews,
)
from liarsdice.values.judgement import Source


def decision(number: int, seat: int, source: Source, cost: float = 0.0) -> DecisionReview:
    return DecisionReview(number, 1, seat, (2,), None, None, True, None, source, cost, cost / 2, None, ())


def test_the_interval_counts_the_chance_of_the_deals_and_that_of_the_values_of_round_ends() -> None:
    differences = [0.5, 0.0, 0.25, -0.25]
    made, other = 2.0, 2.0 + sum(differences)
    squares = sum(difference**2 for difference in differences)
    sure = WhatIf().add(WhatIfBatch(4, made, other, squares, (EndCount("a", 2, 2, 0.04), EndCount("b", 2, 2, 0.04))))
    assert sure.difference == pytest.approx(statistics.mean(differences))
    assert sure.error == pytest.approx(1.96 * statistics.stdev(differences) / 2), "the ends are as frequent after both"
    known = WhatIf()
    known.add(WhatIfBatch(4, made, other, squares, (EndCount("a", 4, 0, 0.04), EndCount("b", 0, 4, 0.04))))
    wide = known.add(WhatIfBatch(4, made, other, squares, (EndCount("a", 4, 0, 0.04), EndCount("b", 0, 4, 0.04))))
    assert wide.deals == 8
    deals = statistics.variance(differences * 2) / 8
    assert wide.error == pytest.approx(1.96 * (deals + 2 * 0.04) ** 0.5)


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
