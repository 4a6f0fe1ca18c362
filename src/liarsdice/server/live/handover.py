"""Closes connections a few at a time, so that pages connect to other nodes: of a node that stops or has no database."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterable, Mapping

import structlog

from liarsdice.server.errors import StoreError
from liarsdice.server.live.interfaces import TableServices
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.timers import TableTimers

LOG = structlog.get_logger()
CLOSED_PER_S = 400
MAX_SPREAD_S = 5.0
"""However many connections there are, they are closed within this time."""

STEP_S = 0.05
SILENT_AFTER_S = 4.0
"""After how long without an answer of the database the pages of a node connect to another one."""


async def close_gradually(closings: Iterable[Callable[[], object]], stop_waiting: Callable[[], bool]) -> None:
    """Close connections in random order, at `CLOSED_PER_S` or faster; all at once when `stop_waiting` returns True."""
    waiting = list(closings)
    random.shuffle(waiting)
    per_step = max(1, round(STEP_S * max(CLOSED_PER_S, len(waiting) / MAX_SPREAD_S)))
    while waiting:
        closing = waiting if stop_waiting() else waiting[-per_step:]
        waiting = [] if stop_waiting() else waiting[:-per_step]
        for close in closing:
            close()
        if waiting:
            await asyncio.sleep(STEP_S)


class DatabaseSilence:
    """Hands the pages of a node over while the database does not answer it, if there are other nodes.

    A database that refuses to work does so at every node. One that answers nothing may be out of the reach of this node
    alone, whose pages would see a table that stands still. `now_s` returns seconds of any clock that never goes back.
    """

    def __init__(
        self,
        services: TableServices,
        loaded: Mapping[str, tuple[LiveTable, TableTimers]],
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._services, self._loaded, self._now_s = services, loaded, now_s
        self._since_s: float | None = None

    @property
    def lasts(self) -> bool:
        """Whether the database has been silent for so long that another node should serve the pages."""
        elsewhere = self._services.shared_store is not None and self._services.node_presence.node_count > 1
        return elsewhere and self._since_s is not None and self._now_s() - self._since_s >= SILENT_AFTER_S

    async def listen(self) -> None:
        """Write the heartbeat; hand the pages over if the database has been silent for long. Raises `StoreError`.

        A `SharedStore` has a connection for that alone: a node that waits for a free one is busy, and not cut off.
        """
        asked_s = self._now_s()
        try:
            await self._services.store.heartbeat(self._services.now_ms())
        except StoreError as error:
            if not isinstance(error.__cause__, TimeoutError):
                self._since_s = None
            elif self._since_s is None:
                self._since_s = asked_s
            if self.lasts:
                await self._hand_over()
            raise
        self._since_s = None

    async def _hand_over(self) -> None:
        pages = [subscriber for live_table, _ in self._loaded.values() for subscriber in live_table.subscribers]
        if pages:
            LOG.warning("pages_handed_over", pages=len(pages))
        await close_gradually((page.hand_over for page in pages), lambda: False)
