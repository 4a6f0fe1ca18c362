"""Counters for those who run a server. They count acts and never look at dice, names or words."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest


class Meters:
    """The metrics of one server, in the Prometheus text format.

    `frame_count`: messages sent since the metrics were last asked for, thousands a second and so counted plainly.
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.wishes = Counter(
            "liarsdice_wishes", "What people and bots asked for.", ["kind", "outcome"], registry=self._registry
        )
        self.commits = Counter("liarsdice_commits", "Appends that were kept.", registry=self._registry)
        self.conflicts = Counter("liarsdice_conflicts", "Appends where somebody was first.", registry=self._registry)
        self.frame_count = 0
        self._frames = Counter("liarsdice_frames", "Messages sent to pages.", registry=self._registry)
        self.dropped = Counter("liarsdice_dropped", "Connections that read too slowly.", registry=self._registry)
        self.connections = Gauge("liarsdice_connections", "Pages connected now.", registry=self._registry)
        self.tables = Gauge("liarsdice_tables", "Tables in memory now.", registry=self._registry)

    def text(self) -> bytes:
        """All metrics."""
        self._frames.inc(self.frame_count)
        self.frame_count = 0
        return generate_latest(self._registry)
