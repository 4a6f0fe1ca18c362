"""Writes appends in batches: those that arrive while others are being written go into the next batch together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from liarsdice.server.errors import StoreError
from liarsdice.server.storage.batch_writer import set_outcome
from liarsdice.server.storage.store import LogAppend

MAX_BATCH = 512
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
