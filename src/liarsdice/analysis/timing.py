"""How long a bot takes to decide: its times by size, so that a million of them take no room."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from math import log2

from liarsdice.bots.protocol import Bot, Visitor
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View

STEPS = 8
"""Sizes between a time and twice that time; a quantile is right within 5%."""

Times = Mapping[int, int]
"""How many decisions took about `2 ** (size / STEPS)` microseconds, by size."""


class Timed:
    """A bot under a stopwatch. `times` are of all decisions so far, failed ones too; arriving and leaving are free."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.times: dict[int, int] = {}

    def act(self, view: View) -> PlayerAction | None:
        """Let the bot choose."""
        began_ns = time.perf_counter_ns()
        try:
            return self.bot.act(view)
        finally:
            size = size_of((time.perf_counter_ns() - began_ns) / 1_000)
            self.times[size] = self.times.get(size, 0) + 1

    def arrive(self, view: View) -> None:
        """Let the bot get ready."""
        if isinstance(self.bot, Visitor):
            self.bot.arrive(view)

    def leave(self, view: View) -> None:
        """Let the bot let go."""
        if isinstance(self.bot, Visitor):
            self.bot.leave(view)


def size_of(time_us: float) -> int:
    """The size of a time; what is shorter than a microsecond counts as one.

    >>> [size_of(time_us) for time_us in (0.2, 1, 2, 1000)]
    [0, 0, 8, 80]
    """
    return round(STEPS * log2(max(time_us, 1.0)))


def together(several: Iterable[Times]) -> dict[int, int]:
    """All times in one."""
    found: dict[int, int] = {}
    for times in several:
        for size, count in times.items():
            found[size] = found.get(size, 0) + count
    return found


def quantile_ms(times: Times, share: float) -> float | None:
    """The time that so large a share of decisions, in 0..1, did not exceed; None without decisions.

    >>> quantile_ms({0: 98, 80: 2}, 0.5), quantile_ms({0: 98, 80: 2}, 0.99)
    (0.001, 1.024)
    """
    left = share * sum(times.values())
    for size in sorted(times):
        left -= times[size]
        if left <= 0:
            return 2 ** (size / STEPS) / 1_000
    return None
