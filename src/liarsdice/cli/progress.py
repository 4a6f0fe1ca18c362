"""A progress line for solving: iterations, exploitability and the estimated time that remains."""

from __future__ import annotations

import math
import sys
import time

from liarsdice.solve.cfr.solver import Bounds

MAX_EXPONENT = 10
"""The highest power of the iterations that a forecast uses; a flat trend would give an endless one."""

TREND_RATIO = 2.0
"""The trend is that since the bounds with at most 1/`TREND_RATIO` of the iterations."""


class SolveProgress:
    """Prints the bounds on one line of stderr, and forecasts from their trend when they reach the target.

    `began_s`: the time of `time.perf_counter` from which the limit of `seconds` counts.
    """

    def __init__(self, target: float | None, iterations: int | None, seconds: float | None, began_s: float) -> None:
        self._target = target
        self._iterations = iterations
        self._seconds = seconds
        self._began_s = began_s
        self._history: list[Bounds] = []

    def show(self, bounds: Bounds) -> None:
        """Add bounds to the history and rewrite the line."""
        self._history.append(bounds)
        remaining_s = self.remaining_s(time.perf_counter() - self._began_s)
        remaining = "" if remaining_s is None else f", about {format_duration(remaining_s)} left"
        line = f"{bounds.iterations:>8} iterations, exploitability {bounds.exploitability:.2e}{remaining}"
        print(f"\r{line:<78}", end="", file=sys.stderr, flush=True)

    def remaining_s(self, elapsed_s: float) -> float | None:
        """Return the seconds that remain after `elapsed_s` seconds until the first limit, or None if unknown."""
        latest = self._history[-1]
        last_iterations = [] if self._iterations is None else [float(self._iterations)]
        target_iterations = self._iterations_to_target()
        if target_iterations is not None:
            last_iterations.append(target_iterations)
        remaining = [elapsed_s * (last / latest.iterations - 1) for last in last_iterations]
        if self._seconds is not None:
            remaining.append(self._seconds - elapsed_s)
        return max(min(remaining), 0) if remaining else None

    def _iterations_to_target(self) -> float | None:
        """Return the iterations at the target if exploitability keeps falling as a power of them, else None."""
        latest = self._history[-1]
        earlier = next(
            (bounds for bounds in reversed(self._history) if bounds.iterations * TREND_RATIO <= latest.iterations), None
        )
        if self._target is None or earlier is None or not 0 < latest.exploitability < earlier.exploitability:
            return None
        slope = math.log(earlier.exploitability / latest.exploitability) / math.log(
            latest.iterations / earlier.iterations
        )
        growth: float = max(latest.exploitability / self._target, 1.0) ** min(1 / slope, MAX_EXPONENT)
        return latest.iterations * growth

    @staticmethod
    def end() -> None:
        """End the line."""
        print(file=sys.stderr)


def format_duration(seconds: float) -> str:
    """Return a duration as text, in seconds, minutes or hours.

    >>> format_duration(7.2), format_duration(100), format_duration(8000)
    ('8 s', '1 min 40 s', '2 h 13 min')
    """
    whole = math.ceil(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
