"""Decision times of bots, kept as histograms with logarithmic buckets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from math import log2

from liarsdice.bots.protocol import Bot, MatchLifecycle
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View

BUCKETS_PER_OCTAVE = 8
"""Buckets between a time and twice that time, so that a quantile is right within 5%."""

TimeHistogram = Mapping[int, int]
"""Number of decisions by bucket. Bucket b holds times of about `2 ** (b / BUCKETS_PER_OCTAVE)` microseconds."""


class TimedBot:
    """A bot whose decision times are measured.

    `times`: a histogram of all calls of `act`, failed ones included; `on_start` and `on_end` are not timed. `clock`:
    returns nanoseconds.
    """

    def __init__(self, bot: Bot, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        self.bot = bot
        self._clock = clock
        self.times: dict[int, int] = {}

    def act(self, view: View) -> PlayerAction | None:
        """Let the bot choose, and add the time that it took."""
        started_ns = self._clock()
        try:
            return self.bot.act(view)
        finally:
            bucket = time_bucket((self._clock() - started_ns) / 1_000)
            self.times[bucket] = self.times.get(bucket, 0) + 1

    def on_start(self, view: View) -> None:
        """Pass the start of the match on to a bot that implements `MatchLifecycle`."""
        if isinstance(self.bot, MatchLifecycle):
            self.bot.on_start(view)

    def on_end(self, view: View) -> None:
        """Pass the end of the match on to a bot that implements `MatchLifecycle`."""
        if isinstance(self.bot, MatchLifecycle):
            self.bot.on_end(view)


def time_bucket(time_us: float) -> int:
    """Return the bucket of a time in microseconds; times below 1 count as 1.

    >>> [time_bucket(time_us) for time_us in (0.2, 1, 2, 1000)]
    [0, 0, 8, 80]
    """
    return round(BUCKETS_PER_OCTAVE * log2(max(time_us, 1.0)))


def merge_times(histograms: Iterable[TimeHistogram]) -> dict[int, int]:
    """Return the sum of several histograms."""
    merged: dict[int, int] = {}
    for times in histograms:
        for bucket, count in times.items():
            merged[bucket] = merged.get(bucket, 0) + count
    return merged


def quantile_ms(times: TimeHistogram, share: float) -> float | None:
    """Return the time in milliseconds that this share of the decisions (0..1) did not exceed; None without decisions.

    >>> quantile_ms({0: 98, 80: 2}, 0.5), quantile_ms({0: 98, 80: 2}, 0.99)
    (0.001, 1.024)
    """
    remaining = share * sum(times.values())
    for bucket in sorted(times):
        remaining -= times[bucket]
        if remaining <= 0:
            return 2 ** (bucket / BUCKETS_PER_OCTAVE) / 1_000
    return None
