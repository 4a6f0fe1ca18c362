"""Two nodes in the process of a test, with one database in memory and a bus that delivers when the test says so."""

from __future__ import annotations

from collections.abc import Callable

from liarsdice.server.live.node_presence import NodePresence
from liarsdice.server.live.table_registry import TableRegistry
from tests.server.live_tables import START_MS, FakeClockServices
from tests.server.lossy_bus import LossyBus, Network, SteppedClock
from tests.server.memory_store import SharedMemoryStore


class TwoNodes:
    """Two nodes with one database in memory, whose clocks a test moves."""

    def __init__(self) -> None:
        self.network, self.store = Network(), SharedMemoryStore(START_MS)
        self._clock = SteppedClock(self.network)
        self._buses: list[LossyBus] = [self.network.join() for _ in range(2)]
        self.services = [FakeClockServices(self.store, event_bus=bus) for bus in self._buses]
        self._ticks: list[list[Callable[[], object]]] = []
        for services in self.services:
            presence = services.node_presence = NodePresence(services.event_bus, now_s=self._clock)
            self._ticks.append([presence.publish_changes, presence.tick])
            self._clock.ticks += self._ticks[-1]
        self.first, self.second = map(TableRegistry, self.services)
        self.pass_seconds(2)

    def pass_seconds(self, count: int) -> None:
        for _ in range(count):
            self.store.time_ms += 1000
            for services in self.services:
                services.time_ms += 1000
            self._clock.pass_seconds(1)

    def kill(self, number: int) -> None:
        """Let a node send and receive nothing more."""
        self.network.remove(self._buses[number])
        for tick in self._ticks[number]:
            self._clock.ticks.remove(tick)
