"""The probability that unseen dice hold at least so many of a face."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.values.features import p_at_least


def test_it_is_binomial_and_linear_between_whole_numbers() -> None:
    plain, wild, between, certain = p_at_least(
        6, np.array([False, True, False, False]), np.array([2, 2, 2, 2]), np.array([1.0, 1.0, 1.5, -1.0])
    )
    assert plain == pytest.approx(11 / 36)
    assert wild == pytest.approx(20 / 36)
    assert between == pytest.approx((11 + 1) / 72)
    assert certain == 1
