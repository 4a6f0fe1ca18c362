"""Results of reviews add up, and are read without compiled code."""

from __future__ import annotations

import statistics
import subprocess
import sys

import pytest

from liarsdice.analysis.review.results import EndCount, WhatIf, WhatIfBatch


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


def test_results_of_reviews_are_read_without_compiled_code() -> None:
    code = "import sys, liarsdice.server.http.reviews; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
