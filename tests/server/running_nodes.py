"""Nodes in one process that share a database and a bus, for tests."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from liarsdice.core.actions import Move
from liarsdice.server.bus.event_bus import LocalEventBus
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.table.table_state import TableState
from tests.server.live_tables import START_MS, FakeClockServices, fake_clock
from tests.server.memory_store import SharedMemoryStore


class LossyEventBus(LocalEventBus):
    """A bus whose messages are lost while `loses` is set."""

    loses = False

    def publish(self, channel: str, key: str, value: str) -> None:
        if not self.loses:
            super().publish(channel, key, value)


class Nodes:
    """Some nodes in this process that share a database and a bus."""

    def __init__(self, count: int) -> None:
        self.store = SharedMemoryStore(START_MS)
        hub: list[LocalEventBus] = []
        self.buses = [LossyEventBus(hub) for _ in range(count)]
        self.registries = [TableRegistry(FakeClockServices(self.store, event_bus=bus)) for bus in self.buses]
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

    def pass_time(self, ms: int) -> None:
        self.store.time_ms += ms
        for registry in self.registries:
            fake_clock(registry).time_ms += ms


@asynccontextmanager
async def running_nodes(count: int = 2) -> AsyncIterator[Nodes]:
    nodes = Nodes(count)
    try:
        yield nodes
    finally:
        for registry in nodes.registries:
            registry.stop()
            await fake_clock(registry).close()
