"""What every database does: it decides between writers, keeps tickets, and finds the tables that are due or listed."""

import asyncio
from pathlib import Path

import pytest

from liarsdice.server.errors import StoreError, UnreadableTableError
from liarsdice.server.settings import PostgresUrl
from liarsdice.server.storage.group_rows import GroupRows
from liarsdice.server.storage.store import LogAppend, SharedStore, Store
from liarsdice.server.table.log_entries import (
    FaceChosen,
    Joined,
    LogEntry,
    LogRow,
    MatchBegan,
    Muted,
    Opened,
    Played,
    PlayerSeedRevealed,
    PushChanged,
    Spoke,
    WebhookChanged,
)
from liarsdice.server.table.reducer import replay_log
from liarsdice.server.table.snapshots import KEPT_ENTRIES, SNAPSHOT_EVERY, take_snapshot
from tests.server.live_tables import make_config
from tests.server.storage.stored_tables import PostgresTables, StoredTables, append


async def test_a_ticket_works_once_and_expires(database: StoredTables) -> None:
    store = await database.open()
    await store.save_ticket("t1", "ABCD", 7, 1_000)
    await store.save_ticket("t2", "ABCD", 8, 1_000)
    assert await store.redeem_ticket("t1", "EFGH", 500) is None
    assert await store.redeem_ticket("t1", "ABCD", 500) == 7
    assert await store.redeem_ticket("t1", "ABCD", 500) is None
    assert await store.redeem_ticket("t2", "ABCD", 1_001) is None
    await store.close()


async def test_a_seat_has_one_ticket_however_many_were_made(database: StoredTables) -> None:
    store = await database.open()
    for number in range(100):
        await store.save_ticket(f"t{number}", "ABCD", 7, 1_000 + number)
    await store.save_ticket("other", "ABCD", 8, 1_000)
    for ticket, player in (("t98", None), ("t99", 7), ("other", 8)):
        assert await store.redeem_ticket(ticket, "ABCD", 500) == player
    await store.close()


async def test_only_one_of_two_writers_appends_after_an_entry(database: StoredTables) -> None:
    store = await database.open()
    await append(store, "ABCD", 1_000, None, listed=False)
    first = LogAppend("ABCD", 1, (LogRow(2, 1_001, "", Spoke(1, "first")),), None, listed=False)
    second = LogAppend("ABCD", 1, (LogRow(2, 1_002, "", Spoke(1, "second")),), None, listed=False)
    assert await store.append(first)
    assert not await store.append(second)
    stored = await store.load_state("ABCD")
    assert stored is not None
    assert stored.rows[1:] == first.rows
    await store.close()


async def test_due_and_listed_tables_are_found_in_their_order(database: StoredTables) -> None:
    store = await database.open()
    await append(store, "AAAA", 1_000, 9_000, listed=True)
    await append(store, "BBBB", 2_000, 5_000, listed=False)
    await append(store, "CCCC", 3_000, None, listed=True)
    assert list(await store.due_codes(0, 10_000)) == ["BBBB", "AAAA"]
    assert list(await store.due_codes(5_000, 8_999)) == []
    assert list(await store.listed_codes(10, 1_000)) == ["CCCC", "AAAA"]
    assert list(await store.listed_codes(1, 1_000)) == ["CCCC"]
    await store.close()


async def test_times_in_the_future_count_as_now_when_a_database_is_opened(database: StoredTables) -> None:
    store = await database.open()
    await append(store, "AAAA", 900_000, 901_000, listed=True)
    await append(store, "BBBB", 100_000, 150_000, listed=True)
    await store.save_ticket("t", "AAAA", 7, 1_800_000)
    await store.heartbeat(900_000)
    await store.close()
    store = await database.open(500_000)
    assert list(await store.due_codes(0, 499_999)) == ["BBBB"]
    assert list(await store.due_codes(499_999, 501_000)) == ["AAAA"]
    assert list(await store.listed_codes(10, 500_001)) == []
    assert await store.redeem_ticket("t", "AAAA", 1_400_001) is None
    await store.close()


async def test_every_deadline_keeps_what_was_left_of_it_when_the_last_server_stopped(database: StoredTables) -> None:
    store = await database.open()
    await append(store, "AAAA", 10_000, 40_000, listed=False)
    await append(store, "BBBB", 20_500, 50_000, listed=False)
    await append(store, "CCCC", 5_000, 15_000, listed=False)
    await store.heartbeat(20_000)
    await store.close()
    store = await database.open(1_000_000)
    assert [await due_at_ms(store, code) for code in ("AAAA", "BBBB", "CCCC")] == [1_020_000, 1_029_500, 15_000]
    await store.close()


def long_log(entry_count: int) -> tuple[LogRow, ...]:
    """A log in which every tenth entry is no talk."""
    rows = [LogRow(1, 1_000, "", Opened("ABCD", make_config())), LogRow(2, 1_000, "", Joined(1, "Ann", "token"))]
    for seq in range(3, entry_count + 1):
        entry = Muted(1, muted=False) if seq % 10 == 0 else Spoke(1, f"line {seq}")
        rows.append(LogRow(seq, 1_000 + seq, f"w{seq}", entry))
    return tuple(rows)


async def open_long_table(database: StoredTables, rows: tuple[LogRow, ...]) -> Store:
    store = await database.open()
    assert await store.append(LogAppend("ABCD", 0, rows, None, listed=True))
    return store


async def whole_log(database: StoredTables, store: Store) -> tuple[LogRow, ...]:
    """The log of the table as it is loaded once its snapshot is gone."""
    await database.execute("DELETE FROM snapshots")
    stored = await store.load_state("ABCD")
    assert stored is not None
    return stored.rows


async def save_snapshot(store: Store, rows: tuple[LogRow, ...]) -> None:
    table = replay_log(rows)
    assert table is not None
    await store.save_snapshot("ABCD", take_snapshot(table))


async def test_a_table_is_loaded_from_its_snapshot_and_the_rows_after_it(database: StoredTables) -> None:
    rows = long_log(50)
    store = await open_long_table(database, rows)
    for last_seq in (0, 30, 40):
        if last_seq:
            await save_snapshot(store, rows[:last_seq])
        loaded = await store.load_state("ABCD")
        assert loaded is not None
        assert loaded.rows == rows[last_seq:]
        assert loaded.snapshot == replay_log(rows[:last_seq])
    assert await whole_log(database, store) == rows
    assert await store.load_state("EFGH") is None
    await store.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE snapshots SET digest = 'of other sources'",
        "UPDATE snapshots SET body = substr(body, 2)",
        "UPDATE snapshots SET seq = seq + 1",
        "UPDATE snapshots SET seq = 99",
        "DELETE FROM snapshots",
    ],
)
async def test_a_snapshot_that_cannot_be_used_is_ignored(database: StoredTables, statement: str) -> None:
    rows = long_log(50)
    store = await open_long_table(database, rows)
    await save_snapshot(store, rows[:40])
    assert await database.execute(statement) == 1
    loaded = await store.load_state("ABCD")
    assert loaded is not None
    assert (loaded.snapshot, loaded.rows) == (None, rows)
    await store.close()


async def test_a_snapshot_of_no_table_is_not_saved(database: StoredTables) -> None:
    store = await database.open()
    await save_snapshot(store, long_log(5))
    assert await database.execute("UPDATE snapshots SET seq = 0") == 0
    await store.close()


async def test_a_snapshot_deletes_the_talk_that_nothing_needs_any_more(database: StoredTables) -> None:
    rows = long_log(3 * KEPT_ENTRIES)
    store = await open_long_table(database, rows)
    for last_seq in (500, 2 * KEPT_ENTRIES, 2 * KEPT_ENTRIES + 100, 3 * KEPT_ENTRIES):
        await save_snapshot(store, rows[:last_seq])
        whole = await whole_log(database, store)
        kept_from = max(0, last_seq - KEPT_ENTRIES)  # newer than all news
        assert whole == tuple(row for row in rows if row.seq >= kept_from or not isinstance(row.entry, Spoke))
        assert replay_log(whole) == replay_log(rows)
    await store.close()


async def test_a_snapshot_deletes_what_the_same_player_chose_again_later(database: StoredTables) -> None:
    """The latest choice of each player and kind among the entries that a snapshot checks stays."""
    rows = long_log(2)
    choices: list[LogEntry] = [FaceChosen(2, 1), FaceChosen(1, 2), WebhookChanged(1, "https://bots.example/?a,b=1")]
    other: list[LogEntry] = [PushChanged(1, ("https://push.example/x",)), Muted(1, muted=True), FaceChosen(1, 3)]
    for entry in [*choices, *other] * (KEPT_ENTRIES // 3):
        rows += (LogRow(len(rows) + 1, 1_000, "", entry),)
    store = await open_long_table(database, rows)
    await save_snapshot(store, rows)
    whole = await whole_log(database, store)
    table = replay_log(rows)
    assert table is not None
    from_seq = take_snapshot(table).talk_from_seq
    old = [row.entry for row in whole if row.seq < from_seq]
    assert len([entry for entry in old if isinstance(entry, FaceChosen)]) == 2
    assert len([entry for entry in old if isinstance(entry, WebhookChanged | PushChanged)]) == 2
    assert len([entry for entry in old if isinstance(entry, Muted)]) > KEPT_ENTRIES // 10
    assert [row for row in whole if row.seq >= from_seq] == [row for row in rows if row.seq >= from_seq]
    assert replay_log(whole) == replay_log(rows)
    await store.close()


async def test_a_match_is_loaded_without_what_else_happened_at_the_table(database: StoredTables) -> None:
    within: list[LogEntry] = [Spoke(1, "x"), PlayerSeedRevealed(1, "s"), Played(()), Muted(1, muted=True)]
    began: list[LogEntry] = [MatchBegan(2), Played(()), MatchBegan(11), Played(())]
    rows = long_log(2)
    for entry in [*within, MatchBegan(1), *within, *within, *began]:
        rows += (LogRow(len(rows) + 1, 1_000, "", entry),)
    store = await open_long_table(database, rows)
    matches = {number: await store.load_match("ABCD", number, 9) for number in (1, 2, 3, 11)}
    assert {number: [seq for seq, *_ in own] for number, own in matches.items()} == {
        1: [7, 9, 10, 13, 14],
        2: [16, 17, 18, 19],
        3: [],
        11: [18, 19],
    }
    assert await store.load_match("ABCD", 1, 2) == list(matches[1][:2])
    assert await store.load_match("NONE", 1, 9) == []
    await store.close()


@pytest.mark.parametrize("seq", [10, 2 * KEPT_ENTRIES + 1, 3 * KEPT_ENTRIES])
async def test_an_entry_that_is_missing_beside_deleted_talk_is_noticed(database: StoredTables, seq: int) -> None:
    rows = long_log(3 * KEPT_ENTRIES)
    store = await open_long_table(database, rows)
    await save_snapshot(store, rows)
    assert await database.execute(f"DELETE FROM entries WHERE seq = {seq}") == 1  # noqa: S608  a number
    with pytest.raises(UnreadableTableError, match="entries"):
        await whole_log(database, store)
    await store.close()


async def test_appends_that_arrive_together_are_decided_one_by_one(database: StoredTables) -> None:
    store = await database.open()
    codes = [f"T{number:03}" for number in range(40)]
    await asyncio.gather(*(append(store, code, 1_000, None, listed=False) for code in codes[:30]))
    talk = LogRow(2, 1_001, "w", Spoke(1, "hello"))
    requests = [LogAppend(code, 1, (talk,), None, listed=False) for code in reversed(codes)]
    written = await asyncio.gather(*map(store.append, requests))
    assert dict(zip(reversed(codes), written, strict=True)) == {code: code in codes[:30] for code in codes}
    assert await store.heads(codes) == dict.fromkeys(codes[:30], 2)
    assert [await store.load_state(code) for code in codes[30:]] == [None] * 10
    await store.close()


async def test_of_many_writers_after_an_entry_one_succeeds(database: StoredTables) -> None:
    store = await database.open()
    await append(store, "ABCD", 1_000, None, listed=False)
    rows = [LogRow(2, 1_001, f"w{number}", Spoke(1, f"line {number}")) for number in range(8)]
    written = await asyncio.gather(
        *(store.append(LogAppend("ABCD", 1, (row,), None, listed=False)) for row in rows),
        *(
            store.append(LogAppend("EFGH", 0, (LogRow(1, 1, "", Opened("EFGH", make_config())),), None, listed=False))
            for _ in rows
        ),
    )
    assert [sum(written[:8]), sum(written[8:])] == [1, 1]
    stored = await store.load_state("ABCD")
    assert stored is not None
    assert stored.rows[1:] == (rows[written.index(True)],)
    await store.close()


async def test_an_append_that_cannot_be_stored_does_not_undo_the_others(database: StoredTables) -> None:
    store = await database.open()
    await append(store, "AAAA", 1_000, None, listed=False)
    await append(store, "BBBB", 1_000, None, listed=False)
    assert await database.execute("UPDATE entries SET seq = 2 WHERE code = 'AAAA'") == 1
    row = LogRow(2, 1_001, "w", Spoke(1, "hello"))
    requests = [LogAppend(code, 1, (row,), None, listed=False) for code in ("AAAA", "BBBB")]
    results = await asyncio.gather(*map(store.append, requests), return_exceptions=True)
    assert isinstance(results[0], StoreError)
    assert results[1] is True
    assert await store.heads(["AAAA", "BBBB"]) == {"AAAA": 1, "BBBB": 2}
    await store.close()


async def test_an_old_table_is_deleted_with_all_that_belongs_to_it(database: StoredTables) -> None:
    store = await database.open()
    rows = long_log(50)
    for code in ("ABCD", "EFGH"):
        assert await store.append(LogAppend(code, 0, rows, None, listed=True))
        await store.save_ticket(f"t-{code}", code, 7, 9_000)
    await save_snapshot(store, rows)
    await append(store, "DUE2", 500, 2_000, listed=True)
    assert await store.unchanged_codes(2_000, 1_999, 10) == ["ABCD", "EFGH"]
    assert await store.unchanged_codes(2_000, 2_000, 1) == ["DUE2"]
    assert not await store.delete_table("ABCD", 1_050)
    assert await store.delete_table("ABCD", 1_051)
    assert not await store.delete_table("ABCD", 1_051)
    for kept, statement in (
        (51, "UPDATE entries SET code = code"),
        (0, "UPDATE snapshots SET code = code"),
        (1, "UPDATE tickets SET code = code"),
    ):
        assert await database.execute(statement) == kept
    await store.close()


async def test_a_heartbeat_is_kept(database: StoredTables) -> None:
    store = await database.open()
    assert await store.last_heartbeat_ms() == 0
    for at_ms in (5_000, 6_000):
        await store.heartbeat(at_ms)
        assert await store.last_heartbeat_ms() == at_ms
    await store.close()
    store = await database.open(60_000)
    assert await store.last_heartbeat_ms() == 6_000
    await store.close()


@pytest.fixture
def tables(postgres_url: PostgresUrl, tmp_path: Path) -> PostgresTables:
    return PostgresTables(postgres_url, tmp_path / "postgresql")


async def open_node(tables: PostgresTables, now_ms: int = 0) -> SharedStore:
    store = await tables.open(now_ms)
    assert isinstance(store, SharedStore)
    return store


async def due_at_ms(store: Store, code: str) -> int | None:
    stored = await store.load_state(code)
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


async def test_one_of_two_writers_changes_a_group_and_a_result_is_stored_once(database: StoredTables) -> None:
    store = await database.open()
    groups = GroupRows(store)
    assert await groups.load("SPOONSPOON") is None
    assert [await groups.create("SPOONSPOON", 5, None, body) for body in (b"a", b"b")] == [True, False]
    assert [await groups.update("SPOONSPOON", 1, 6, 100, body) for body in (b"c", b"d")] == [True, False]
    assert await groups.load("SPOONSPOON") == (2, b"c")
    assert await groups.due_codes(99, 5) == []
    assert await groups.due_codes(100, 5) == ["SPOONSPOON"]
    results = [("LATER", 1, 9, b"z"), ("TABLE", 2, 8, b"y"), ("TABLE", 1, 7, b"x"), ("TABLE", 1, 7, b"again")]
    stored = [await groups.add_result("SPOONSPOON", *result) for result in results]
    assert stored == [True, True, True, False]
    assert await groups.results("SPOONSPOON") == [b"x", b"y", b"z"]
    assert await groups.counted("SPOONSPOON") == {("TABLE", 1), ("TABLE", 2), ("LATER", 1)}
    await groups.delete("SPOONSPOON")
    assert await groups.load("SPOONSPOON") is None
    assert await groups.counted("SPOONSPOON") == frozenset()
    await store.close()
