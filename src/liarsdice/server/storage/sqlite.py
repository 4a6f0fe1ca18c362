"""Stores tables in a SQLite file, for one server process.

One thread writes (`batch_writer`) and another one reads. What they read and write is in `sqlite_statements`.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import sqlalchemy as sa

from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.server.errors import DatabaseLostError, StoreError, UnreadableTableError
from liarsdice.server.storage import sqlite_statements as statements
from liarsdice.server.storage.batch_writer import BatchWriter, is_corrupt
from liarsdice.server.storage.database_file import FileIds, create_private, file_ids, lock_database, make_private
from liarsdice.server.storage.migrate import migrate_file
from liarsdice.server.storage.store import LogAppend, ProgramToken, ServerBan, StoredState, StoredTable
from liarsdice.server.storage.token_rows import SELECT_TOKENS, read_tokens
from liarsdice.server.table.log_entries import LogRow
from liarsdice.server.table.snapshots import Snapshot

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
        away_ms = await self._writer.submit("", lambda connection: statements.continue_clocks(connection, now_ms))
        self._file_ids = file_ids(self.path)
        return away_ms

    def _check_files(self) -> None:
        """Raise `DatabaseLostError` if the files that the connections have open are not those of the path any more."""
        if self._file_ids is not None and file_ids(self.path) != self._file_ids:
            raise DatabaseLostError("nothing can be saved: the database was deleted or replaced; restart the server")

    def _prepare(self) -> None:
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
        return await self._writer.submit(request.code, lambda connection: statements.append(connection, request))

    async def load(self, code: str) -> StoredTable | None:
        """As `Store.load`."""
        return await self._read_table(code, lambda connection: statements.load(connection, code))

    async def load_match(self, code: str, number: int, limit: int) -> Sequence[LogRow]:
        """As `Store.load_match`."""
        return await self._read_table(code, lambda connection: statements.load_match(connection, code, number, limit))

    async def load_state(self, code: str) -> StoredState | None:
        """As `Store.load_state`."""
        return await self._read_table(code, lambda connection: statements.load_state(connection, code))

    async def heads(self, codes: Sequence[str]) -> Mapping[str, int]:
        """As `Store.heads`."""
        return await self._read(lambda connection: statements.heads(connection, codes))

    async def save_snapshot(self, code: str, snapshot: Snapshot) -> None:
        """As `Store.save_snapshot`."""
        await self._writer.submit(code, lambda connection: statements.save_snapshot(connection, code, snapshot))

    async def due_codes(self, after_ms: int, until_ms: int) -> Sequence[str]:
        """As `Store.due_codes`."""
        return await self._read(lambda connection: statements.due_codes(connection, after_ms, until_ms))

    async def listed_codes(self, limit: int, since_ms: int) -> Sequence[str]:
        """As `Store.listed_codes`."""
        return await self._read(lambda connection: statements.listed_codes(connection, limit, since_ms))

    async def unchanged_codes(self, before_ms: int, now_ms: int, limit: int) -> Sequence[str]:
        """As `Store.unchanged_codes`."""
        return await self._read(lambda connection: statements.unchanged_codes(connection, before_ms, now_ms, limit))

    async def delete_table(self, code: str, before_ms: int) -> bool:
        """As `Store.delete_table`."""
        return await self._writer.submit(code, lambda connection: statements.delete_table(connection, code, before_ms))

    async def heartbeat(self, now_ms: int) -> None:
        """As `Store.heartbeat`."""
        await self._writer.submit("", lambda connection: statements.record_presence(connection, now_ms))

    async def last_heartbeat_ms(self) -> int:
        """As `Store.last_heartbeat_ms`."""
        return await self._read(statements.last_presence_ms)

    async def server_bans(self, now_ms: int) -> tuple[ServerBan, ...]:
        """As `Store.server_bans`."""
        return await self._read(lambda connection: statements.server_bans(connection, now_ms))

    async def program_tokens(self) -> tuple[ProgramToken, ...]:
        """As `Store.program_tokens`."""
        return await self._read(lambda connection: read_tokens(connection.execute(SELECT_TOKENS)))

    async def save_ticket(self, ticket_hash: str, code: str, player: int, until_ms: int) -> None:
        """As `Store.save_ticket`."""
        await self._writer.submit(
            code, lambda connection: statements.save_ticket(connection, ticket_hash, code, player, until_ms)
        )

    async def redeem_ticket(self, ticket_hash: str, code: str, now_ms: int) -> int | None:
        """As `Store.redeem_ticket`."""
        return await self._writer.submit(
            code, lambda connection: statements.redeem_ticket(connection, ticket_hash, code, now_ms)
        )

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
