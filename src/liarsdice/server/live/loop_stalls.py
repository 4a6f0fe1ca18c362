"""Measures how long the event loop keeps everybody waiting, which no other metric shows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from prometheus_client import Gauge

CHECK_EVERY_S = 0.05
INTERVAL_S = 60.0
"""Prometheus asks more often, so that it misses no stall."""


class LoopStalls:
    """Sets a gauge to the longest stall of the event loop in the current and the last interval, in seconds.

    A stall is the time by which a timer runs late. `now_s` returns seconds of any clock that never goes back.
    """

    def __init__(self, gauge: Gauge, now_s: Callable[[], float] = time.monotonic) -> None:
        self._gauge = gauge
        self._now_s = now_s
        self._interval_began_s = now_s()
        self._longest_s = self._longest_before_s = 0.0

    async def run(self) -> None:
        """Measure until cancelled."""
        while True:
            due_s = self._now_s() + CHECK_EVERY_S
            await asyncio.sleep(CHECK_EVERY_S)
            self.record(max(0.0, self._now_s() - due_s))

    def record(self, stall_s: float) -> None:
        """Count a stall that has just ended."""
        if self._now_s() - self._interval_began_s >= INTERVAL_S:
            self._interval_began_s = self._now_s()
            self._longest_before_s, self._longest_s = self._longest_s, 0.0
        self._longest_s = max(self._longest_s, stall_s)
        self._gauge.set(max(self._longest_s, self._longest_before_s))
