"""Stores tables in a PostgreSQL database, for any number of server processes. Needs the extra `postgresql`."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import asyncpg
import sqlalchemy as sa
from asyncpg.pool import PoolConnectionProxy
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from liarsdice.core.errors import UnavailableError
from liarsdice.server.errors import StoreError, UnreadableTableError
from liarsdice.server.settings import PostgresUrl
from liarsdice.server.storage.administration import (
    Administration,
    NodeRow,
    RunJob,
    copy_file,
    copy_keys,
    copy_tables,
    keys_of,
    new_database_file,
    new_session_name,
    read_session_name,
    require_absent,
    sqlite_transaction,
)
from liarsdice.server.storage.batch_writer import AppendBatches
from liarsdice.server.storage.database_file import create_private, make_folder
from liarsdice.server.storage.db_schema import migrate, migrate_file, require_own_file
from liarsdice.server.storage.rows import (
    MAX_CHECKED_ENTRIES,
    RECORD_PREFIXES,
    SELECT_BANS,
    SELECT_TOKENS,
    START_BYTES,
    began_prefix,
    needless_entries,
    read_bans,
    read_row,
    read_rows,
    read_tokens,
    stored_rows,
)
from liarsdice.server.storage.store import LogAppend, ProgramToken, RawRow, ServerBan, StoredState, StoredTable
from liarsdice.server.table.log_entries import LogRow
from liarsdice.server.table.snapshots import SNAPSHOT_EVERY, Snapshot, restore_snapshot

T = TypeVar("T")
Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record] | PoolConnectionProxy[asyncpg.Record]"
FAILURES = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError, EOFError)
MAX_CONNECTIONS = 6
CONNECT_TIMEOUT_S, COMMAND_TIMEOUT_S = 2.5, 2.0
"""How long a call waits for a connection, and then for the answer to a statement: together less than five seconds."""

START_TIMEOUT_S = 60.0
"""How long a node that starts waits for each of its first statements, such as the migration of a large table."""

LOCK_TIMEOUT_S = 10.0
"""How long a node that starts waits for one that starts, too."""

ALONE_TRIES, ALONE_TRY_S = 5, 0.1
"""How often a node that starts looks whether it is the first: the database may not know yet that the last one ended."""

END_TIMEOUT_S = 2.0
MIN_ACQUIRE_S = 0.05
RETRY_S = 0.5
"""How long nothing is sent to a database after it could not be reached."""

LOCK_KEY = int.from_bytes(b"liars", "big")
"""Every node shares this lock. The first one has it alone until its start is finished."""

MIGRATION_KEY = LOCK_KEY + 1
KEEPALIVES = {"tcp_keepalives_idle": "5", "tcp_keepalives_interval": "2", "tcp_keepalives_count": "3"}
"""The database notices within about ten seconds that a server is gone which could not say so."""

QUOTED_CLASSES = ("08", "25", "28", "3D", "42", "53", "55", "57")
"""The classes of SQLSTATE codes whose messages contain no values of rows."""

SET_LOCK_TIMEOUT = "SELECT set_config('lock_timeout', $1, false)"
LOCK_HOLDER = """
SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (classid::bigint << 32 | objid::bigint) = $1
"""
END_OLD_SESSIONS = """
SELECT pg_terminate_backend(pid, $2) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = $1 AND pid <> pg_backend_pid()
"""
"""Ends the other sessions of this server: after that, no append whose answer was lost can still be written."""


class PostgresConnections:
    """A pool of connections, and the connection that holds the lock. Used on the event loop only.

    `reconnect_count`: how often the lock was lost with its connection and taken again. No statement of the sessions
    before can change the database afterwards. `keys_digest`: as `signing_keys.keys_digest`, "" if keys do not matter.
    `settings_digest`: as `settings.shared_settings_digest`.
    """

    def __init__(self, url: PostgresUrl, keys_digest: str = "", settings_digest: str = "") -> None:
        self._url = url
        self._keys_digest = keys_digest
        self._name = new_session_name(keys_digest, settings_digest)
        self._pool: asyncpg.Pool[asyncpg.Record] | None = None
        self._lock_connection: asyncpg.Connection[asyncpg.Record] | None = None
        self._lock_guard = asyncio.Lock()
        self._failure: StoreError | None = None
        self._retry_at_s = 0.0
        self.reconnect_count = 0

    async def open(self, *, alone: bool = False) -> bool:
        """Take the lock, migrate the schema, and open the pool; return whether no other node runs.

        Others cannot start then until `let_others_in`. Raises `UnavailableError`, also if another node has other keys,
        and with `alone` if another node runs.
        """
        try:
            self._lock_connection = await self._connect(START_TIMEOUT_S)
            is_first = await self._join(self._lock_connection, alone=alone)
            await self._compare_keys(self._lock_connection)
            await self._lock_connection.execute("SELECT pg_advisory_lock($1)", MIGRATION_KEY, timeout=START_TIMEOUT_S)
            await self._migrate()
            await self._lock_connection.execute("SELECT pg_advisory_unlock($1)", MIGRATION_KEY)
            self._pool = await asyncpg.create_pool(
                self._url.url,
                min_size=0,  # with more, the pool reconnects by itself and logs each failure with a traceback
                max_size=MAX_CONNECTIONS,
                reset=_keep_session,
                timeout=CONNECT_TIMEOUT_S,
                command_timeout=COMMAND_TIMEOUT_S,
                server_settings=self._session_settings,
            )
        except (*FAILURES, sa.exc.SQLAlchemyError, ValueError) as error:
            await self.close()
            raise UnavailableError(
                f"the database {self._url} cannot be used: {cause_of(error)}; see --database"
            ) from error
        except UnavailableError:
            await self.close()
            raise
        return is_first

    async def close(self) -> None:
        """Close all connections; the lock is free as soon as the database notices it."""
        pool, self._pool = self._pool, None
        lock_connection, self._lock_connection = self._lock_connection, None
        if pool is not None:
            try:
                await asyncio.wait_for(pool.close(), COMMAND_TIMEOUT_S)
            except FAILURES:
                pool.terminate()
        if lock_connection is not None:
            lock_connection.terminate()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """Lend a connection of the pool. Raises `StoreError` if the database fails, also inside the block.

        It fails if there is no connection within `CONNECT_TIMEOUT_S`.
        """
        loop = asyncio.get_running_loop()
        until_s = loop.time() + CONNECT_TIMEOUT_S
        try:
            async with asyncio.timeout_at(until_s):
                await self._hold_lock()
            assert self._pool is not None
            async with self._pool.acquire(timeout=max(MIN_ACQUIRE_S, until_s - loop.time())) as connection:
                try:
                    yield connection
                except (*FAILURES, asyncio.CancelledError) as error:
                    if not isinstance(error, asyncpg.PostgresError):
                        connection.terminate()  # it may be waiting for an answer that never comes
                    raise
        except FAILURES as error:
            raise _store_error(error) from error

    @asynccontextmanager
    async def lock_connection(self) -> AsyncIterator[Connection]:
        """Lend the connection that holds the lock, so that its loss is noticed.

        Raises `StoreError` as `connection` does.
        """
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                await self._hold_lock()
        except TimeoutError as error:
            raise _store_error(error) from error
        async with self._lock_guard:
            connection = self._lock_connection
            if connection is None:
                raise StoreError("the database is closed")
            try:
                yield connection
            except FAILURES as error:
                connection.terminate()
                raise _store_error(error) from error

    async def _hold_lock(self) -> None:
        """Take the lock again if its connection was lost; nothing may be read or written without it.

        Raises `StoreError`.
        """
        if self._lock_connection is not None and not self._lock_connection.is_closed():
            return
        async with self._lock_guard:
            if self._pool is None:
                raise StoreError("the database is closed")
            if self._lock_connection is not None and not self._lock_connection.is_closed():
                return
            if self._failure is not None and time.monotonic() < self._retry_at_s:
                raise StoreError(str(self._failure)) from self._failure.__cause__
            try:
                self._lock_connection = await self._take_lock_again()
            except (StoreError, *FAILURES) as error:
                self._failure = error if isinstance(error, StoreError) else _store_error(error)
                self._retry_at_s = time.monotonic() + RETRY_S
                raise self._failure from error
            self._failure = None
            self.reconnect_count += 1
            await self._pool.expire_connections()

    async def _take_lock_again(self) -> asyncpg.Connection[asyncpg.Record]:
        connection = await self._connect()
        try:
            if await connection.fetchval("SELECT pg_try_advisory_lock_shared($1)", LOCK_KEY):
                await connection.execute(END_OLD_SESSIONS, self._name, round(END_TIMEOUT_S * 1000))
                return connection
        except BaseException:
            connection.terminate()
            raise
        connection.terminate()
        raise StoreError("another server uses the database")

    async def let_others_in(self) -> None:
        """Share the lock that the first node holds alone. Raises `StoreError` if the database fails."""
        async with self.lock_connection() as connection:
            await connection.execute("SELECT pg_advisory_lock_shared($1)", LOCK_KEY)
            await connection.execute("SELECT pg_advisory_unlock($1)", LOCK_KEY)

    async def _join(self, connection: asyncpg.Connection[asyncpg.Record], *, alone: bool) -> bool:
        """Take the lock: alone if no other node has it, else shared; return whether it is held alone.

        Raises `UnavailableError` if another server has it: with `alone`, any server, else one that does not share it.
        """
        for _ in range(ALONE_TRIES):
            if await connection.fetchval("SELECT pg_try_advisory_lock($1)", LOCK_KEY):
                return True
            await asyncio.sleep(ALONE_TRY_S)
        with suppress(asyncpg.LockNotAvailableError):
            if not alone:
                await connection.execute(SET_LOCK_TIMEOUT, str(round(LOCK_TIMEOUT_S * 1000)))
                await connection.execute("SELECT pg_advisory_lock_shared($1)", LOCK_KEY, timeout=2 * LOCK_TIMEOUT_S)
                await connection.execute("RESET lock_timeout")
                return False
        holder = await connection.fetchval(LOCK_HOLDER, LOCK_KEY)
        raise UnavailableError(
            f"another server{f' ({holder})' if holder else ''} uses the database {self._url}; stop that one first, or"
            " name another database with --database"
        )

    async def _compare_keys(self, connection: asyncpg.Connection[asyncpg.Record]) -> None:
        """Raise `UnavailableError` if a node that shares the lock has other keys: its name ends with their digest."""
        for node in await running_nodes(connection):
            if self._keys_digest and node.keys and node.keys != self._keys_digest:
                raise UnavailableError(
                    f"the server on {node}, which uses the database {self._url}, has other keys: copy postgresql.key"
                    " and postgresql.signing-key (or --key-file) from there, or stop that server first"
                )

    async def _connect(
        self, timeout_s: float | None = None, command_timeout_s: float | None = None
    ) -> asyncpg.Connection[asyncpg.Record]:
        """Return a new connection, outside the pool."""
        return await asyncpg.connect(
            self._url.url,
            timeout=timeout_s or CONNECT_TIMEOUT_S,
            command_timeout=command_timeout_s or COMMAND_TIMEOUT_S,
            server_settings=self._session_settings,
        )

    @property
    def _session_settings(self) -> dict[str, str]:
        return {"application_name": self._name, "jit": "off", **KEEPALIVES}

    async def _migrate(self) -> None:
        connect = partial(self._connect, START_TIMEOUT_S, START_TIMEOUT_S)
        engine = create_async_engine("postgresql+asyncpg://", async_creator=connect, poolclass=NullPool)
        try:
            async with engine.begin() as connection:
                await connection.run_sync(migrate)
        finally:
            await engine.dispose()


async def running_nodes(connection: Connection) -> list[NodeRow]:
    """Return the nodes that hold the lock."""
    names = [str(row[0]) for row in await connection.fetch(LOCK_HOLDER, LOCK_KEY)]
    return [node for name in names if (node := read_session_name(name)) is not None]


async def _keep_session(_: object) -> None:
    """Nothing changes the settings of a session, so the pool need not reset them with a statement of its own."""


def _store_error(error: BaseException) -> StoreError:
    return StoreError(f"the database does not work: {cause_of(error)}")


def cause_of(error: BaseException) -> str:
    """Return what went wrong, without passwords and without values of rows."""
    if isinstance(error, sa.exc.DBAPIError) and error.orig is not None:
        return cause_of(error.orig.__cause__ or error.orig)
    if isinstance(error, asyncpg.PostgresError):
        quoted = (error.sqlstate or "")[:2] in QUOTED_CLASSES
        return error.args[0] if quoted and error.args else type(error).__name__
    if isinstance(error, TimeoutError):
        return "it does not answer in time"
    if isinstance(error, OSError):
        return str(error)
    return type(error).__name__


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
SELECT_STARTS = "SELECT seq, substr(body, 1, $1) FROM entries WHERE code = $2 AND seq >= $3 AND seq < $4 ORDER BY seq"
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
LOAD_MATCH = """
WITH began AS (SELECT seq, substr(body, 1, length($2::bytea)) = $2 AS first FROM entries
    WHERE code = $1 AND (substr(body, 1, length($2::bytea)) = $2 OR substr(body, 1, length($3::bytea)) = $3))
SELECT seq, at_ms, request_id, body FROM entries
WHERE code = $1 AND seq >= (SELECT min(seq) FROM began WHERE first)
    AND seq < coalesce((SELECT min(seq) FROM began WHERE NOT first), seq + 1)
    AND substr(body, 1, position('\\x2c'::bytea IN body) - 1) = ANY($4::bytea[])
ORDER BY seq LIMIT $5
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


async def _load_state(connection: Connection, code: str) -> StoredState | None:
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        query = "SELECT head, due_at_ms, talk_deleted FROM tables WHERE code = $1"
        head = await connection.fetchrow(query, code)
        if head is None:
            return None
        last_seq, due_at_ms, talk_deleted = head
        row = await connection.fetchrow("SELECT seq, digest, body FROM snapshots WHERE code = $1", code)
        snapshot = None if row is None else restore_snapshot(code, *row)
        if snapshot is not None and snapshot.seq <= last_seq:
            return StoredState(snapshot, await _select_rows(connection, code, snapshot.seq, last_seq, 0), due_at_ms)
        return StoredState(None, await _select_rows(connection, code, 0, last_seq, talk_deleted), due_at_ms)


async def _select_rows(
    connection: Connection, code: str, after_seq: int, last_seq: int, deleted: int
) -> tuple[LogRow, ...]:
    query = "SELECT seq, at_ms, request_id, body FROM entries WHERE code = $1 AND seq > $2 ORDER BY seq"
    raw = await connection.fetch(query, code, after_seq)
    if len(raw) > MAX_ROWS_ON_LOOP:
        return await asyncio.to_thread(read_rows, code, raw, after_seq, last_seq, deleted)
    return read_rows(code, raw, after_seq, last_seq, deleted)


async def clock_ms(connection: Connection) -> int:
    """Return the time of the database in milliseconds since 1970."""
    return int(await connection.fetchval("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"))


def _readable_rows(code: str, raw: Sequence[RawRow]) -> tuple[LogRow, ...]:
    try:
        return tuple(read_row(code, row) for row in raw)
    except UnreadableTableError:
        return ()


async def _last_presence_ms(connection: Connection) -> int:
    return int(await connection.fetchval("SELECT alive_at_ms FROM presence WHERE id = 1") or 0)


async def _continue_clocks(connection: Connection, now_ms: int, timeout_s: float) -> int:
    """Bring stored times to the present clock, and return for how many milliseconds no server has run.

    `timeout_s`: how long each statement may take. See `sqlite._continue_clocks`.
    """
    async with connection.transaction():
        alive_at_ms = await _last_presence_ms(connection)
        last_change_ms = await connection.fetchval("SELECT max(touched_at_ms) FROM tables", timeout=timeout_s)
        stopped_at_ms = max(alive_at_ms, last_change_ms or 0)
        await connection.execute(CONTINUE_DEADLINES, alive_at_ms, now_ms, timeout=timeout_s)
        if stopped_at_ms > now_ms:
            await connection.execute(FORGET_FUTURE, now_ms, timeout=timeout_s)
            await connection.execute("UPDATE tickets SET until_ms = until_ms - $1", stopped_at_ms - now_ms)
    return max(0, now_ms - stopped_at_ms) if stopped_at_ms else 0


DAMAGED = (asyncpg.DataCorruptedError, asyncpg.IndexCorruptedError)
ROW_ERRORS = (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError)
"""Errors for which the rows of one append may be at fault."""


class PostgresStore:
    """A `SharedStore`. If the connection is lost, every call raises `StoreError` until it could be made again.

    `clock` tells the time of the database; tests replace it. `reconnect_count`: how often the connection was lost and
    made again. `keys_digest`, `settings_digest`: as in `PostgresConnections`.
    """

    def __init__(
        self,
        url: PostgresUrl,
        clock: Callable[[Connection], Awaitable[int]] = clock_ms,
        *,
        keys_digest: str = "",
        settings_digest: str = "",
    ) -> None:
        self._connections = PostgresConnections(url, keys_digest, settings_digest)
        self._settings_digest = settings_digest
        self._batches = AppendBatches(self._write_batch)
        self._clock = clock

    @property
    def reconnect_count(self) -> int:
        """How often the connection was made again after it was lost."""
        return self._connections.reconnect_count

    async def open(self, now_ms: int) -> int:  # noqa: ARG002  the clock of the database counts
        """As `Store.open`: creates or migrates the tables of the database."""
        is_first = await self._connections.open()
        if not is_first:
            return 0
        async with self._connections.connection() as connection:
            database_ms = await self._clock(connection)
            away_ms = await _continue_clocks(connection, database_ms, START_TIMEOUT_S)
        await self._connections.let_others_in()
        return away_ms

    async def close(self) -> None:
        """As `Store.close`."""
        await self._batches.close()
        await self._connections.close()

    async def append(self, request: LogAppend) -> bool:
        """As `Store.append`."""
        return await self._batches.submit(request)

    async def _write_batch(self, requests: Sequence[LogAppend]) -> Mapping[str, bool | StoreError]:
        """Write appends in one statement; if the rows of one may be at fault, write each alone."""
        tables = [
            (request.code, request.expected_seq, last.seq, request.due_at_ms, request.listed, last.at_ms)
            for request in requests
            for last in request.rows[-1:]
        ]
        entries = [row for request in requests for row in stored_rows(request)]
        try:
            async with self._connections.connection() as connection:
                rows = await connection.fetch(APPEND, *zip(*tables, strict=True), *zip(*entries, strict=True))
        except StoreError as error:
            if not isinstance(error.__cause__, ROW_ERRORS) or len(requests) == 1:
                return {request.code: error for request in requests}
            results: dict[str, bool | StoreError] = {}
            for request in requests:
                results |= await self._write_batch([request])
            return results
        written = {row[0] for row in rows}
        return {request.code: request.code in written for request in requests}

    @asynccontextmanager
    async def _connection_for(self, code: str) -> AsyncIterator[Connection]:
        """Lend a connection to read a table. Raises `UnreadableTableError` if the database is damaged there."""
        async with self._connections.connection() as connection:
            try:
                yield connection
            except DAMAGED as error:
                raise UnreadableTableError(
                    f"the log of table {code} cannot be read: the database is damaged"
                ) from error

    async def load_match(self, code: str, number: int, limit: int) -> Sequence[RawRow]:
        """As `Store.load_match`."""
        prefixes = began_prefix(number), began_prefix(number + 1), RECORD_PREFIXES
        async with self._connection_for(code) as connection:
            rows = await connection.fetch(LOAD_MATCH, code, *prefixes, limit)
        return [(row[0], row[1], row[2], row[3]) for row in rows]

    async def load_state(self, code: str) -> StoredState | None:
        """As `Store.load_state`."""
        async with self._connection_for(code) as connection:
            return await _load_state(connection, code)

    async def heads(self, codes: Sequence[str]) -> Mapping[str, int]:
        """As `Store.heads`."""
        async with self._connections.connection() as connection:
            rows = await connection.fetch("SELECT code, head FROM tables WHERE code = ANY ($1::text[])", codes)
        return {row[0]: row[1] for row in rows}

    async def clock_ms(self) -> int:
        """As `SharedStore.clock_ms`."""
        async with self._connections.connection() as connection:
            return await self._clock(connection)

    async def load_changes(self, known_seqs: Mapping[str, int]) -> Mapping[str, StoredTable]:
        """As `SharedStore.load_changes`."""
        seqs = list(known_seqs.values())
        async with self._connections.connection() as connection:
            rows = await connection.fetch(LOAD_CHANGES, list(known_seqs), seqs, SNAPSHOT_EVERY)
        raw: dict[str, list[RawRow]] = {}
        due_at_ms: dict[str, int | None] = {}
        for row in rows:
            due_at_ms[row[0]] = row[1]
            raw.setdefault(row[0], []).extend([(row[2], row[3], row[4], row[5])] if row[2] is not None else ())
        return {code: StoredTable(_readable_rows(code, new), due_at_ms[code]) for code, new in raw.items()}

    async def claim_due(self, grace_ms: int, limit: int, but_not: Sequence[str] = ()) -> Sequence[str]:
        """As `SharedStore.claim_due`."""
        async with self._connections.connection() as connection:
            rows = await connection.fetch(CLAIM_DUE, await self._clock(connection), grace_ms, limit, but_not)
        return [row[0] for row in rows]

    async def postpone(self, due_times: Sequence[tuple[str, int, int]]) -> None:
        """As `SharedStore.postpone`. A table that is being changed is left out, because its deadline changes, too."""
        async with self._connections.connection() as connection:
            if due_times:
                await connection.execute(POSTPONE, *map(list, zip(*due_times, strict=True)))

    async def nodes_with_other_settings(self) -> Sequence[str]:
        """As `SharedStore.nodes_with_other_settings`."""
        async with self._connections.connection() as connection:
            nodes = await running_nodes(connection)
        return sorted(str(node) for node in nodes if node.settings not in ("", self._settings_digest))

    async def save_snapshot(self, code: str, snapshot: Snapshot) -> None:
        """As `Store.save_snapshot`."""
        async with self._connections.connection() as connection:
            first_seq = await connection.fetchval(SAVE_SNAPSHOT, code, snapshot.seq, snapshot.digest, snapshot.body)
            if first_seq is None:
                return
            end_seq = min(snapshot.talk_from_seq, first_seq + MAX_CHECKED_ENTRIES)
            if end_seq > first_seq:
                starts = await connection.fetch(SELECT_STARTS, START_BYTES, code, first_seq, end_seq)
                needless = needless_entries(((row[0], row[1]) for row in starts), snapshot.news_seqs)
                await connection.execute(DELETE_ENTRIES, code, needless, end_seq)

    async def due_codes(self, after_ms: int, until_ms: int) -> Sequence[str]:
        """As `Store.due_codes`."""
        query = "SELECT code FROM tables WHERE due_at_ms > $1 AND due_at_ms <= $2 ORDER BY due_at_ms"
        return await self._read_codes(query, after_ms, until_ms)

    async def listed_codes(self, limit: int, since_ms: int) -> Sequence[str]:
        """As `Store.listed_codes`."""
        query = "SELECT code FROM tables WHERE listed AND touched_at_ms >= $1 ORDER BY touched_at_ms DESC LIMIT $2"
        return await self._read_codes(query, since_ms, limit)

    async def unchanged_codes(self, before_ms: int, now_ms: int, limit: int) -> Sequence[str]:
        """As `Store.unchanged_codes`."""
        query = (
            "SELECT code FROM tables WHERE touched_at_ms < $1 AND (due_at_ms IS NULL OR due_at_ms <= $2)"
            " ORDER BY touched_at_ms LIMIT $3"
        )
        return await self._read_codes(query, before_ms, now_ms, limit)

    async def _read_codes(self, query: str, *values: int) -> Sequence[str]:
        async with self._connections.connection() as connection:
            return [row[0] for row in await connection.fetch(query, *values)]

    async def delete_table(self, code: str, before_ms: int) -> bool:
        """As `Store.delete_table`."""
        async with self._connections.connection() as connection:
            return await connection.fetchval(DELETE_TABLE, code, before_ms) is not None

    async def heartbeat(self, now_ms: int) -> None:
        """As `Store.heartbeat`."""
        upsert = "INSERT INTO presence VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET alive_at_ms = excluded.alive_at_ms"
        async with self._connections.lock_connection() as connection:
            await connection.execute(upsert, now_ms)

    async def last_heartbeat_ms(self) -> int:
        """As `Store.last_heartbeat_ms`."""
        async with self._connections.connection() as connection:
            return await _last_presence_ms(connection)

    async def server_bans(self, now_ms: int) -> tuple[ServerBan, ...]:
        """As `Store.server_bans`."""
        async with self._connections.connection() as connection:
            return read_bans(await connection.fetch(SELECT_BANS), now_ms)

    async def program_tokens(self) -> tuple[ProgramToken, ...]:
        """As `Store.program_tokens`."""
        async with self._connections.connection() as connection:
            return read_tokens(await connection.fetch(SELECT_TOKENS))

    async def select(self, statement: str, *values: str | float | bytes | None) -> Sequence[tuple[Any, ...]]:
        """As `Store.select`."""
        async with self._connections.connection() as connection:
            return [tuple(row) for row in await connection.fetch(statement, *values)]

    async def write(self, statement: str, *values: str | float | bytes | None) -> Sequence[tuple[Any, ...]]:
        """As `Store.write`."""
        return await self.select(statement, *values)

    async def save_ticket(self, ticket_hash: str, code: str, player: int, until_ms: int) -> None:
        """As `Store.save_ticket`."""
        async with self._connections.connection() as connection:
            await connection.execute(SAVE_TICKET, ticket_hash, code, player, until_ms)

    async def redeem_ticket(self, ticket_hash: str, code: str, now_ms: int) -> int | None:
        """As `Store.redeem_ticket`."""
        async with self._connections.connection() as connection:
            player: int | None = await connection.fetchval(REDEEM_TICKET, ticket_hash, code, now_ms)
        return player


READ_ONLY = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
"""All that one command reads comes from one moment."""


class PostgresAdministration(Administration):
    """An `Administration` of a PostgreSQL database. `key_base`: what the files of its keys are named after."""

    def __init__(self, url: PostgresUrl, key_base: Path) -> None:
        self.url = url
        self.key_base = key_base

    def __str__(self) -> str:
        return str(self.url)

    def list_nodes(self) -> Sequence[NodeRow]:
        """As `Administration.list_nodes`."""

        async def read() -> Sequence[NodeRow]:
            connection = await self._connect()
            try:
                nodes = await running_nodes(connection)
            finally:
                connection.terminate()
            return sorted(nodes, key=lambda node: (node.machine, node.process))

        with self._errors():
            return asyncio.run(read())

    def back_up(self, copy: Path) -> None:
        """As `Administration.back_up`."""
        with new_database_file(copy, self.key_base) as temporary:
            migrate_file(temporary)
            with self._reading() as run, sqlite_transaction(temporary) as target:
                run(lambda source: copy_tables(source, target))

    def restore(self, copy: Path) -> None:
        """As `Administration.restore`. Raises `UnavailableError`."""
        require_absent(keys_of(self.key_base))
        if not copy.is_file():
            raise UnavailableError(f"there is no database {copy}; name the file of a backup")
        require_own_file(copy, "name the file of a backup")
        with tempfile.TemporaryDirectory() as folder:
            current = Path(folder) / "copy.db"
            create_private(current)
            copy_file(copy, current)
            migrate_file(current)
            with self._opened_alone() as run, sqlite_transaction(current) as source:
                run(lambda target: self._fill(source, target))
        try:
            make_folder(self.key_base.parent)
            copy_keys(copy, self.key_base)
        except OSError as error:
            raise UnavailableError(f"cannot write {self.key_base}: {error.strerror}") from error

    def _fill(self, source: sa.Connection, target: sa.Connection) -> None:
        """Fill the tables of the database. Raises `UnavailableError` unless they are empty."""
        query = sa.text("SELECT code FROM tables LIMIT 1")
        if target.execute(query).first() is not None:
            raise UnavailableError(f"the database {self} has tables already; create an empty one for the backup")
        copy_tables(source, target)

    @contextmanager
    def _reading(self) -> Iterator[RunJob]:
        """As `Administration._reading`; all that is read comes from one moment."""
        with self._connected(read_only=True) as run:
            run(self._require_schema)
            yield run

    @contextmanager
    def _changing(self) -> Iterator[RunJob]:
        with self._connected() as run:
            run(self._require_schema)
            yield run

    @contextmanager
    def _alone(self) -> Iterator[RunJob]:
        with self._connected() as run:
            run(self._require_tables)
        with self._opened_alone() as run:
            yield run

    @contextmanager
    def _opened_alone(self) -> Iterator[RunJob]:
        """As `_alone`, also in a database without tables: they are created."""
        connections = PostgresConnections(self.url)
        with self._errors(), asyncio.Runner() as runner:
            runner.run(connections.open(alone=True))
            try:
                with self._connected() as run:
                    yield run
            finally:
                runner.run(connections.close())

    @contextmanager
    def _connected(self, *, read_only: bool = False) -> Iterator[RunJob]:
        """Yield what runs each job in a transaction; with `read_only`, all jobs are in the same one."""
        engine = create_async_engine("postgresql+asyncpg://", async_creator=self._connect, poolclass=NullPool)
        with self._errors(), asyncio.Runner() as runner:
            connection = runner.run(engine.connect().start())

            async def run(job: Callable[[sa.Connection], T]) -> T:
                if read_only:
                    return await connection.run_sync(job)
                async with connection.begin():
                    return await connection.run_sync(job)

            try:
                if read_only:
                    connection = runner.run(connection.execution_options(**READ_ONLY))
                yield lambda job: runner.run(run(job))
            finally:
                runner.run(connection.close())

    async def _connect(self) -> asyncpg.Connection[asyncpg.Record]:
        return await asyncpg.connect(
            self.url.url, timeout=CONNECT_TIMEOUT_S, server_settings={"application_name": "liarsdice admin"}
        )

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn errors of the database into `UnavailableError`, which names it without its password."""
        try:
            yield
        except StoreError as error:
            raise UnavailableError(f"the database {self} cannot be used: {error}") from error
        except (*FAILURES, sa.exc.SQLAlchemyError, ValueError) as error:
            raise UnavailableError(f"the database {self} cannot be used: {cause_of(error)}") from error
