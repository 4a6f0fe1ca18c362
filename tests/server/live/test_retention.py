"""Tables that nobody has changed for a long time are deleted, and no others."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from liarsdice.server.errors import TableNotFoundError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.node_presence import EXPIRY_S
from liarsdice.server.live.table_registry import CHECK_EVERY_MS, FIRST_AFTER_MS, IDLE_MS, MAX_DELETED, TableRegistry
from liarsdice.server.table import commands as c
from liarsdice.server.table.snapshots import take_snapshot
from liarsdice.server.table.table_config import Clock
from tests.server.live_tables import (
    RecordingSubscriber,
    begin_match,
    fake_clock,
    make_config,
    make_table,
    open_registry,
)
from tests.server.two_nodes import TwoNodes

ANN = hash_token("Ann")
DAY_MS = 24 * 3600 * 1000


async def pass_time(registry: TableRegistry, ms: int) -> None:
    """Let time pass, then sweep as often as deleting a few tables takes."""
    fake_clock(registry).time_ms += ms
    for _ in range(3):
        await registry.sweep()


async def is_kept(registry: TableRegistry, code: str) -> bool:
    return await registry.services.store.load(code) is not None


async def test_a_table_is_deleted_with_all_that_belongs_to_it(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        fake_clock(registry).keep_ms = 2 * DAY_MS
        live_table = await make_table(registry, "Ann", "Bo")
        store, code = registry.services.store, live_table.code
        await store.save_snapshot(code, take_snapshot(await live_table.state()))
        await store.save_ticket("ticket", code, 1, 10**15)
        await pass_time(registry, 2 * DAY_MS)
        assert await is_kept(registry, code)
        await pass_time(registry, CHECK_EVERY_MS)
        with pytest.raises(TableNotFoundError):
            await registry.get(code)
        assert b"liarsdice_deleted_tables_total 1.0" in fake_clock(registry).metrics.text()
    with closing(sqlite3.connect(tmp_path / "db")) as connection:
        for query in ("tables", "entries", "snapshots", "tickets"):
            assert connection.execute(f"SELECT count(*) FROM {query}").fetchone() == (0,), query  # noqa: S608


async def test_all_tables_are_kept_unless_a_time_is_set(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        code = (await make_table(registry, "Ann")).code
        await pass_time(registry, 1_000 * DAY_MS)
        assert await is_kept(registry, code)


async def test_a_table_with_somebody_connected_is_kept(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        fake_clock(registry).keep_ms = DAY_MS
        live_table = await make_table(registry, "Ann")
        subscriber = RecordingSubscriber("")
        live_table.subscribe(subscriber)
        await pass_time(registry, 10 * DAY_MS)
        assert await is_kept(registry, live_table.code)
        live_table.unsubscribe(subscriber)
        await pass_time(registry, CHECK_EVERY_MS)
        assert not await is_kept(registry, live_table.code)


async def test_a_table_is_kept_while_the_clock_of_its_match_runs(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        fake_clock(registry).keep_ms = 3_600_000
        config = make_config(clock=Clock(24 * 3600))
        live_table = await make_table(registry, "Ann", "Bo", config=config)
        await begin_match(registry, live_table)
        await pass_time(registry, 2 * 3_600_000)
        assert live_table.code not in registry.loaded_codes
        assert await is_kept(registry, live_table.code)


async def test_a_change_keeps_a_table(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        fake_clock(registry).keep_ms = 2 * DAY_MS
        live_table = await make_table(registry, "Ann")
        await pass_time(registry, DAY_MS)
        loaded = await registry.get(live_table.code)
        await registry.submit(loaded, ANN, "s", c.Say("still here"))
        await pass_time(registry, DAY_MS + IDLE_MS)
        assert await is_kept(registry, live_table.code)


async def test_old_tables_are_deleted_a_few_at_a_time_and_not_at_once_after_a_start(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        codes = []
        for _ in range(MAX_DELETED + 2):
            fake_clock(registry).time_ms += 1
            codes.append((await make_table(registry, "Ann")).code)
        later_ms = fake_clock(registry).time_ms + 10 * DAY_MS
        fake_clock(registry).time_ms = later_ms
        await registry.services.store.heartbeat(later_ms)
        fake_clock(registry).keep_ms = DAY_MS
        registry.stop()
        for code in codes:
            registry.unload(code)
        restarted = TableRegistry(registry.services)
        await restarted.sweep()
        assert [await is_kept(restarted, code) for code in codes] == [True] * len(codes)
        fake_clock(registry).time_ms += FIRST_AFTER_MS
        await restarted.sweep()
        assert [await is_kept(restarted, code) for code in codes] == [False] * MAX_DELETED + [True] * 2
        await restarted.sweep()
        assert [await is_kept(restarted, code) for code in codes] == [False] * len(codes)


async def test_one_of_two_nodes_deletes_and_the_other_one_forgets() -> None:
    nodes = TwoNodes()
    for services in nodes.services:
        services.keep_ms = DAY_MS
    code = (await make_table(nodes.first, "Ann")).code
    nodes.first.unload(code)
    await nodes.second.get(code)
    for services in nodes.services:
        services.time_ms += 2 * DAY_MS
    await nodes.second.sweep()
    assert code in nodes.store.tables, "the second node does not delete"
    await nodes.second.get(code)
    await nodes.first.sweep()
    assert code not in nodes.store.tables
    nodes.network.deliver()
    assert not nodes.second.loaded_codes
    with pytest.raises(TableNotFoundError):
        await nodes.second.get(code)


async def test_a_table_with_somebody_connected_to_another_node_is_kept() -> None:
    nodes = TwoNodes()
    nodes.services[0].keep_ms = DAY_MS
    used, unused = [(await make_table(nodes.first, "Ann")).code for _ in range(2)]
    for code in (used, unused):
        nodes.first.unload(code)
    (await nodes.second.get(used)).subscribe(RecordingSubscriber(""))
    nodes.pass_seconds(1)
    for services in nodes.services:
        services.time_ms += 2 * DAY_MS
    await nodes.first.sweep()
    assert list(nodes.store.tables) == [used]


async def test_the_other_node_deletes_once_the_first_one_is_gone() -> None:
    nodes = TwoNodes()
    nodes.services[1].keep_ms = DAY_MS
    code = (await make_table(nodes.first, "Ann")).code
    for services in nodes.services:
        services.time_ms += 2 * DAY_MS
    nodes.kill(0)
    await nodes.second.sweep()
    assert code in nodes.store.tables
    nodes.pass_seconds(round(EXPIRY_S) + 1)
    await nodes.second.sweep()
    assert code not in nodes.store.tables
