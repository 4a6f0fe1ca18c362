"""The longest stall of the event loop is a metric, for long enough that Prometheus sees it."""

import asyncio

import pytest

from liarsdice.server.live import loop_stalls
from liarsdice.server.live.loop_stalls import INTERVAL_S, LoopStalls
from liarsdice.server.metrics import Metrics


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def shown(metrics: Metrics) -> float:
    (line,) = (
        line for line in metrics.text().decode().splitlines() if line.startswith("liarsdice_loop_stall_seconds ")
    )
    return float(line.split()[1])


def test_the_longest_stall_is_shown_until_the_end_of_the_next_interval() -> None:
    metrics, clock = Metrics(), Clock()
    stalls = LoopStalls(metrics.loop_stall, clock)
    for stall_s in (0.1, 0.4, 0.2):
        stalls.record(stall_s)
    assert shown(metrics) == 0.4
    clock.now_s = INTERVAL_S
    stalls.record(0.3)
    assert shown(metrics) == 0.4
    clock.now_s = 2 * INTERVAL_S
    stalls.record(0.0)
    assert shown(metrics) == 0.3


async def test_what_keeps_the_loop_busy_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_stalls, "CHECK_EVERY_S", 0)
    metrics, clock = Metrics(), Clock()
    measuring = asyncio.create_task(LoopStalls(metrics.loop_stall, clock).run())
    await asyncio.sleep(0)  # it waits for its first timer
    clock.now_s += 0.25  # as if something had kept the loop busy meanwhile
    await asyncio.sleep(0)
    assert shown(metrics) == 0.25
    measuring.cancel()
