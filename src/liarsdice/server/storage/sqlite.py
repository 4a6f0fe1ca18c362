"""Stores tables in a SQLite file.

One thread writes: jobs that arrive while it commits are written together in the next transaction. Another thread reads.
Results reach the event loop through futures.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import sqlalchemy as sa

from liarsdice.core.errors import UnavailableError
from liarsdice.server.errors import StoreError
from liarsdice.server.storage.migrate import migrate
from liarsdice.server.storage.store import LogAppend, StoredTable
from liarsdice.server.table.log_entries import LOG_ENTRY_DECODER, LogRow

T = TypeVar("T")
Job = Callable[[sqlite3.Connection], object]
LOCK_TIMEOUT_S = 10
MAX_BATCH = 512
COMMIT_EVERY_S = 0.004
"""The shortest time between the beginnings of two commits: under load, fewer and larger commits cost a fifth less."""


class SqliteStore:
    """A `Store` for one server process, or a few on one machine."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._jobs: queue.SimpleQueue[tuple[str, Job, asyncio.Future[Any]] | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._run_writer, name="writer", daemon=True)
        self._reader = ThreadPoolExecutor(1, "reader")
        self._read_connection: sqlite3.Connection | None = None
        self._write_connection: sqlite3.Connection | None = None

    async def open(self, now_ms: int) -> int:
        """As `Store.open`: creates or migrates the file."""
        await asyncio.to_thread(self._prepare)
        self._writer.start()
        return await self._submit("", lambda connection: _continue_clocks(connection, now_ms))

    def _prepare(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            engine = sa.create_engine(sa.URL.create("sqlite", database=str(self.path)))
            with engine.begin() as connection:
                migrate(connection)
            engine.dispose()
            self._write_connection, self._read_connection = _connect(self.path), _connect(self.path)
        except (OSError, sqlite3.Error, sa.exc.SQLAlchemyError) as error:
            cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
            raise UnavailableError(
                f"the database {self.path} cannot be used: {cause}; name another with --database"
            ) from error

    async def close(self) -> None:
        """As `Store.close`."""
        if self._writer.is_alive():
            self._jobs.put(None)
            await asyncio.to_thread(self._writer.join)
        self._reader.shutdown()
        for connection in (self._write_connection, self._read_connection):
            if connection is not None:
                connection.close()

    async def append(self, request: LogAppend) -> bool:
        """As `Store.append`."""
        return await self._submit(request.code, lambda connection: _append(connection, request))

    async def load(self, code: str) -> StoredTable | None:
        """As `Store.load`."""
        return await self._read(lambda connection: _load(connection, code))

    async def due_codes(self, after_ms: int, until_ms: int) -> Sequence[str]:
        """As `Store.due_codes`."""
        query = "SELECT code FROM tables WHERE due_at_ms > ? AND due_at_ms <= ? ORDER BY due_at_ms"
        return await self._read(lambda connection: [row[0] for row in connection.execute(query, (after_ms, until_ms))])

    async def listed_codes(self, limit: int, since_ms: int) -> Sequence[str]:
        """As `Store.listed_codes`."""
        query = "SELECT code FROM tables WHERE listed AND touched_at_ms >= ? ORDER BY touched_at_ms DESC LIMIT ?"
        return await self._read(lambda connection: [row[0] for row in connection.execute(query, (since_ms, limit))])

    async def heartbeat(self, now_ms: int) -> None:
        """As `Store.heartbeat`."""
        statement = (
            "INSERT INTO presence VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET alive_at_ms = excluded.alive_at_ms"
        )
        await self._submit("", lambda connection: connection.execute(statement, (now_ms,)))

    async def save_ticket(self, ticket_hash: str, code: str, player: int, until_ms: int) -> None:
        """As `Store.save_ticket`."""
        statement = "INSERT INTO tickets VALUES (?, ?, ?, ?)"
        row = (ticket_hash, code, player, until_ms)
        await self._submit(code, lambda connection: connection.execute(statement, row))

    async def redeem_ticket(self, ticket_hash: str, code: str, now_ms: int) -> int | None:
        """As `Store.redeem_ticket`."""

        def redeem(connection: sqlite3.Connection) -> int | None:
            connection.execute("DELETE FROM tickets WHERE until_ms < ?", (now_ms,))
            statement = "DELETE FROM tickets WHERE ticket = ? AND code = ? RETURNING player"
            row = connection.execute(statement, (ticket_hash, code)).fetchone()
            return None if row is None else int(row[0])

        return await self._submit(code, redeem)

    async def _read(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """Run a job in the reader's thread and return its result. Raises `StoreError` if the database fails."""

        def read() -> T:
            assert self._read_connection is not None
            return job(self._read_connection)

        try:
            return await asyncio.get_running_loop().run_in_executor(self._reader, read)
        except sqlite3.Error as error:
            raise StoreError(f"the database cannot be read: {error}") from error

    async def _submit(self, code: str, job: Callable[[sqlite3.Connection], T]) -> T:
        """Run a job in the writer's thread and return its result once it is committed.

        Jobs of one transaction run sorted by `code`, those of one code in their order. Raises `StoreError` if the
        transaction fails.
        """
        outcome: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._jobs.put((code, job, outcome))
        return await outcome

    def _run_writer(self) -> None:
        """Commit the waiting jobs together, again and again, until None comes from the queue."""
        assert self._write_connection is not None
        began_s = 0.0
        while (first := self._jobs.get()) is not None:
            time.sleep(max(0.0, began_s + COMMIT_EVERY_S - time.monotonic()))
            began_s = time.monotonic()
            batch, ending = [first], False
            while len(batch) < MAX_BATCH and not self._jobs.empty():
                job = self._jobs.get()
                if job is None:
                    ending = True
                    break
                batch.append(job)
            batch.sort(key=lambda item: item[0])
            results = _commit(self._write_connection, [job for _, job, _ in batch])
            _set_results([outcome for _, _, outcome in batch], results)
            if ending:
                return


def _commit(connection: sqlite3.Connection, jobs: list[Job]) -> list[object] | StoreError:
    """Run jobs in one transaction and return their results, or the error that rolled it back."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        results = [job(connection) for job in jobs]
        connection.execute("COMMIT")
    except Exception as error:  # noqa: BLE001  the thread must survive any error
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        return StoreError(f"the database cannot be written: {error}")
    return results


def _set_results(outcomes: list[asyncio.Future[Any]], results: list[object] | StoreError) -> None:
    """Resolve the futures in the thread of their event loop; cancelled ones are skipped."""

    def resolve() -> None:
        for place, outcome in enumerate(outcomes):
            if outcome.done():
                continue
            if isinstance(results, StoreError):
                outcome.set_exception(StoreError(str(results)))
            else:
                outcome.set_result(results[place])

    loop = outcomes[0].get_loop()
    if not loop.is_closed():
        loop.call_soon_threadsafe(resolve)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=LOCK_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _append(connection: sqlite3.Connection, request: LogAppend) -> bool:
    last = request.rows[-1]
    if request.expected_seq == 0:
        insert = "INSERT INTO tables VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        row = (request.code, last.seq, request.due_at_ms, request.listed, last.at_ms)
        changed = connection.execute(insert, row).rowcount
    else:
        update = "UPDATE tables SET head = ?, due_at_ms = ?, listed = ?, touched_at_ms = ? WHERE code = ? AND head = ?"
        values = (last.seq, request.due_at_ms, request.listed, last.at_ms, request.code, request.expected_seq)
        changed = connection.execute(update, values).rowcount
    if changed != 1:
        return False
    connection.executemany(
        "INSERT INTO entries VALUES (?, ?, ?, ?, ?)",
        [(request.code, row.seq, row.at_ms, row.request_id, msgspec.json.encode(row.entry)) for row in request.rows],
    )
    return True


def _load(connection: sqlite3.Connection, code: str) -> StoredTable | None:
    connection.execute("BEGIN")
    try:
        head = connection.execute("SELECT head, due_at_ms FROM tables WHERE code = ?", (code,)).fetchone()
        if head is None:
            return None
        selected = connection.execute("SELECT seq, at_ms, wish, body FROM entries WHERE code = ? ORDER BY seq", (code,))
        rows = tuple(LogRow(seq, at_ms, wish, LOG_ENTRY_DECODER.decode(body)) for seq, at_ms, wish, body in selected)
    finally:
        connection.execute("COMMIT")
    last_seq, due_at_ms = head
    assert rows[-1].seq == last_seq == len(rows)
    return StoredTable(rows, due_at_ms)


def _continue_clocks(connection: sqlite3.Connection, now_ms: int) -> int:
    """Bring stored times to the present clock, and return for how many milliseconds no server has run.

    A deadline that was ahead when the last server stopped keeps the time that was left then, whether the clock went on
    or was turned back since. Stored times in the future count as now. A table that changed after the last heartbeat
    shows that the server ran until then.
    """
    row = connection.execute("SELECT alive_at_ms FROM presence WHERE id = 1").fetchone()
    alive_at_ms = 0 if row is None else row[0]
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
