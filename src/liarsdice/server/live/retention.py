"""Deletes tables that nobody has changed for a long time. Of several nodes, one does."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import structlog

from liarsdice.server.live.interfaces import TableServices
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.other_nodes import NO_PAGES
from liarsdice.server.live.timers import TableTimers

LOG = structlog.get_logger()
FIRST_AFTER_MS = 3_600_000
"""How long after its start a server begins to delete. A start with a wrong clock can be noticed until then."""

CHECK_EVERY_MS = 60_000
DELETED = "deleted"
"""The channel that names a table that was deleted, as the key. The value is empty."""

MAX_DELETED = 5
"""The most tables that are deleted in one sweep, each in a transaction of its own, so that other writes go on."""


class Retention:
    """Deletes the tables that have not changed for `keep_ms` milliseconds, a few at a time; None keeps all.

    `loaded` are the tables in memory by code, which are kept, and `unload` takes one out. Only the node with the lowest
    id deletes; nodes that hear nothing of each other all do, which deletes nothing else.
    """

    def __init__(
        self,
        services: TableServices,
        loaded: Mapping[str, tuple[LiveTable, TableTimers]],
        unload: Callable[[str], object],
    ) -> None:
        self._services = services
        self._loaded, self._unload = loaded, unload
        self._next_check_ms = services.now_ms() + FIRST_AFTER_MS
        services.event_bus.subscribe(DELETED, self._on_deleted)

    async def delete_old_tables(self) -> None:
        """Delete the oldest tables that nobody uses on any node.

        A match whose clock is running keeps its table. Raises `StoreError` if the database fails.
        """
        now_ms, keep_ms, store = self._services.now_ms(), self._services.keep_ms, self._services.store
        nodes = self._services.node_presence
        if keep_ms is None or now_ms < self._next_check_ms or not nodes.is_first:
            return
        limit = MAX_DELETED + len(self._loaded) + nodes.table_count_elsewhere
        old_codes = await store.unchanged_codes(now_ms - keep_ms, now_ms, limit)
        for code in [code for code in old_codes if not self._is_used(code)][:MAX_DELETED]:
            still_unused = not self._is_used(code)  # somebody may have come while another table was deleted
            if still_unused and await store.delete_table(code, now_ms - keep_ms):
                self._services.event_bus.publish(DELETED, code, "")
                self._services.metrics.deleted_tables.inc()
                LOG.info("table_deleted", code=code)
        if len(old_codes) < limit:
            self._next_check_ms = now_ms + CHECK_EVERY_MS

    def _is_used(self, code: str) -> bool:
        return code in self._loaded or self._services.node_presence.pages_elsewhere(code) != NO_PAGES

    def _on_deleted(self, code: str, _value: str, _node_id: str) -> None:
        """Forget a table that another node has deleted, unless somebody came here in this moment."""
        entry = self._loaded.get(code)
        if entry is not None and not entry[0].subscribers and not entry[0].busy:
            self._unload(code)
