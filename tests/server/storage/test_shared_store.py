"""What only a database of several nodes does: it finds changes of others, and gives each due table to one node."""

import asyncio
from pathlib import Path

import pytest

from liarsdice.server.settings import PostgresUrl
from liarsdice.server.storage.store import LogAppend, SharedStore, Store
from liarsdice.server.table.log_entries import LogRow, Spoke
from liarsdice.server.table.snapshots import SNAPSHOT_EVERY
from tests.server.storage.stored_tables import PostgresTables, append


@pytest.fixture
def tables(postgres_url: PostgresUrl, tmp_path: Path) -> PostgresTables:
    return PostgresTables(postgres_url, tmp_path / "postgresql")


async def open_node(tables: PostgresTables, now_ms: int = 0) -> SharedStore:
    store = await tables.open(now_ms)
    assert isinstance(store, SharedStore)
    return store


async def due_at_ms(store: Store, code: str) -> int | None:
    stored = await store.load(code)
    assert stored is not None
    return stored.due_at_ms


async def test_only_the_first_of_several_nodes_continues_the_deadlines(tables: PostgresTables) -> None:
    store = await open_node(tables)
    await append(store, "ABCD", 10_000, 40_000, listed=False)
    await store.heartbeat(20_000)
    await store.close()
    first = await open_node(tables, 1_000_000)
    second = await open_node(tables, 2_000_000)
    assert await due_at_ms(second, "ABCD") == 1_020_000
    assert [await node.clock_ms() for node in (first, second)] == [1_000_000, 2_000_000]
    await first.close()
    await second.close()


async def test_changes_of_other_nodes_are_found(tables: PostgresTables) -> None:
    first, second = await open_node(tables), await open_node(tables)
    rows = [LogRow(seq, 1_000 + seq, "", Spoke(1, f"line {seq}")) for seq in (2, 3)]
    for code in ("AAAA", "BBBB", "CCCC"):
        await append(first, code, 1_000, None, listed=False)
    for code in ("AAAA", "BBBB"):
        assert await first.append(LogAppend(code, 1, tuple(rows), 7_000, listed=False))
    await tables.execute("UPDATE entries SET body = 'nonsense' WHERE code = 'BBBB' AND seq = 3")
    changes = await second.load_changes({"AAAA": 2, "BBBB": 1, "CCCC": 1, "NONE": 5})
    assert {code: (stored.rows, stored.due_at_ms) for code, stored in changes.items()} == {
        "AAAA": ((rows[1],), 7_000),
        "BBBB": ((), 7_000),
    }
    assert await second.load_changes({}) == {}
    await first.close()
    await second.close()


async def test_a_table_that_has_changed_a_lot_is_loaded_from_its_snapshot(tables: PostgresTables) -> None:
    """A node that was suspended for an hour reads no million rows at once."""
    store = await open_node(tables)
    await append(store, "ABCD", 1_000, None, listed=False)
    rows = [LogRow(seq, 1_000 + seq, "", Spoke(1, "hi")) for seq in range(2, SNAPSHOT_EVERY + 3)]
    assert await store.append(LogAppend("ABCD", 1, tuple(rows), 7_000, listed=False))
    few, many = [(await store.load_changes({"ABCD": seq}))["ABCD"] for seq in (2, 1)]
    assert (len(few.rows), few.due_at_ms) == (SNAPSHOT_EVERY, 7_000)
    assert (len(many.rows), many.due_at_ms) == (0, 7_000)
    await store.close()


async def test_each_due_table_is_given_to_one_node_at_a_time(tables: PostgresTables) -> None:
    codes = [f"T{number:03}" for number in range(30)]
    nodes = [await open_node(tables, 50_000) for _ in range(3)]
    for place, code in enumerate(codes):
        await append(nodes[0], code, 1_000, 40_000 + place, listed=False)
    await append(nodes[0], "SOON", 1_000, 49_000, listed=False)
    claimed = await asyncio.gather(*(node.claim_due(1_000, 100) for node in nodes))
    assert sorted(code for part in claimed for code in part) == codes
    assert await due_at_ms(nodes[0], "T000") == 50_000
    assert await nodes[1].claim_due(1_000, 100) == []
    for node in nodes:
        await node.close()


async def test_a_deadline_is_postponed_while_the_log_does_not_grow(tables: PostgresTables) -> None:
    store = await open_node(tables)
    for code in ("AAAA", "BBBB", "CCCC"):
        await append(store, code, 1_000, 5_000, listed=False)
    await store.postpone([("AAAA", 1, 9_000), ("BBBB", 2, 9_000), ("CCCC", 1, 4_000), ("NONE", 1, 9_000)])
    await store.postpone([])
    assert [await due_at_ms(store, code) for code in ("AAAA", "BBBB", "CCCC")] == [9_000, 5_000, 5_000]
    await store.close()
