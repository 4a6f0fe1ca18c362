"""Connections to a PostgreSQL database. One of them holds the lock that says that this node runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TypeAlias

import asyncpg
import sqlalchemy as sa
from asyncpg.pool import PoolConnectionProxy
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from liarsdice.core.errors import UnavailableError
from liarsdice.server.database_url import PostgresUrl
from liarsdice.server.errors import StoreError
from liarsdice.server.storage.migrate import migrate
from liarsdice.server.storage.node_names import NodeRow, new_session_name, read_session_name

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
    before can change the database afterwards. `keys_digest`: as `secret_file.keys_digest`, "" if keys do not matter.
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
