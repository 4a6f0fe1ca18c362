"""Stores tables in a SQLite file, for one server process.

One thread writes (`batch_writer`) and another one reads.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import sqlalchemy as sa

from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.server.errors import DatabaseLostError, StoreError, UnreadableTableError
from liarsdice.server.storage.batch_writer import BatchWriter, is_corrupt
from liarsdice.server.storage.database_file import FileIds, create_private, file_ids, lock_database, make_private
from liarsdice.server.storage.db_schema import migrate_file, require_own_file
from liarsdice.server.storage.rows import (
    MAX_CHECKED_ENTRIES,
    RECORD_PREFIXES,
    SELECT_BANS,
    SELECT_TOKENS,
    START_BYTES,
    began_prefix,
    needless_entries,
    read_bans,
    read_rows,
    read_tokens,
    stored_rows,
)
from liarsdice.server.storage.store import LogAppend, ProgramToken, RawRow, ServerBan, StoredState
from liarsdice.server.table.log_entries import LogRow
from liarsdice.server.table.snapshots import Snapshot, restore_snapshot
from liarsdice.server.table.table_state import TableState


def _append(connection: sqlite3.Connection, request: LogAppend) -> bool:
    last = request.rows[-1]
    if request.expected_seq == 0:
        insert = (
            "INSERT INTO tables (code, head, due_at_ms, listed, touched_at_ms) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING"
        )
        row = (request.code, last.seq, request.due_at_ms, request.listed, last.at_ms)
        changed = connection.execute(insert, row).rowcount
    else:
        update = "UPDATE tables SET head = ?, due_at_ms = ?, listed = ?, touched_at_ms = ? WHERE code = ? AND head = ?"
        values = (last.seq, request.due_at_ms, request.listed, last.at_ms, request.code, request.expected_seq)
        changed = connection.execute(update, values).rowcount
    if changed != 1:
        return False
    connection.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", stored_rows(request))
    return True


def _load_match(connection: sqlite3.Connection, code: str, number: int, limit: int) -> Sequence[RawRow]:
    began = "SELECT min(seq) FROM entries WHERE code = ? AND substr(body, 1, ?) = ?"
    with _reading(connection):
        first, end = (
            connection.execute(began, (code, len(prefix), prefix)).fetchone()[0]
            for prefix in (began_prefix(number), began_prefix(number + 1))
        )
        if first is None:
            return []
        query = (
            "SELECT seq, at_ms, request_id, body FROM entries"
            " WHERE code = ? AND seq >= ? AND seq < coalesce(?, seq + 1)"
            " AND substr(body, 1, instr(body, x'2C') - 1) IN (?, ?, ?, ?, ?) ORDER BY seq LIMIT ?"
        )
        return connection.execute(query, (code, first, end, *RECORD_PREFIXES, limit)).fetchall()


def _load_state(connection: sqlite3.Connection, code: str) -> StoredState | None:
    with _reading(connection):
        query = "SELECT head, due_at_ms, talk_deleted FROM tables WHERE code = ?"
        head = connection.execute(query, (code,)).fetchone()
        if head is None:
            return None
        last_seq, due_at_ms, talk_deleted = head
        snapshot = _select_snapshot(connection, code)
        if snapshot is not None and snapshot.seq <= last_seq:
            return StoredState(snapshot, _select_rows(connection, code, snapshot.seq, last_seq, 0), due_at_ms)
        return StoredState(None, _select_rows(connection, code, 0, last_seq, talk_deleted), due_at_ms)


@contextmanager
def _reading(connection: sqlite3.Connection) -> Iterator[None]:
    """Let all that is read inside come from one moment."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("COMMIT")


def _select_rows(
    connection: sqlite3.Connection, code: str, after_seq: int, last_seq: int, deleted: int
) -> tuple[LogRow, ...]:
    query = "SELECT seq, at_ms, request_id, body FROM entries WHERE code = ? AND seq > ? ORDER BY seq"
    return read_rows(code, connection.execute(query, (code, after_seq)), after_seq, last_seq, deleted)


def _select_snapshot(connection: sqlite3.Connection, code: str) -> TableState | None:
    """Return the state of a table's snapshot, None if there is none that can be read."""
    query = "SELECT seq, digest, body FROM snapshots WHERE code = ?"
    try:
        row = connection.execute(query, (code,)).fetchone()
    except sqlite3.Error as error:
        if not is_corrupt(error):
            raise
        return None
    return None if row is None else restore_snapshot(code, *row)


def _save_snapshot(connection: sqlite3.Connection, code: str, snapshot: Snapshot) -> None:
    """Replace the snapshot of a table and delete the next entries that its log no longer needs."""
    head = connection.execute("SELECT talk_from_seq FROM tables WHERE code = ?", (code,)).fetchone()
    if head is None:
        return
    upsert = (
        "INSERT INTO snapshots VALUES (?, ?, ?, ?) ON CONFLICT (code) DO UPDATE"
        " SET seq = excluded.seq, digest = excluded.digest, body = excluded.body"
    )
    connection.execute(upsert, (code, snapshot.seq, snapshot.digest, snapshot.body))
    first_seq, end_seq = head[0], min(snapshot.talk_from_seq, head[0] + MAX_CHECKED_ENTRIES)
    if end_seq <= first_seq:
        return
    starts = "SELECT seq, substr(body, 1, ?) FROM entries WHERE code = ? AND seq >= ? AND seq < ? ORDER BY seq"
    rows = connection.execute(starts, (START_BYTES, code, first_seq, end_seq)).fetchall()
    needless = needless_entries(rows, snapshot.news_seqs)
    connection.executemany("DELETE FROM entries WHERE code = ? AND seq = ?", [(code, seq) for seq in needless])
    update = "UPDATE tables SET talk_from_seq = ?, talk_deleted = talk_deleted + ? WHERE code = ?"
    connection.execute(update, (end_seq, len(needless), code))


def _delete_table(connection: sqlite3.Connection, code: str, before_ms: int) -> bool:
    delete = "DELETE FROM tables WHERE code = ? AND touched_at_ms < ?"
    if connection.execute(delete, (code, before_ms)).rowcount == 0:
        return False
    connection.execute("DELETE FROM entries WHERE code = ?", (code,))
    connection.execute("DELETE FROM snapshots WHERE code = ?", (code,))
    connection.execute("DELETE FROM tickets WHERE code = ?", (code,))
    return True


def _last_presence_ms(connection: sqlite3.Connection) -> int:
    row = connection.execute("SELECT alive_at_ms FROM presence WHERE id = 1").fetchone()
    return 0 if row is None else int(row[0])


def _continue_clocks(connection: sqlite3.Connection, now_ms: int) -> int:
    """Bring stored times to the present clock, and return for how many milliseconds no server has run.

    A deadline that was ahead when the last server stopped keeps the time that was left then, whether the clock went on
    or was turned back since. Stored times in the future count as now. A table that changed after the last heartbeat
    shows that the server ran until then.
    """
    alive_at_ms = _last_presence_ms(connection)
    (last_change_ms,) = connection.execute("SELECT max(touched_at_ms) FROM tables").fetchone()
    stopped_at_ms = max(alive_at_ms, last_change_ms or 0)
    connection.execute(
        "UPDATE tables SET due_at_ms = CASE WHEN due_at_ms > max(touched_at_ms, :alive)"
        " THEN due_at_ms - max(touched_at_ms, :alive) + :now ELSE min(due_at_ms, :now) END"
        " WHERE due_at_ms IS NOT NULL",
        {"alive": alive_at_ms, "now": now_ms},
    )
    if stopped_at_ms > now_ms:
        connection.execute("UPDATE tables SET touched_at_ms = min(touched_at_ms, ?)", (now_ms,))
        connection.execute("UPDATE tickets SET until_ms = until_ms - ?", (stopped_at_ms - now_ms,))
    return max(0, now_ms - stopped_at_ms) if stopped_at_ms else 0


def _save_ticket(connection: sqlite3.Connection, ticket: tuple[str, str, int, int]) -> None:
    connection.execute("DELETE FROM tickets WHERE code = ? AND player = ?", ticket[1:3])
    connection.execute("INSERT INTO tickets VALUES (?, ?, ?, ?)", ticket)


def _redeem_ticket(connection: sqlite3.Connection, ticket_hash: str, code: str, now_ms: int) -> int | None:
    connection.execute("DELETE FROM tickets WHERE until_ms < ?", (now_ms,))
    statement = "DELETE FROM tickets WHERE ticket = ? AND code = ? RETURNING player"
    row = connection.execute(statement, (ticket_hash, code)).fetchone()
    return None if row is None else int(row[0])


def _fetch(connection: sqlite3.Connection, statement: str, values: Sequence[object]) -> Sequence[tuple[Any, ...]]:
    named = {str(number): value for number, value in enumerate(values, 1)}  # SQLite takes `$1` for a name
    return connection.execute(statement, named).fetchall()


T = TypeVar("T")
LOCK_TIMEOUT_S = 10


class SqliteStore:
    """A `Store` for one server process: opening it locks the file until it is closed.

    All writes raise `DatabaseLostError` once the file, or its write-ahead log, was deleted or replaced.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writer = BatchWriter()
        self._reader = ThreadPoolExecutor(1, "reader")
        self._lock: int | None = None
        self._connections: tuple[sqlite3.Connection, ...] = ()
        self._file_ids: FileIds | None = None

    async def open(self, now_ms: int) -> int:
        """As `Store.open`: creates or migrates the file, which only its owner may read."""
        try:
            await asyncio.to_thread(self._prepare)
        except LiarsDiceError:
            self._release()
            raise
        self._writer.start(self._connections[1], self._check_files)
        away_ms = await self._writer.submit("", lambda connection: _continue_clocks(connection, now_ms))
        self._file_ids = file_ids(self.path)
        return away_ms

    def _check_files(self) -> None:
        """Raise `DatabaseLostError` if the files that the connections have open are not those of the path any more."""
        if self._file_ids is not None and file_ids(self.path) != self._file_ids:
            raise DatabaseLostError("nothing can be saved: the database was deleted or replaced; restart the server")

    def _prepare(self) -> None:
        require_own_file(self.path)
        try:
            self._lock = lock_database(self.path)
            create_private(self.path)
            migrate_file(self.path)
            make_private(self.path)
            self._connections = (_connect(self.path), _connect(self.path))
        except (OSError, sqlite3.Error, sa.exc.SQLAlchemyError) as error:
            cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
            raise UnavailableError(
                f"the database {self.path} cannot be used: {cause}; name another with --database"
            ) from error

    async def close(self) -> None:
        """As `Store.close`."""
        await self._writer.close()
        self._reader.shutdown()
        self._release()

    def _release(self) -> None:
        """Close the connections, then release the lock."""
        for connection in self._connections:
            connection.close()
        self._connections = ()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    async def append(self, request: LogAppend) -> bool:
        """As `Store.append`."""
        return await self._writer.submit(request.code, lambda connection: _append(connection, request))

    async def load_match(self, code: str, number: int, limit: int) -> Sequence[RawRow]:
        """As `Store.load_match`."""
        return await self._read_table(code, lambda connection: _load_match(connection, code, number, limit))

    async def load_state(self, code: str) -> StoredState | None:
        """As `Store.load_state`."""
        return await self._read_table(code, lambda connection: _load_state(connection, code))

    async def heads(self, codes: Sequence[str]) -> Mapping[str, int]:
        """As `Store.heads`."""
        query = "SELECT code, head FROM tables WHERE code IN (SELECT value FROM json_each(?))"
        values = (msgspec.json.encode(codes).decode(),)
        return await self._read(lambda connection: dict(connection.execute(query, values).fetchall()))

    async def save_snapshot(self, code: str, snapshot: Snapshot) -> None:
        """As `Store.save_snapshot`."""
        await self._writer.submit(code, lambda connection: _save_snapshot(connection, code, snapshot))

    async def due_codes(self, after_ms: int, until_ms: int) -> Sequence[str]:
        """As `Store.due_codes`."""
        query = "SELECT code FROM tables WHERE due_at_ms > ? AND due_at_ms <= ? ORDER BY due_at_ms"
        return await self._read_codes(query, after_ms, until_ms)

    async def listed_codes(self, limit: int, since_ms: int) -> Sequence[str]:
        """As `Store.listed_codes`."""
        query = "SELECT code FROM tables WHERE listed AND touched_at_ms >= ? ORDER BY touched_at_ms DESC LIMIT ?"
        return await self._read_codes(query, since_ms, limit)

    async def unchanged_codes(self, before_ms: int, now_ms: int, limit: int) -> Sequence[str]:
        """As `Store.unchanged_codes`."""
        query = (
            "SELECT code FROM tables WHERE listed IN (0, 1) AND touched_at_ms < ?"  # `listed` lets it use the index
            " AND (due_at_ms IS NULL OR due_at_ms <= ?) ORDER BY touched_at_ms LIMIT ?"
        )
        return await self._read_codes(query, before_ms, now_ms, limit)

    async def delete_table(self, code: str, before_ms: int) -> bool:
        """As `Store.delete_table`."""
        return await self._writer.submit(code, lambda connection: _delete_table(connection, code, before_ms))

    async def heartbeat(self, now_ms: int) -> None:
        """As `Store.heartbeat`."""
        upsert = "INSERT INTO presence VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET alive_at_ms = excluded.alive_at_ms"
        await self._writer.submit("", lambda connection: connection.execute(upsert, (now_ms,)))

    async def last_heartbeat_ms(self) -> int:
        """As `Store.last_heartbeat_ms`."""
        return await self._read(_last_presence_ms)

    async def server_bans(self, now_ms: int) -> tuple[ServerBan, ...]:
        """As `Store.server_bans`."""
        return await self._read(lambda connection: read_bans(connection.execute(SELECT_BANS), now_ms))

    async def program_tokens(self) -> tuple[ProgramToken, ...]:
        """As `Store.program_tokens`."""
        return await self._read(lambda connection: read_tokens(connection.execute(SELECT_TOKENS)))

    async def save_ticket(self, ticket_hash: str, code: str, player: int, until_ms: int) -> None:
        """As `Store.save_ticket`."""
        ticket = (ticket_hash, code, player, until_ms)
        await self._writer.submit(code, lambda connection: _save_ticket(connection, ticket))

    async def redeem_ticket(self, ticket_hash: str, code: str, now_ms: int) -> int | None:
        """As `Store.redeem_ticket`."""
        return await self._writer.submit(code, lambda connection: _redeem_ticket(connection, ticket_hash, code, now_ms))

    async def select(self, statement: str, *values: str | float | bytes | None) -> Sequence[tuple[Any, ...]]:
        """As `Store.select`."""
        return await self._read(lambda connection: _fetch(connection, statement, values))

    async def write(self, statement: str, *values: str | float | bytes | None) -> Sequence[tuple[Any, ...]]:
        """As `Store.write`."""
        return await self._writer.submit("", lambda connection: _fetch(connection, statement, values))

    async def _read_codes(self, query: str, *values: int) -> Sequence[str]:
        return await self._read(lambda connection: [row[0] for row in connection.execute(query, values)])

    async def _read_table(self, code: str, job: Callable[[sqlite3.Connection], T]) -> T:
        """As `_read`, for the rows of one table. Raises `UnreadableTableError` if these are damaged."""

        def read(connection: sqlite3.Connection) -> T:
            try:
                return job(connection)
            except sqlite3.Error as error:
                if not is_corrupt(error):
                    raise
                raise UnreadableTableError(f"the log of table {code} cannot be read: {error}") from error

        return await self._read(read)

    async def _read(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """Run a job in the reader's thread and return its result. Raises `StoreError` if the database fails."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._reader, lambda: job(self._connections[0]))
        except sqlite3.Error as error:
            raise StoreError(f"the database cannot be read: {error}") from error


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=LOCK_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection
