"""A database keeps tickets to seats, and finds the tables that are due or listed."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from liarsdice.server.errors import UnreadableTableError
from liarsdice.server.storage.sqlite import SqliteStore
from liarsdice.server.storage.store import LogAppend, Store
from liarsdice.server.table.log_entries import Joined, LogRow, Muted, Opened, Spoke
from liarsdice.server.table.reducer import replay_log
from liarsdice.server.table.snapshots import KEPT_ENTRIES, take_snapshot
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


def long_log(entry_count: int) -> tuple[LogRow, ...]:
    """A log in which every tenth entry is no talk."""
    rows = [LogRow(1, 1_000, "", Opened("ABCD", make_config())), LogRow(2, 1_000, "", Joined(1, "Ann", "token", ""))]
    for seq in range(3, entry_count + 1):
        entry = Muted(1, muted=False) if seq % 10 == 0 else Spoke(1, f"line {seq}")
        rows.append(LogRow(seq, 1_000 + seq, f"w{seq}", entry))
    return tuple(rows)


async def open_long_table(path: Path, rows: tuple[LogRow, ...]) -> SqliteStore:
    store = await open_store(path)
    assert await store.append(LogAppend("ABCD", 0, rows, None, listed=True))
    return store


async def save_snapshot(store: SqliteStore, rows: tuple[LogRow, ...]) -> None:
    table = replay_log(rows)
    assert table is not None
    await store.save_snapshot("ABCD", take_snapshot(table))


async def test_a_table_is_loaded_from_its_snapshot_and_the_rows_after_it(tmp_path: Path) -> None:
    rows = long_log(50)
    store = await open_long_table(tmp_path, rows)
    for last_seq in (0, 30, 40):
        if last_seq:
            await save_snapshot(store, rows[:last_seq])
        loaded = await store.load_state("ABCD")
        assert loaded is not None
        assert loaded.rows == rows[last_seq:]
        assert loaded.snapshot == replay_log(rows[:last_seq])
    whole = await store.load("ABCD")
    assert whole is not None
    assert whole.rows == rows
    assert await store.load_state("EFGH") is None
    await store.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE snapshots SET digest = 'of other sources'",
        "UPDATE snapshots SET body = X'FF'",
        "UPDATE snapshots SET seq = seq + 1",
        "UPDATE snapshots SET seq = 99",
        "DELETE FROM snapshots",
    ],
)
async def test_a_snapshot_that_cannot_be_used_is_ignored(tmp_path: Path, statement: str) -> None:
    rows = long_log(50)
    store = await open_long_table(tmp_path, rows)
    await save_snapshot(store, rows[:40])
    with closing(sqlite3.connect(tmp_path / "db")) as connection:
        connection.execute(statement)
        connection.commit()
    loaded = await store.load_state("ABCD")
    assert loaded is not None
    assert (loaded.snapshot, loaded.rows) == (None, rows)
    await store.close()


async def test_a_snapshot_of_no_table_is_not_saved(tmp_path: Path) -> None:
    store = await open_store(tmp_path)
    await save_snapshot(store, long_log(5))
    with closing(sqlite3.connect(tmp_path / "db")) as connection:
        assert connection.execute("SELECT count(*) FROM snapshots").fetchone() == (0,)
    await store.close()


async def test_a_snapshot_deletes_the_talk_that_nothing_needs_any_more(tmp_path: Path) -> None:
    rows = long_log(3 * KEPT_ENTRIES)
    store = await open_long_table(tmp_path, rows)
    for last_seq in (500, 2 * KEPT_ENTRIES, 2 * KEPT_ENTRIES + 100, 3 * KEPT_ENTRIES):
        await save_snapshot(store, rows[:last_seq])
        whole = await store.load("ABCD")
        assert whole is not None
        kept_from = max(0, last_seq - KEPT_ENTRIES)
        assert whole.rows == tuple(row for row in rows if row.seq >= kept_from or not isinstance(row.entry, Spoke))
        assert replay_log(whole.rows) == replay_log(rows)
    await store.close()


@pytest.mark.parametrize("seq", [10, 2 * KEPT_ENTRIES + 1, 3 * KEPT_ENTRIES])
async def test_an_entry_that_is_missing_beside_deleted_talk_is_noticed(tmp_path: Path, seq: int) -> None:
    rows = long_log(3 * KEPT_ENTRIES)
    store = await open_long_table(tmp_path, rows)
    await save_snapshot(store, rows)
    with closing(sqlite3.connect(tmp_path / "db")) as connection:
        assert connection.execute("DELETE FROM entries WHERE seq = ?", (seq,)).rowcount == 1
        connection.commit()
    with pytest.raises(UnreadableTableError, match="entries"):
        await store.load("ABCD")
    await store.close()
