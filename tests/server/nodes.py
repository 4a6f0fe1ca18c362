"""Several nodes in one process: their bus, which may lose messages, and a database that they share."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

from liarsdice.core.actions import Move
from liarsdice.server.bus.event_bus import MAX_KEY_LENGTH, MAX_VALUE_LENGTH, EventBus
from liarsdice.server.live.node_presence import NodePresence
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.storage.rows import read_row
from liarsdice.server.storage.store import StoredState, StoredTable
from liarsdice.server.table.table_state import TableState
from tests.server.live_tables import START_MS, FakeClockServices, fake_clock
from tests.server.memory_store import SharedMemoryStore

Message = tuple["LossyBus", str, str, str, str]
"""The bus that receives it, the channel, the key, the value, and the id of the node that sent it."""


class Network:
    """Connects buses. Messages wait until `deliver`, which loses a share of them and delivers the rest in any order.

    `sent` keeps the channel, the key and the value of every message. `down`: everything is lost.
    """

    def __init__(self, seed: int = 0, *, loss: float = 0.0) -> None:
        self.loss = loss
        self.down = False
        self.sent: list[tuple[str, str, str]] = []
        self._random = random.Random(seed)
        self._buses: list[LossyBus] = []
        self._waiting: list[Message] = []

    def join(self) -> LossyBus:
        bus = LossyBus(self, f"node{len(self._buses)}")
        self._buses.append(bus)
        return bus

    def remove(self, bus: LossyBus) -> None:
        """A node that was killed sends and receives nothing more."""
        self._buses.remove(bus)

    def send(self, sender: LossyBus, channel: str, key: str, value: str) -> None:
        assert len(key) <= MAX_KEY_LENGTH
        assert len(value) <= MAX_VALUE_LENGTH
        self.sent.append((channel, key, value))
        if self.down or sender not in self._buses:
            return
        self._waiting += [
            (bus, channel, key, value, sender.node_id)
            for bus in self._buses
            if bus is not sender and self._random.random() >= self.loss
        ]

    def deliver(self, share: float = 1.0) -> None:
        """Deliver a share of the messages that wait, in random order."""
        self._random.shuffle(self._waiting)
        count = round(len(self._waiting) * share)
        delivered, self._waiting = self._waiting[:count], self._waiting[count:]
        for bus, channel, key, value, node_id in delivered:
            if bus in self._buses:
                bus.deliver(channel, key, value, node_id)


class LossyBus(EventBus):
    """The bus of one node of a `Network`."""

    def __init__(self, network: Network, node_id: str) -> None:
        super().__init__()
        self.node_id = node_id
        self._network = network

    def publish(self, channel: str, key: str, value: str) -> None:
        self._network.send(self, channel, key, value)


class SteppedClock:
    """Seconds that pass only when a test says so; then every node does what it does each second."""

    def __init__(self, network: Network, ticks: Sequence[Callable[[], object]] = ()) -> None:
        self.now_s = 1000.0
        self.ticks = [*ticks]
        self._network = network

    def __call__(self) -> float:
        return self.now_s

    def pass_seconds(self, count: int) -> None:
        for _ in range(count):
            self.now_s += 1.0
            for tick in self.ticks:
                tick()
            self._network.deliver()


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


class LocalEventBus(EventBus):
    """A bus within this process, which `others` share: a message is delivered during `publish`."""

    def __init__(self, others: list[LocalEventBus]) -> None:
        super().__init__()
        self._nodes = others
        self._nodes.append(self)

    def publish(self, channel: str, key: str, value: str) -> None:
        for node in self._nodes:
            if node is not self:
                node.deliver(channel, key, value, self.node_id)


class LossyEventBus(LocalEventBus):
    """A bus whose messages are lost while `loses` is set."""

    loses = False

    def publish(self, channel: str, key: str, value: str) -> None:
        if not self.loses:
            super().publish(channel, key, value)


class OldReleaseStore(SharedMemoryStore):
    """The store of a node of an earlier release on the database of another one.

    `newer_codes`: the tables with entries that only the newer release knows.
    """

    def __init__(self, other: SharedMemoryStore) -> None:
        self._other = other
        self.newer_codes: set[str] = set()
        super().__init__(other.time_ms)
        self.tables, self.snapshots = other.tables, other.snapshots

    @property
    def time_ms(self) -> int:
        return self._other.time_ms

    @time_ms.setter
    def time_ms(self, _: int) -> None:
        """The database has one clock."""

    async def load_state(self, code: str) -> StoredState | None:
        if code in self.newer_codes:
            read_row(code, (7, 1_000, "", b'{"type":"teleported","player":1}'))
        return await super().load_state(code)

    async def load_changes(self, known_seqs: Mapping[str, int]) -> Mapping[str, StoredTable]:
        changes = await super().load_changes(known_seqs)
        return {
            code: StoredTable((), stored.due_at_ms) if code in self.newer_codes else stored
            for code, stored in changes.items()
        }


class Nodes:
    """Some nodes in this process that share a database and a bus, the last ones of an earlier release."""

    def __init__(self, count: int, old_releases: int) -> None:
        self.store = SharedMemoryStore(START_MS)
        self.old_stores = [OldReleaseStore(self.store) for _ in range(old_releases)]
        hub: list[LocalEventBus] = []
        self.buses = [LossyEventBus(hub) for _ in range(count)]
        stores = [*[self.store] * (count - old_releases), *self.old_stores]
        self.registries = [
            TableRegistry(FakeClockServices(store, event_bus=bus))
            for store, bus in zip(stores, self.buses, strict=True)
        ]
        self.bot_turns: list[tuple[int, int, int]] = []
        for node, registry in enumerate(self.registries):
            self._count_bots(node, registry)

    def _count_bots(self, node: int, registry: TableRegistry) -> None:
        runner = registry.services.bot_runner
        choose_move = runner.choose_move

        async def choose_and_count(table: TableState, bots: Mapping[int, str]) -> tuple[int, Move] | None:
            assert table.match is not None
            self.bot_turns.append((node, table.match.number, table.match.turn_id))
            return await choose_move(table, bots)

        runner.choose_move = choose_and_count  # type: ignore[method-assign]  # the test counts

    def lose_messages(self) -> None:
        for bus in self.buses:
            bus.loses = True

    async def round(self, node: int) -> None:
        sync = self.registries[node].node_sync
        assert sync is not None
        await sync.round()
        if sync.claiming is not None:
            await sync.claiming

    def pass_time(self, ms: int) -> None:
        self.store.time_ms += ms
        for registry in self.registries:
            fake_clock(registry).time_ms += ms


@asynccontextmanager
async def running_nodes(count: int = 2, *, old_releases: int = 0) -> AsyncIterator[Nodes]:
    nodes = Nodes(count, old_releases)
    try:
        yield nodes
    finally:
        for registry in nodes.registries:
            registry.stop()
            await fake_clock(registry).close()
