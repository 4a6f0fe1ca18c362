"""Intervals of proportions."""

from __future__ import annotations

import pytest

from liarsdice.analysis.ratings import wilson_interval


def test_wilsons_interval_as_published() -> None:
    # Newcombe 1998, simulation I: 81 of 263, 15 of 148, 0 of 20 and 1 of 29, to four places.
    assert wilson_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson_interval(15, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)
    assert wilson_interval(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert wilson_interval(1, 29) == pytest.approx((0.0061, 0.1718), abs=5e-5)
    assert wilson_interval(0, 0) == (0.0, 1.0)
