"""Histograms of decision times."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from liarsdice.analysis.arena import merge_times, quantile_ms, time_bucket


def test_quantiles_are_right_within_a_twentieth() -> None:
    generator = random.Random(1)
    times_us = sorted(generator.lognormvariate(5, 2) for _ in range(5_000))
    times = Counter(map(time_bucket, times_us))
    for share in (0.1, 0.5, 0.99):
        exact_ms = times_us[int(share * 5_000) - 1] / 1_000
        assert quantile_ms(times, share) == pytest.approx(exact_ms, rel=0.06)
    assert quantile_ms({}, 0.5) is None


def test_merged_histograms_count_every_time() -> None:
    assert merge_times([{0: 1, 8: 2}, {8: 3}, {}]) == {0: 1, 8: 5}
