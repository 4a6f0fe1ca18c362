"""The thread that writes to a database: jobs that arrive while it commits go into the next transaction together."""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from liarsdice.server.errors import DatabaseLostError, StoreError
from liarsdice.server.storage.store import LogAppend

T = TypeVar("T")
Job = Callable[[sqlite3.Connection], object]
MAX_BATCH = 512
COMMIT_EVERY_S = 0.010
"""The shortest time between the beginnings of two commits: under load, fewer and larger commits cost much less.

A commit costs as much as writing four entries, and nobody notices a hundredth of a second at a table.
"""


class BatchWriter:
    """Runs jobs on one connection in a thread of its own. Results reach the event loop through futures."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[tuple[str, Job, asyncio.Future[Any]] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def start(self, connection: sqlite3.Connection, check: Callable[[], None] = lambda: None) -> None:
        """Begin to run jobs on a connection, which nothing else uses until `close`.

        `check` is called before each commit, which does not happen if it raises an error.
        """
        self._thread = threading.Thread(target=self._run, args=(connection, check), name="writer", daemon=True)
        self._thread.start()

    async def close(self) -> None:
        """Finish the jobs that were submitted and end the thread."""
        if self._thread is not None:
            self._jobs.put(None)
            await asyncio.to_thread(self._thread.join)

    async def submit(self, code: str, job: Callable[[sqlite3.Connection], T]) -> T:
        """Run a job in the thread and return its result once it is committed.

        Jobs of one transaction run sorted by `code`, those of one code in their order. Raises `StoreError` if the
        transaction fails, and `DatabaseLostError` if that is why.
        """
        outcome: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._jobs.put((code, job, outcome))
        return await outcome

    def _run(self, connection: sqlite3.Connection, check: Callable[[], None]) -> None:
        """Commit the waiting jobs together, again and again, until None comes from the queue."""
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
            results = _commit(connection, [job for _, job, _ in batch], check)
            _set_results([outcome for _, _, outcome in batch], results)
            if ending:
                return


def is_corrupt(error: sqlite3.Error) -> bool:
    """Return whether an error says that a page of the database is damaged; others may be readable."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF == sqlite3.SQLITE_CORRUPT


def _commit(connection: sqlite3.Connection, jobs: list[Job], check: Callable[[], None]) -> list[object]:
    """Run jobs in one transaction and return their results; a `StoreError` stands for the result of one that failed.

    If one job alone may be at fault, as one that meets a damaged page, each gets a transaction of its own.
    """
    try:
        connection.execute("BEGIN IMMEDIATE")
        results = [job(connection) for job in jobs]
        check()
        connection.execute("COMMIT")
    except Exception as error:  # noqa: BLE001  the thread must survive any error
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        if isinstance(error, DatabaseLostError):
            return [DatabaseLostError(str(error)) for _ in jobs]
        own_fault = not isinstance(error, sqlite3.OperationalError)
        if own_fault and len(jobs) > 1:
            return [result for job in jobs for result in _commit(connection, [job], check)]
        return [StoreError(f"the database cannot be written: {error}") for _ in jobs]
    return results


def _set_results(outcomes: list[asyncio.Future[Any]], results: list[object]) -> None:
    """Resolve the futures in the thread of their event loop; cancelled ones are skipped."""

    def resolve() -> None:
        for outcome, result in zip(outcomes, results, strict=True):
            set_outcome(outcome, result)

    loop = outcomes[0].get_loop()
    if not loop.is_closed():
        loop.call_soon_threadsafe(resolve)


def set_outcome(outcome: asyncio.Future[Any], result: object) -> None:
    """Pass a result, or a `StoreError` as an exception, to whoever waits for a future, unless it is cancelled."""
    if outcome.done():
        return
    if isinstance(result, StoreError):
        outcome.set_exception(result)
    else:
        outcome.set_result(result)


MAX_IN_FLIGHT = 3
"""How many batches are being written at once: the database commits one while it works on the next."""

CLOSE_TIMEOUT_S = 5.0
"""How long `close` waits for a database that does not answer."""

WriteBatch = Callable[[Sequence[LogAppend]], Awaitable[Mapping[str, bool | StoreError]]]
"""Writes appends, sorted by table and one a table; returns for each table whether its log had not changed before."""

WaitingAppend = tuple[LogAppend, "asyncio.Future[bool]"]
CLOSED = "the database is closed"


class AppendBatches:
    """Collects appends on the event loop and passes them to `write`."""

    def __init__(self, write: WriteBatch) -> None:
        self._write = write
        self._waiting: list[WaitingAppend] = []
        self._writers: set[asyncio.Task[None]] = set()
        self._closed = False

    async def submit(self, request: LogAppend) -> bool:
        """Write an append with the next batch; return whether nobody else was first. Raises `StoreError`."""
        if self._closed:
            raise StoreError(CLOSED)
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[bool] = loop.create_future()
        self._waiting.append((request, outcome))
        if len(self._writers) < MAX_IN_FLIGHT:
            writer = loop.create_task(self._write_waiting())
            self._writers.add(writer)
            writer.add_done_callback(self._writers.discard)
        return await outcome

    async def close(self) -> None:
        """Wait until all that was submitted is written, or has failed; nothing can be submitted any more."""
        self._closed = True
        if self._writers:
            await asyncio.wait(self._writers, timeout=CLOSE_TIMEOUT_S)
        for writer in self._writers:
            writer.cancel()
        waiting, self._waiting = self._waiting, []
        _resolve(waiting, dict.fromkeys((request.code for request, _ in waiting), StoreError(CLOSED)))

    async def _write_waiting(self) -> None:
        while batch := self._take_batch():
            results: Mapping[str, bool | StoreError]
            try:
                results = await self._write([request for request, _ in batch])
            except StoreError as error:
                results = dict.fromkeys((request.code for request, _ in batch), error)
            except asyncio.CancelledError:
                _resolve(batch, dict.fromkeys((request.code for request, _ in batch), StoreError(CLOSED)))
                raise
            _resolve(batch, results)

    def _take_batch(self) -> list[WaitingAppend]:
        """Remove and return the next appends, sorted by table; a second one of a table waits for the next batch."""
        batch: dict[str, WaitingAppend] = {}
        left = []
        for item in self._waiting:
            if len(batch) == MAX_BATCH or item[0].code in batch:
                left.append(item)
            else:
                batch[item[0].code] = item
        self._waiting = left
        return [batch[code] for code in sorted(batch)]


def _resolve(batch: Sequence[WaitingAppend], results: Mapping[str, bool | StoreError]) -> None:
    """Pass the result of every append of a batch to whoever waits for it."""
    for request, outcome in batch:
        set_outcome(outcome, results[request.code])
