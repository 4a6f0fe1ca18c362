"""Prometheus metrics of a server. They count actions and hold no dice, names or table talk."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Metric, ProcessCollector, generate_latest


class _NodeRegistry(CollectorRegistry):
    """Metrics that all have a label with the id of the node, if it is not ""."""

    def __init__(self, node_id: str) -> None:
        super().__init__()
        self._node = {"node": node_id} if node_id else {}

    def collect(self) -> Iterator[Metric]:
        """Yield every metric, with the label."""
        for metric in super().collect():
            metric.samples = [sample._replace(labels={**self._node, **sample.labels}) for sample in metric.samples]
            yield metric


class Metrics:
    """The counters and gauges of one server, and on Linux the memory, processor time and open files of its process.

    `frame_count` is the number of messages sent since the last `text()`. It is a plain integer because the server sends
    thousands of messages a second. Use all of them from the event loop's thread only. `node_id`: the value of the label
    `node`, "" for no such label.
    """

    def __init__(self, node_id: str = "") -> None:
        self._registry = _NodeRegistry(node_id)
        self._recent = b""
        self._recent_s = 0.0
        ProcessCollector(registry=self._registry)

        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(name, text, labels, registry=self._registry)

        def gauge(name: str, text: str) -> Gauge:
            return Gauge(name, text, registry=self._registry)

        self.commands = counter("liarsdice_commands", "Commands of people and bots.", "kind", "outcome")
        self.commits = counter("liarsdice_commits", "Appends that were kept.")
        self.conflicts = counter("liarsdice_conflicts", "Appends where somebody was first.")
        self.frame_count = 0
        self._frames = counter("liarsdice_frames", "Messages sent to pages.")
        self.dropped = counter("liarsdice_dropped", "Connections that read too slowly.")
        self.refused = counter("liarsdice_refused", "Connections refused or closed over a limit.", "reason")
        self.connections = gauge("liarsdice_connections", "Pages connected now.")
        self.bot_turns = counter("liarsdice_bot_turns", "Turns that this server let a bot decide.")
        self.bot_failures = counter("liarsdice_bot_failures", "Moves that a stand-in made for a bot.", "failure")
        self.reviews = counter("liarsdice_reviews", "Reviews of matches.", "outcome")
        self.nodes = gauge("liarsdice_nodes", "Nodes that run, as far as this one hears of them.")
        self.bus_works = gauge("liarsdice_bus_works", "1 if the messages between nodes come and go, else 0.")
        self.tables = gauge("liarsdice_tables", "Tables in memory now.")
        self.deleted_tables = counter("liarsdice_deleted_tables", "Old tables that were deleted.")
        self.loop_stall = gauge(
            "liarsdice_loop_stall_seconds",
            "The longest time in the last minute or two in which the server answered nobody.",
        )
        self.unreadable_tables = gauge("liarsdice_unreadable_tables", "Tables whose logs could not be read.")

    def recent_text(self, now_s: float) -> bytes:
        """Return `text()`, or what it was less than a second ago. `now_s`: seconds of a clock that never goes back."""
        if not self._recent or now_s - self._recent_s >= 1:
            self._recent, self._recent_s = self.text(), now_s
        return self._recent

    def text(self) -> bytes:
        """Return all metrics in the Prometheus text format."""
        self._frames.inc(self.frame_count)
        self.frame_count = 0
        return generate_latest(self._registry)


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
