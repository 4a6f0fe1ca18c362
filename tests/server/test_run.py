"""Settings choose the store and the bus, and garbage collections stay short."""

import asyncio
import gc
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.server.bus.event_bus import EventBus
from liarsdice.server.bus.postgres_bus import RemoteEventBus
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.live.table_services import NS_PER_MS
from liarsdice.server.run import make_bus, make_store, tune_garbage_collector
from liarsdice.server.services import Services
from liarsdice.server.settings import PostgresUrl
from liarsdice.server.storage.postgres import PostgresStore
from liarsdice.server.storage.sqlite import SqliteStore
from liarsdice.server.table.table_config import Clock
from tests.server.live_tables import (
    START_MS,
    FakeClockServices,
    begin_match,
    make_config,
    make_table,
    shared_pool,
    token_on_turn,
    turn_id,
)
from tests.server.memory_store import MemoryStore, SharedMemoryStore


def test_the_database_chooses_the_store(tmp_path: Path) -> None:
    assert isinstance(make_store(tmp_path / "db"), SqliteStore)
    assert isinstance(make_store(PostgresUrl("postgresql://db.example/dice")), PostgresStore)


def test_a_missing_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "liarsdice.server.storage.postgres")
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(UnavailableError, match=r"pip install 'liarsdice-engine\[postgresql\]'"):
        make_store(PostgresUrl("postgresql://db.example/dice"))


def test_the_database_chooses_the_bus(tmp_path: Path) -> None:
    assert type(make_bus(tmp_path / "db")) is EventBus
    assert isinstance(make_bus(PostgresUrl("postgresql://db.example/dice")), RemoteEventBus)


@pytest.fixture
def tuned_collector() -> Iterator[None]:
    """A process that tunes the collector when it has many objects already, as a server has from its imports."""
    thresholds, callbacks = gc.get_threshold(), list(gc.callbacks)
    imported: list[list[object]] = [[[]] for _ in range(500_000)]
    tune_garbage_collector()
    yield
    assert imported
    gc.callbacks[:] = callbacks
    gc.set_threshold(*thresholds)


@pytest.mark.usefixtures("tuned_collector")
def test_no_garbage_collection_looks_at_more_than_what_came_since_the_last_one() -> None:
    looked_at = []

    def record(phase: str, info: dict[str, int]) -> None:
        if phase == "start" and info["generation"] == 2:
            looked_at.append(len(gc.get_objects()))

    gc.callbacks.append(record)
    kept: list[list[object]] = [[[]] for _ in range(300_000)]  # as a server keeps tables and connections
    assert len(looked_at) > 3
    assert max(looked_at) < len(kept) / 2


HOUR_MS = 3_600_000


class MachineClocks:
    """The two clocks of a machine, which stand still unless a test moves them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.wall_ms, self.monotonic_ms = START_MS, 5_000
        monkeypatch.setattr(time, "time_ns", lambda: self.wall_ms * NS_PER_MS)
        monkeypatch.setattr(time, "monotonic_ns", lambda: self.monotonic_ms * NS_PER_MS)

    def advance(self, ms: int, *, wall_jump_ms: int) -> None:
        """Let time pass, and set the wall clock meanwhile."""
        self.wall_ms += ms + wall_jump_ms
        self.monotonic_ms += ms


@pytest.mark.parametrize("jump_ms", [-HOUR_MS, HOUR_MS, 0])
def test_the_time_of_a_server_goes_on_evenly_when_the_wall_clock_is_set(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, jump_ms: int
) -> None:
    clocks = MachineClocks(monkeypatch)
    services = Services(SqliteStore(tmp_path / "db"))
    assert services.now_ms() == START_MS
    clocks.advance(10_000, wall_jump_ms=jump_ms)
    assert services.now_ms() == START_MS + 10_000


@pytest.mark.parametrize("jump_ms", [-HOUR_MS, HOUR_MS])
async def test_setting_the_wall_clock_costs_and_gives_nobody_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, jump_ms: int
) -> None:
    clocks = MachineClocks(monkeypatch)
    services = Services(SqliteStore(tmp_path / "db"), pace=0)
    registry = TableRegistry(services)
    await services.open()
    try:
        live_table = await make_table(registry, "Ann", "Bo", config=make_config(clock=Clock(30, 60)))
        table = await begin_match(registry, live_table)
        clocks.advance(40_000, wall_jump_ms=jump_ms)
        assert live_table.left_ms() == 50_000
        assert table.ongoing_match is not None
        seat = table.ongoing_match.state.turn
        await registry.submit(live_table, token_on_turn(table), "bid", Bid(1, 2), turn_id(table))
        assert (await live_table.state()).players[seat].bank_ms == 50_000
    finally:
        registry.stop()
        await services.close()


@pytest.mark.parametrize("skew_ms", [-5 * 60_000, 5 * 60_000])
async def test_a_node_goes_by_the_clock_of_the_database(monkeypatch: pytest.MonkeyPatch, skew_ms: int) -> None:
    clocks = MachineClocks(monkeypatch)
    store = SharedMemoryStore(START_MS + skew_ms)
    services = Services(store, pace=0, bot_workers=shared_pool())
    await services.open()
    assert services.now_ms() == START_MS + skew_ms
    clocks.advance(10_000, wall_jump_ms=0)
    assert services.now_ms() == START_MS + skew_ms + 10_000
    store.time_ms += 10_500
    await services.follow_database_clock()
    assert services.now_ms() == START_MS + skew_ms + 10_500
    await services.close()


async def test_a_node_logs_once_that_others_have_other_settings() -> None:
    store = SharedMemoryStore(START_MS)
    services = FakeClockServices(store)
    with capture_logs() as logged:
        await services.compare_settings()
        for nodes in (("dice (process 7)",), ("dice (process 7)",), (), ("dice (process 8)",)):
            store.other_nodes = nodes
            await services.compare_settings()
    assert [entry["nodes"] for entry in logged] == [("dice (process 7)",), ("dice (process 8)",)]
    assert {entry["log_level"] for entry in logged} == {"warning"}
    await services.close()


async def test_one_of_several_nodes_has_a_process_for_bots_before_it_takes_a_table_over() -> None:
    for store, started in ((SharedMemoryStore(START_MS), True), (MemoryStore(), False)):
        services = FakeClockServices(store)
        await services.open()
        await asyncio.sleep(0)
        assert services.bot_runner.started is started
        await services.close()
