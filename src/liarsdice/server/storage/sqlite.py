"""Tables in a SQLite file: one thread writes; what arrives while it commits, or rests, goes into the next commit."""

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
from liarsdice.server.storage.migrate import migrate
from liarsdice.server.storage.store import Append, Kept, StoreError
from liarsdice.server.table.log_entries import ENTRY, Row

T = TypeVar("T")
Job = Callable[[sqlite3.Connection], object]
BUSY_S = 10
LARGEST_BATCH = 512
COMMIT_EVERY_S = 0.004
"""Under load a commit waits until so long after the last one began: fewer and larger ones cost a fifth less in all."""


class SqliteStore:
    """The store of one server process (or a few on one machine)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._jobs: queue.SimpleQueue[tuple[str, Job, asyncio.Future[Any]] | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write, name="writer", daemon=True)
        self._readers = ThreadPoolExecutor(1, "reader")
        self._reading: sqlite3.Connection | None = None
        self._writing: sqlite3.Connection | None = None

    async def open(self, now_ms: int) -> int:
        """Make or migrate the file, and shift what was due while nobody was there. Returns for how many ms."""
        await asyncio.to_thread(self._prepare)
        self._writer.start()
        return await self._written("", lambda connection: _shift_due(connection, now_ms))

    def _prepare(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            engine = sa.create_engine(sa.URL.create("sqlite", database=str(self.path)))
            with engine.begin() as connection:
                migrate(connection)
            engine.dispose()
            self._writing, self._reading = _connect(self.path), _connect(self.path)
        except (OSError, sqlite3.Error, sa.exc.SQLAlchemyError) as error:
            why = error.orig if isinstance(error, sa.exc.DBAPIError) else error
            raise UnavailableError(
                f"the database {self.path} cannot be used: {why}; name another with --database"
            ) from error

    async def close(self) -> None:
        """Write what is waiting, and let go of the file."""
        if self._writer.is_alive():
            self._jobs.put(None)
            await asyncio.to_thread(self._writer.join)
        self._readers.shutdown()
        for connection in (self._writing, self._reading):
            if connection is not None:
                connection.close()

    async def append(self, wanted: Append) -> bool:
        """As `Store.append`."""
        return await self._written(wanted.code, lambda connection: _append(connection, wanted))

    async def load(self, code: str) -> Kept | None:
        """As `Store.load`."""
        return await self._read(lambda connection: _load(connection, code))

    async def due(self, after_ms: int, until_ms: int) -> Sequence[str]:
        """As `Store.due`."""
        asked = "SELECT code FROM tables WHERE due_at_ms > ? AND due_at_ms <= ? ORDER BY due_at_ms"
        return await self._read(lambda connection: [row[0] for row in connection.execute(asked, (after_ms, until_ms))])

    async def listed(self, most: int, since_ms: int) -> Sequence[str]:
        """As `Store.listed`."""
        asked = "SELECT code FROM tables WHERE listed AND touched_at_ms >= ? ORDER BY touched_at_ms DESC LIMIT ?"
        return await self._read(lambda connection: [row[0] for row in connection.execute(asked, (since_ms, most))])

    async def alive(self, now_ms: int) -> None:
        """As `Store.alive`."""
        said = "INSERT INTO presence VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET alive_at_ms = excluded.alive_at_ms"
        await self._written("", lambda connection: connection.execute(said, (now_ms,)))

    async def keep_ticket(self, ticket: str, code: str, player: int, until_ms: int) -> None:
        """As `Store.keep_ticket`."""
        row = (ticket, code, player, until_ms)
        await self._written(code, lambda connection: connection.execute("INSERT INTO tickets VALUES (?, ?, ?, ?)", row))

    async def take_ticket(self, ticket: str, code: str, now_ms: int) -> int | None:
        """As `Store.take_ticket`."""

        def take(connection: sqlite3.Connection) -> int | None:
            connection.execute("DELETE FROM tickets WHERE until_ms < ?", (now_ms,))
            taken = "DELETE FROM tickets WHERE ticket = ? AND code = ? RETURNING player"
            row = connection.execute(taken, (ticket, code)).fetchone()
            return None if row is None else int(row[0])

        return await self._written(code, take)

    async def _read(self, job: Callable[[sqlite3.Connection], T]) -> T:
        def read() -> T:
            assert self._reading is not None
            return job(self._reading)

        try:
            return await asyncio.get_running_loop().run_in_executor(self._readers, read)
        except sqlite3.Error as error:
            raise StoreError(f"the database cannot be read: {error}") from error

    async def _written(self, code: str, job: Callable[[sqlite3.Connection], T]) -> T:
        outcome: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._jobs.put((code, job, outcome))
        return await outcome

    def _write(self) -> None:
        """Take what has come meanwhile, in the order of tables, and commit it as one."""
        assert self._writing is not None
        began_s = 0.0
        while (first := self._jobs.get()) is not None:
            time.sleep(max(0.0, began_s + COMMIT_EVERY_S - time.monotonic()))
            began_s = time.monotonic()
            batch, ending = [first], False
            while len(batch) < LARGEST_BATCH and not self._jobs.empty():
                more = self._jobs.get()
                if more is None:
                    ending = True
                    break
                batch.append(more)
            batch.sort(key=lambda job: job[0])
            answers = _committed(self._writing, [job for _, job, _ in batch])
            _answer([outcome for _, _, outcome in batch], answers)
            if ending:
                return


def _committed(connection: sqlite3.Connection, jobs: list[Job]) -> list[object] | StoreError:
    try:
        connection.execute("BEGIN IMMEDIATE")
        answers = [job(connection) for job in jobs]
        connection.execute("COMMIT")
    except Exception as error:  # noqa: BLE001  the thread has to outlive whatever it was
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        return StoreError(f"the database cannot be written: {error}")
    return answers


def _answer(outcomes: list[asyncio.Future[Any]], answers: list[object] | StoreError) -> None:
    """Hand the answers over on the loop of those who wait; who has gone away meanwhile is left in peace."""

    def tell() -> None:
        for place, outcome in enumerate(outcomes):
            if outcome.done():
                continue
            if isinstance(answers, StoreError):
                outcome.set_exception(StoreError(str(answers)))
            else:
                outcome.set_result(answers[place])

    loop = outcomes[0].get_loop()
    if not loop.is_closed():
        loop.call_soon_threadsafe(tell)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _append(connection: sqlite3.Connection, wanted: Append) -> bool:
    last = wanted.rows[-1]
    if wanted.head == 0:
        opened = "INSERT INTO tables VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        row = (wanted.code, last.seq, wanted.due_at_ms, wanted.listed, last.at_ms)
        changed = connection.execute(opened, row).rowcount
    else:
        moved = "UPDATE tables SET head = ?, due_at_ms = ?, listed = ?, touched_at_ms = ? WHERE code = ? AND head = ?"
        where = (last.seq, wanted.due_at_ms, wanted.listed, last.at_ms, wanted.code, wanted.head)
        changed = connection.execute(moved, where).rowcount
    if changed != 1:
        return False
    connection.executemany(
        "INSERT INTO entries VALUES (?, ?, ?, ?, ?)",
        [(wanted.code, row.seq, row.at_ms, row.wish, msgspec.json.encode(row.entry)) for row in wanted.rows],
    )
    return True


def _load(connection: sqlite3.Connection, code: str) -> Kept | None:
    connection.execute("BEGIN")
    try:
        found = connection.execute("SELECT head, due_at_ms FROM tables WHERE code = ?", (code,)).fetchone()
        if found is None:
            return None
        rows = connection.execute("SELECT seq, at_ms, wish, body FROM entries WHERE code = ? ORDER BY seq", (code,))
        kept = tuple(Row(seq, at_ms, wish, ENTRY.decode(body)) for seq, at_ms, wish, body in rows)
    finally:
        connection.execute("COMMIT")
    assert kept[-1].seq == found[0] == len(kept)
    return Kept(kept, found[1])


def _shift_due(connection: sqlite3.Connection, now_ms: int) -> int:
    """Whatever runs on a clock stood still while nobody was there."""
    row = connection.execute("SELECT alive_at_ms FROM presence WHERE id = 1").fetchone()
    if row is None:
        return 0
    (touched,) = connection.execute("SELECT max(touched_at_ms) FROM tables").fetchone()
    seen_ms = max(row[0], touched or 0)
    away_ms: int = max(0, now_ms - seen_ms)
    connection.execute("UPDATE tables SET due_at_ms = due_at_ms + ? WHERE due_at_ms > ?", (away_ms, seen_ms))
    return away_ms
