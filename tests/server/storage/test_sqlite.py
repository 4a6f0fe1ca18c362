"""A database keeps tickets to seats, and finds the tables that are due or listed."""

from pathlib import Path

from liarsdice.server.storage.sqlite import SqliteStore
from liarsdice.server.storage.store import LogAppend, Store
from liarsdice.server.table.log_entries import LogRow, Opened, Spoke
from tests.server.live_tables import make_config


async def append(store: Store, code: str, at_ms: int, due_at_ms: int | None, *, listed: bool) -> None:
    row = LogRow(1, at_ms, "", Opened(code, make_config()))
    assert await store.append(LogAppend(code, 0, (row,), due_at_ms, listed=listed))


async def open_store(path: Path, now_ms: int = 0) -> SqliteStore:
    store = SqliteStore(path / "db")
    await store.open(now_ms)
    return store


async def test_a_ticket_works_once_and_expires(tmp_path: Path) -> None:
    store = await open_store(tmp_path)
    await store.save_ticket("t1", "ABCD", 7, 1_000)
    await store.save_ticket("t2", "ABCD", 7, 1_000)
    assert await store.redeem_ticket("t1", "EFGH", 500) is None
    assert await store.redeem_ticket("t1", "ABCD", 500) == 7
    assert await store.redeem_ticket("t1", "ABCD", 500) is None
    assert await store.redeem_ticket("t2", "ABCD", 1_001) is None
    await store.close()


async def test_only_one_of_two_writers_appends_after_an_entry(tmp_path: Path) -> None:
    store = await open_store(tmp_path)
    await append(store, "ABCD", 1_000, None, listed=False)
    first = LogAppend("ABCD", 1, (LogRow(2, 1_001, "", Spoke(1, "first")),), None, listed=False)
    second = LogAppend("ABCD", 1, (LogRow(2, 1_002, "", Spoke(1, "second")),), None, listed=False)
    assert await store.append(first)
    assert not await store.append(second)
    stored = await store.load("ABCD")
    assert stored is not None
    assert stored.rows[1:] == first.rows
    await store.close()


async def test_due_and_listed_tables_are_found_in_their_order(tmp_path: Path) -> None:
    store = await open_store(tmp_path)
    await append(store, "AAAA", 1_000, 9_000, listed=True)
    await append(store, "BBBB", 2_000, 5_000, listed=False)
    await append(store, "CCCC", 3_000, None, listed=True)
    assert list(await store.due_codes(0, 10_000)) == ["BBBB", "AAAA"]
    assert list(await store.due_codes(5_000, 8_999)) == []
    assert list(await store.listed_codes(10, 1_000)) == ["CCCC", "AAAA"]
    assert list(await store.listed_codes(1, 1_000)) == ["CCCC"]
    await store.close()


async def test_times_in_the_future_count_as_now_when_a_database_is_opened(tmp_path: Path) -> None:
    store = await open_store(tmp_path)
    await append(store, "AAAA", 900_000, 901_000, listed=True)
    await append(store, "BBBB", 100_000, 150_000, listed=True)
    await store.save_ticket("t", "AAAA", 7, 1_800_000)
    await store.heartbeat(900_000)
    await store.close()
    store = await open_store(tmp_path, now_ms=500_000)
    assert list(await store.due_codes(0, 499_999)) == ["BBBB"]
    assert list(await store.due_codes(499_999, 501_000)) == ["AAAA"]
    assert list(await store.listed_codes(10, 500_001)) == []
    assert await store.redeem_ticket("t", "AAAA", 1_400_001) is None
    await store.close()


async def test_every_deadline_keeps_what_was_left_of_it_when_the_last_server_stopped(tmp_path: Path) -> None:
    store = await open_store(tmp_path)
    await append(store, "AAAA", 10_000, 40_000, listed=False)
    await append(store, "BBBB", 20_500, 50_000, listed=False)
    await append(store, "CCCC", 5_000, 15_000, listed=False)
    await store.heartbeat(20_000)
    await store.close()
    store = await open_store(tmp_path, now_ms=1_000_000)
    due_at_ms = {code: stored.due_at_ms for code in ("AAAA", "BBBB", "CCCC") if (stored := await store.load(code))}
    assert due_at_ms == {"AAAA": 1_020_000, "BBBB": 1_029_500, "CCCC": 15_000}
    await store.close()
