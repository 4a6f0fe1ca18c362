"""What the PostgreSQL store reads and writes, as functions of a connection."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import asyncpg

from liarsdice.server.errors import UnreadableTableError
from liarsdice.server.storage.log_rows import (
    MAX_CHECKED_ENTRIES,
    RECORD_PREFIXES,
    START_BYTES,
    RawRow,
    began_prefix,
    needless_entries,
    read_row,
    read_rows,
    stored_rows,
)
from liarsdice.server.storage.postgres_connections import Connection
from liarsdice.server.storage.store import LogAppend, ServerBan, StoredState, StoredTable
from liarsdice.server.table.log_entries import LogRow
from liarsdice.server.table.snapshots import SNAPSHOT_EVERY, Snapshot, restore_snapshot

MAX_ROWS_ON_LOOP = 512
"""Longer logs are decoded in another thread, so that the event loop goes on."""

APPEND = """
WITH request AS (
    SELECT * FROM unnest($1::text[], $2::int[], $3::int[], $4::bigint[], $5::bool[], $6::bigint[])
        AS request (code, expected, head, due_at_ms, listed, touched_at_ms)
), locked AS (
    SELECT code FROM tables WHERE code = ANY ($1::text[]) ORDER BY code FOR UPDATE
), changed AS (
    UPDATE tables
    SET head = request.head, due_at_ms = request.due_at_ms, listed = request.listed,
        touched_at_ms = request.touched_at_ms
    FROM locked JOIN request USING (code)
    WHERE tables.code = locked.code AND tables.head = request.expected
    RETURNING tables.code
), created AS (
    INSERT INTO tables (code, head, due_at_ms, listed, touched_at_ms)
    SELECT code, head, due_at_ms, listed, touched_at_ms FROM request WHERE expected = 0 ORDER BY code
    ON CONFLICT DO NOTHING
    RETURNING code
), written AS (
    SELECT code FROM changed UNION ALL SELECT code FROM created
), appended AS (
    INSERT INTO entries (code, seq, at_ms, request_id, body)
    SELECT entry.* FROM unnest($7::text[], $8::int[], $9::bigint[], $10::text[], $11::bytea[])
        AS entry (code, seq, at_ms, request_id, body)
    WHERE entry.code IN (SELECT code FROM written)
)
SELECT code FROM written
"""
"""Compares and sets the head of every table of a batch and appends the entries of those that had the expected head.

All batches lock tables in the same order, so none waits for another one that waits for it.
"""

DELETE_TABLE = """
WITH deleted AS (
    DELETE FROM tables WHERE code = $1 AND touched_at_ms < $2 RETURNING code
), deleted_entries AS (
    DELETE FROM entries WHERE code IN (SELECT code FROM deleted)
), deleted_snapshots AS (
    DELETE FROM snapshots WHERE code IN (SELECT code FROM deleted)
), deleted_tickets AS (
    DELETE FROM tickets WHERE code IN (SELECT code FROM deleted)
)
SELECT code FROM deleted
"""
SAVE_SNAPSHOT = """
INSERT INTO snapshots (code, seq, digest, body)
SELECT $1::text, $2::int, $3::text, $4::bytea FROM tables WHERE code = $1
ON CONFLICT (code) DO UPDATE SET seq = excluded.seq, digest = excluded.digest, body = excluded.body
RETURNING (SELECT talk_from_seq FROM tables WHERE code = $1)
"""
DELETE_ENTRIES = """
WITH deleted AS (DELETE FROM entries WHERE code = $1 AND seq = ANY($2::int[]) RETURNING seq)
UPDATE tables
SET talk_from_seq = greatest(talk_from_seq, $3), talk_deleted = talk_deleted + (SELECT count(*) FROM deleted)
WHERE code = $1
"""
SAVE_TICKET = """
WITH earlier AS (DELETE FROM tickets WHERE code = $2 AND player = $3)
INSERT INTO tickets VALUES ($1, $2, $3, $4)
"""
REDEEM_TICKET = """
WITH expired AS (DELETE FROM tickets WHERE until_ms < $3)
DELETE FROM tickets WHERE ticket = $1 AND code = $2 AND until_ms >= $3 RETURNING player
"""
CONTINUE_DEADLINES = """
UPDATE tables
SET due_at_ms = CASE
    WHEN due_at_ms > greatest(touched_at_ms, $1) THEN due_at_ms - greatest(touched_at_ms, $1) + $2
    ELSE least(due_at_ms, $2)
END
WHERE due_at_ms IS NOT NULL
"""
FORGET_FUTURE = "UPDATE tables SET touched_at_ms = least(touched_at_ms, $1)"
LOAD_CHANGES = """
SELECT tables.code, tables.due_at_ms, entries.seq, entries.at_ms, entries.request_id, entries.body
FROM unnest($1::text[], $2::int[]) AS known (code, seq)
    JOIN tables ON tables.code = known.code AND tables.head > known.seq
    LEFT JOIN entries ON entries.code = tables.code AND entries.seq > known.seq AND tables.head - known.seq <= $3
ORDER BY tables.code, entries.seq
"""
CLAIM_DUE = """
WITH due AS (
    SELECT code FROM tables WHERE due_at_ms < $1 - $2::bigint AND code <> ALL ($4::text[])
    ORDER BY due_at_ms LIMIT $3 FOR UPDATE SKIP LOCKED
)
UPDATE tables SET due_at_ms = $1 FROM due WHERE tables.code = due.code RETURNING tables.code
"""
POSTPONE = """
WITH request AS (
    SELECT * FROM unnest($1::text[], $2::int[], $3::bigint[]) AS request (code, seq, due_at_ms)
), locked AS (
    SELECT tables.code FROM tables JOIN request ON tables.code = request.code AND tables.head = request.seq
    WHERE tables.due_at_ms < request.due_at_ms
    FOR UPDATE OF tables SKIP LOCKED
)
UPDATE tables SET due_at_ms = request.due_at_ms
FROM locked JOIN request USING (code)
WHERE tables.code = locked.code
"""


async def append(connection: Connection, requests: Sequence[LogAppend]) -> set[str]:
    """Append rows to the logs of some tables, in one statement; return the codes of those that nobody else changed."""
    tables = [
        (request.code, request.expected_seq, last.seq, request.due_at_ms, request.listed, last.at_ms)
        for request in requests
        for last in request.rows[-1:]
    ]
    entries = [row for request in requests for row in stored_rows(request)]
    rows = await connection.fetch(APPEND, *zip(*tables, strict=True), *zip(*entries, strict=True))
    return {row[0] for row in rows}


async def load(connection: Connection, code: str) -> StoredTable | None:
    """As `sqlite_statements.load`."""
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        head = await _select_head(connection, code)
        if head is None:
            return None
        last_seq, due_at_ms, talk_deleted = head
        return StoredTable(await _select_rows(connection, code, 0, last_seq, talk_deleted), due_at_ms)


LOAD_MATCH = """
WITH began AS (SELECT seq, substr(body, 1, length($2::bytea)) = $2 AS first FROM entries
    WHERE code = $1 AND (substr(body, 1, length($2::bytea)) = $2 OR substr(body, 1, length($3::bytea)) = $3))
SELECT seq, at_ms, request_id, body FROM entries
WHERE code = $1 AND seq >= (SELECT min(seq) FROM began WHERE first)
    AND seq < coalesce((SELECT min(seq) FROM began WHERE NOT first), seq + 1)
    AND substr(body, 1, position('\\x2c'::bytea IN body) - 1) = ANY($4::bytea[])
ORDER BY seq LIMIT $5
"""


async def load_match(connection: Connection, code: str, number: int, limit: int) -> Sequence[LogRow]:
    """As `sqlite_statements.load_match`."""
    prefixes = began_prefix(number), began_prefix(number + 1), RECORD_PREFIXES
    rows = await connection.fetch(LOAD_MATCH, code, *prefixes, limit)
    return await asyncio.to_thread(lambda: [read_row(code, (row[0], row[1], row[2], row[3])) for row in rows])


async def load_state(connection: Connection, code: str) -> StoredState | None:
    """As `sqlite_statements.load_state`."""
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        head = await _select_head(connection, code)
        if head is None:
            return None
        last_seq, due_at_ms, talk_deleted = head
        row = await connection.fetchrow("SELECT seq, digest, body FROM snapshots WHERE code = $1", code)
        snapshot = None if row is None else restore_snapshot(code, *row)
        if snapshot is not None and snapshot.seq <= last_seq:
            return StoredState(snapshot, await _select_rows(connection, code, snapshot.seq, last_seq, 0), due_at_ms)
        return StoredState(None, await _select_rows(connection, code, 0, last_seq, talk_deleted), due_at_ms)


async def _select_head(connection: Connection, code: str) -> tuple[int, int | None, int] | None:
    row = await connection.fetchrow("SELECT head, due_at_ms, talk_deleted FROM tables WHERE code = $1", code)
    return None if row is None else (row[0], row[1], row[2])


async def _select_rows(
    connection: Connection, code: str, after_seq: int, last_seq: int, deleted: int
) -> tuple[LogRow, ...]:
    query = "SELECT seq, at_ms, request_id, body FROM entries WHERE code = $1 AND seq > $2 ORDER BY seq"
    records = await connection.fetch(query, code, after_seq)
    raw: list[RawRow] = [(row[0], row[1], row[2], row[3]) for row in records]
    if len(raw) > MAX_ROWS_ON_LOOP:
        return await asyncio.to_thread(read_rows, code, raw, after_seq, last_seq, deleted)
    return read_rows(code, raw, after_seq, last_seq, deleted)


async def save_snapshot(connection: Connection, code: str, snapshot: Snapshot) -> None:
    """As `sqlite_statements.save_snapshot`."""
    first_seq = await connection.fetchval(SAVE_SNAPSHOT, code, snapshot.seq, snapshot.digest, snapshot.body)
    if first_seq is None:
        return
    end_seq = min(snapshot.talk_from_seq, first_seq + MAX_CHECKED_ENTRIES)
    if end_seq > first_seq:
        starts = "SELECT seq, substr(body, 1, $1) FROM entries WHERE code = $2 AND seq >= $3 AND seq < $4 ORDER BY seq"
        records = await connection.fetch(starts, START_BYTES, code, first_seq, end_seq)
        needless = needless_entries(((row[0], row[1]) for row in records), snapshot.news_seqs)
        await connection.execute(DELETE_ENTRIES, code, needless, end_seq)


async def due_codes(connection: Connection, after_ms: int, until_ms: int) -> Sequence[str]:
    """As `sqlite_statements.due_codes`."""
    query = "SELECT code FROM tables WHERE due_at_ms > $1 AND due_at_ms <= $2 ORDER BY due_at_ms"
    return _codes(await connection.fetch(query, after_ms, until_ms))


async def listed_codes(connection: Connection, limit: int, since_ms: int) -> Sequence[str]:
    """As `sqlite_statements.listed_codes`."""
    query = "SELECT code FROM tables WHERE listed AND touched_at_ms >= $1 ORDER BY touched_at_ms DESC LIMIT $2"
    return _codes(await connection.fetch(query, since_ms, limit))


async def unchanged_codes(connection: Connection, before_ms: int, now_ms: int, limit: int) -> Sequence[str]:
    """As `sqlite_statements.unchanged_codes`."""
    query = (
        "SELECT code FROM tables WHERE touched_at_ms < $1 AND (due_at_ms IS NULL OR due_at_ms <= $2)"
        " ORDER BY touched_at_ms LIMIT $3"
    )
    return _codes(await connection.fetch(query, before_ms, now_ms, limit))


def _codes(rows: Sequence[asyncpg.Record]) -> list[str]:
    return [row[0] for row in rows]


async def heads(connection: Connection, codes: Sequence[str]) -> dict[str, int]:
    """Return the seq of the last entry of each of these tables that exists."""
    rows = await connection.fetch("SELECT code, head FROM tables WHERE code = ANY ($1::text[])", codes)
    return {row[0]: row[1] for row in rows}


async def clock_ms(connection: Connection) -> int:
    """Return the time of the database in milliseconds since 1970."""
    return int(await connection.fetchval("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"))


async def load_changes(connection: Connection, known_seqs: Mapping[str, int]) -> dict[str, StoredTable]:
    """As `SharedStore.load_changes`."""
    raw: dict[str, list[RawRow]] = {}
    due_at_ms: dict[str, int | None] = {}
    for row in await connection.fetch(LOAD_CHANGES, list(known_seqs), list(known_seqs.values()), SNAPSHOT_EVERY):
        due_at_ms[row[0]] = row[1]
        raw.setdefault(row[0], []).extend([(row[2], row[3], row[4], row[5])] if row[2] is not None else ())
    return {code: StoredTable(_readable_rows(code, rows), due_at_ms[code]) for code, rows in raw.items()}


def _readable_rows(code: str, raw: Sequence[RawRow]) -> tuple[LogRow, ...]:
    try:
        return tuple(read_row(code, row) for row in raw)
    except UnreadableTableError:
        return ()


async def claim_due(
    connection: Connection, now_ms: int, grace_ms: int, limit: int, but_not: Sequence[str]
) -> Sequence[str]:
    """As `SharedStore.claim_due`."""
    return _codes(await connection.fetch(CLAIM_DUE, now_ms, grace_ms, limit, but_not))


async def postpone(connection: Connection, due_times: Sequence[tuple[str, int, int]]) -> None:
    """As `SharedStore.postpone`. A table that is being changed is left out, because its deadline changes, too."""
    if due_times:
        await connection.execute(POSTPONE, *map(list, zip(*due_times, strict=True)))


async def delete_table(connection: Connection, code: str, before_ms: int) -> bool:
    """As `sqlite_statements.delete_table`."""
    return await connection.fetchval(DELETE_TABLE, code, before_ms) is not None


async def record_presence(connection: Connection, now_ms: int) -> None:
    """As `sqlite_statements.record_presence`."""
    statement = "INSERT INTO presence VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET alive_at_ms = excluded.alive_at_ms"
    await connection.execute(statement, now_ms)


async def last_presence_ms(connection: Connection) -> int:
    """As `sqlite_statements.last_presence_ms`."""
    return int(await connection.fetchval("SELECT alive_at_ms FROM presence WHERE id = 1") or 0)


async def continue_clocks(connection: Connection, now_ms: int, timeout_s: float) -> int:
    """As `sqlite_statements.continue_clocks`. `timeout_s`: how long each statement may take."""
    async with connection.transaction():
        alive_at_ms = await last_presence_ms(connection)
        last_change_ms = await connection.fetchval("SELECT max(touched_at_ms) FROM tables", timeout=timeout_s)
        stopped_at_ms = max(alive_at_ms, last_change_ms or 0)
        await connection.execute(CONTINUE_DEADLINES, alive_at_ms, now_ms, timeout=timeout_s)
        if stopped_at_ms > now_ms:
            await connection.execute(FORGET_FUTURE, now_ms, timeout=timeout_s)
            await connection.execute("UPDATE tickets SET until_ms = until_ms - $1", stopped_at_ms - now_ms)
    return max(0, now_ms - stopped_at_ms) if stopped_at_ms else 0


async def server_bans(connection: Connection, now_ms: int) -> tuple[ServerBan, ...]:
    """As `sqlite_statements.server_bans`."""
    query = (
        "SELECT scope, hash, ban, until_ms, at_ms, note FROM server_bans WHERE until_ms IS NULL OR until_ms > $1"
        " ORDER BY ban, scope, hash"
    )
    return tuple(ServerBan(*row) for row in await connection.fetch(query, now_ms))


async def save_ticket(connection: Connection, ticket_hash: str, code: str, player: int, until_ms: int) -> None:
    """As `sqlite_statements.save_ticket`."""
    await connection.execute(SAVE_TICKET, ticket_hash, code, player, until_ms)


async def redeem_ticket(connection: Connection, ticket_hash: str, code: str, now_ms: int) -> int | None:
    """As `sqlite_statements.redeem_ticket`."""
    player = await connection.fetchval(REDEEM_TICKET, ticket_hash, code, now_ms)
    return None if player is None else int(player)
