"""Keeps the loaded tables of a node up to date with what other nodes append, and goes on with tables that they left.

A message on the bus makes a change arrive soon. Comparing with the database once a second makes it arrive anyway.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress

import structlog

from liarsdice.server.bus.event_bus import TABLES
from liarsdice.server.errors import (
    NewerEntryError,
    StoreError,
    TableNotFoundError,
    TryAgainError,
    UnreadableTableError,
)
from liarsdice.server.live.interfaces import TableServices
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.timers import TableTimers
from liarsdice.server.storage.store import SharedStore, StoredTable
from liarsdice.server.table.table_state import TableState

LOG = structlog.get_logger()
ROUND_S = 0.5
GRACE_MS, STARTING_GRACE_MS = 1_000, 2_000
"""A node that does not drive a table takes it over this long after its deadline.

The second time is for a node whose first process for bots is starting, so that another one goes first.
"""

POLL_EVERY_S = 1.0
MAX_CLAIMED, MAX_COMPARED = 200, 1_000
MAX_LOADING = 4
"""How many tables a node takes over at a time, so that commands at other tables find free connections."""

LoadedTables = Mapping[str, tuple[LiveTable, TableTimers]]


class NodeSync:
    """What one of several nodes does for the tables in `loaded`. `load` loads a table that is not among them.

    `unload` removes one. `claims`: whether it goes on with tables that other nodes left. `claiming`: the task that does
    so, if it was needed.
    """

    def __init__(
        self,
        services: TableServices,
        store: SharedStore,
        loaded: LoadedTables,
        load: Callable[[str], Awaitable[LiveTable]],
        unload: Callable[[str], object],
    ) -> None:
        self._services, self._store = services, store
        self._loaded, self._load, self._unload = loaded, load, unload
        self.claims = True
        self.claiming: asyncio.Task[None] | None = None
        self._places = asyncio.Semaphore(MAX_LOADING)
        self._unreadable: set[str] = set()
        self._behind: set[str] = set()
        self._reading = False
        self._next_poll_s = 0.0
        self._seen_gap_count = services.event_bus.gap_count
        services.event_bus.subscribe(TABLES, self._on_table_changed)

    def _on_table_changed(self, code: str, seq: str, _node_id: str) -> None:
        """Read what another node has appended to a table, together with all others that have changed by then."""
        entry = self._loaded.get(code)
        state = None if entry is None else entry[0].known_state
        if state is None or not seq.isdecimal() or state.seq >= int(seq):
            return
        self._behind.add(code)
        if not self._reading:
            self._reading = True
            _ = self._services.start_task(self._read_changes())

    async def _read_changes(self) -> None:
        try:
            while self._behind:
                codes, self._behind = self._behind, set()
                await self._compare(codes)
        except StoreError:
            self._behind.clear()  # the next comparison finds them
        finally:
            self._reading = False

    async def run(self) -> None:
        """Do a round twice a second, until cancelled."""
        while True:
            try:
                async with asyncio.timeout(10 * ROUND_S):
                    await self.round()
            except (StoreError, TimeoutError) as error:
                LOG.warning("nodes_not_compared", error=type(error).__name__)
            except Exception as error:  # noqa: BLE001  the next round may succeed
                LOG.warning("round_failed", error=type(error).__name__)
            await asyncio.sleep(ROUND_S)

    async def round(self) -> None:
        """Keep the tables on which this node acts now, take over those that others left, and compare when it is time.

        A node whose first process for bots is starting keeps none: another one may be faster. Raises `StoreError` if
        the database fails.
        """
        now_ms, now_s = self._services.now_ms(), asyncio.get_running_loop().time()
        starting = self._services.bot_runner.starting
        acting = [live_table for live_table, timers in self._loaded.values() if timers.acting and not starting]
        await self._store.postpone([(table.code, table.seq, now_ms) for table in _known_states(acting)])
        if self.claims and (self.claiming is None or self.claiming.done()):
            grace_ms = STARTING_GRACE_MS if starting else GRACE_MS
            self.claiming = self._services.start_task(self._take_over_due(grace_ms))
        gap_count = self._services.event_bus.gap_count
        if now_s >= self._next_poll_s or gap_count != self._seen_gap_count:
            self._next_poll_s, self._seen_gap_count = now_s + POLL_EVERY_S, gap_count
            await self.compare_all()

    async def compare_all(self) -> None:
        """Bring every loaded table up to date. Raises `StoreError` if the database fails."""
        codes = list(self._loaded)
        for first in range(0, len(codes), MAX_COMPARED):
            await self._compare(codes[first : first + MAX_COMPARED])

    async def _compare(self, codes: Iterable[str]) -> None:
        live_tables = [self._loaded[code][0] for code in codes if code in self._loaded]
        known_seqs = {table.code: table.seq for table in _known_states(live_tables)}
        changes = await self._store.load_changes(known_seqs)
        unknown = [table for table in live_tables if table.known_state is None and not table.busy]
        await asyncio.gather(
            *(self._catch_up(code, stored) for code, stored in changes.items()),
            *(self._catch_up(live_table.code, None) for live_table in unknown),
        )

    async def _catch_up(self, code: str, stored: StoredTable | None) -> None:
        """Let a table apply new rows; one that cannot is loaded when somebody asks for it."""
        entry = self._loaded.get(code)
        if entry is None:
            return
        try:
            await (entry[0].refresh() if stored is None else entry[0].catch_up(stored))
        except NewerEntryError:
            self._unload(code)  # its pages connect to a node that can read it
        except (TableNotFoundError, UnreadableTableError, TryAgainError) as error:
            LOG.warning("table_not_loaded", code=code, error=type(error).__name__)

    async def _take_over_due(self, grace_ms: int) -> None:
        """Take over the tables whose deadline passed more than `grace_ms` ago, until none is left."""
        may_be_more = True
        with suppress(StoreError):  # the next round claims them
            while self.claims and may_be_more:
                codes = await self._store.claim_due(grace_ms, MAX_CLAIMED, sorted(self._unreadable))
                may_be_more = len(codes) == MAX_CLAIMED
                for code in codes:
                    await self._places.acquire()
                    taking = self._services.start_task(self._take_over(code))
                    taking.add_done_callback(lambda _: self._places.release())

    async def _take_over(self, code: str) -> None:
        """Act on a table whose deadline has passed, unless this node is doing so already.

        One that cannot be read is left to the other nodes.
        """
        entry = self._loaded.get(code)
        if entry is not None and entry[0].drives and entry[1].acting:
            return
        try:
            if entry is not None:
                await entry[0].refresh()
            live_table = await self._load(code)
        except UnreadableTableError:
            self._unreadable.add(code)
            return
        except (TableNotFoundError, TryAgainError):
            return  # a later round claims it again
        except Exception as error:  # noqa: BLE001  one table must not hold up the others
            LOG.warning("table_not_loaded", code=code, error=type(error).__name__)
            return
        live_table.take_over()


def _known_states(live_tables: Iterable[LiveTable]) -> list[TableState]:
    return [table.known_state for table in live_tables if table.known_state is not None]
