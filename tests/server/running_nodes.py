"""Nodes in one process that share a database and a bus, for tests."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from liarsdice.core.actions import Move
from liarsdice.server.bus.event_bus import LocalEventBus
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.storage.rows import read_row
from liarsdice.server.storage.store import StoredState, StoredTable
from liarsdice.server.table.table_state import TableState
from tests.server.live_tables import START_MS, FakeClockServices, fake_clock
from tests.server.memory_store import SharedMemoryStore


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
