"""How far solving has come, in one line that is written again and again, with how long it will take still."""

from __future__ import annotations

import math
import sys
import time

from liarsdice.solve.cfr.method import Bounds

STEEPEST = 10
LOOK_BACK = 2.0
"""The trend is taken from where half as many iterations were done."""


class Pace:
    """Tells of bounds as they come closer, and guesses from their trend when they meet the target."""

    def __init__(self, target: float | None, iterations: int | None, seconds: float | None) -> None:
        self._target = target
        self._iterations = iterations
        self._seconds = seconds
        self._began_s = time.perf_counter()
        self._seen: list[Bounds] = []

    def tell(self, bounds: Bounds) -> None:
        """Write the line."""
        self._seen.append(bounds)
        left_s = self.left_s(time.perf_counter() - self._began_s)
        left = "" if left_s is None else f", about {duration(left_s)} left"
        line = f"{bounds.iterations:>8} iterations, exploitability {bounds.exploitability:.2e}{left}"
        print(f"\r{line:<78}", end="", file=sys.stderr, flush=True)

    def left_s(self, spent_s: float) -> float | None:
        """How many seconds are left after so many, as far as that can be told: until the first reason to stop."""
        now = self._seen[-1]
        wanted = [] if self._iterations is None else [float(self._iterations)]
        reached = self._reached()
        if reached is not None:
            wanted.append(reached)
        left = [spent_s * (end / now.iterations - 1) for end in wanted]
        if self._seconds is not None:
            left.append(self._seconds - spent_s)
        return max(min(left), 0) if left else None

    def _reached(self) -> float | None:
        """At how many iterations the target is reached, if exploitability goes on falling as it did."""
        now = self._seen[-1]
        before = next((one for one in reversed(self._seen) if one.iterations * LOOK_BACK <= now.iterations), None)
        if self._target is None or before is None or not 0 < now.exploitability < before.exploitability:
            return None
        slope = math.log(before.exploitability / now.exploitability) / math.log(now.iterations / before.iterations)
        further: float = max(now.exploitability / self._target, 1.0) ** min(1 / slope, STEEPEST)
        return now.iterations * further

    @staticmethod
    def end() -> None:
        """Leave the line."""
        print(file=sys.stderr)


def duration(seconds: float) -> str:
    """A time in words.

    >>> duration(7.2), duration(100), duration(8000)
    ('8 s', '1 min 40 s', '2 h 13 min')
    """
    whole = math.ceil(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
