"""The progress line of the solver."""

from __future__ import annotations

import pytest

from liarsdice.cli.stdio import SolveProgress
from liarsdice.solve.cfr.solver import Bounds


def test_the_remaining_time_is_estimated_from_the_trend() -> None:
    by_target = SolveProgress(target=1e-3, iterations=None, seconds=None, began_s=0.0)
    history = [Bounds(count, 1 / count, 0, 0) for count in (10, 20, 40, 100)]
    for bounds in history:
        by_target.show(bounds)
    assert by_target.remaining_s(2.0) == pytest.approx(18.0)
    by_iterations = SolveProgress(target=1e-3, iterations=150, seconds=60, began_s=0.0)
    for bounds in history:
        by_iterations.show(bounds)
    assert by_iterations.remaining_s(2.0) == pytest.approx(1.0)
