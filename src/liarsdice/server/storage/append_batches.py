"""Writes appends in batches: those that arrive while others are being written go into the next batch together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from liarsdice.server.errors import StoreError
from liarsdice.server.storage.store import LogAppend

MAX_BATCH = 512
MAX_IN_FLIGHT = 3
"""How many batches are being written at once: the database commits one while it works on the next."""

WriteBatch = Callable[[Sequence[LogAppend]], Awaitable[Mapping[str, bool | StoreError]]]
"""Writes appends, sorted by table and one a table; returns for each table whether its log had not changed before."""


class AppendBatches:
    """Collects appends on the event loop and passes them to `write`."""

    def __init__(self, write: WriteBatch) -> None:
        self._write = write
        self._waiting: list[tuple[LogAppend, asyncio.Future[bool]]] = []
        self._writers: set[asyncio.Task[None]] = set()

    async def submit(self, request: LogAppend) -> bool:
        """Write an append with the next batch; return whether nobody else was first. Raises `StoreError`."""
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[bool] = loop.create_future()
        self._waiting.append((request, outcome))
        if len(self._writers) < MAX_IN_FLIGHT:
            writer = loop.create_task(self._write_waiting())
            self._writers.add(writer)
            writer.add_done_callback(self._writers.discard)
        return await outcome

    async def close(self) -> None:
        """Wait until all that was submitted is written."""
        while self._writers:
            await asyncio.wait(self._writers)

    async def _write_waiting(self) -> None:
        while batch := self._take_batch():
            results: Mapping[str, bool | StoreError]
            try:
                results = await self._write([request for request, _ in batch])
            except StoreError as error:
                results = dict.fromkeys((request.code for request, _ in batch), error)
            for request, outcome in batch:
                result = results[request.code]
                if outcome.done():
                    continue
                if isinstance(result, StoreError):
                    outcome.set_exception(result)
                else:
                    outcome.set_result(result)

    def _take_batch(self) -> list[tuple[LogAppend, asyncio.Future[bool]]]:
        """Remove and return the next appends, sorted by table; a second one of a table waits for the next batch."""
        batch: dict[str, tuple[LogAppend, asyncio.Future[bool]]] = {}
        left = []
        for item in self._waiting:
            if len(batch) == MAX_BATCH or item[0].code in batch:
                left.append(item)
            else:
                batch[item[0].code] = item
        self._waiting = left
        return [batch[code] for code in sorted(batch)]
