"""Deletes tables that nobody has changed for a long time."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import structlog

from liarsdice.server.live.interfaces import TableServices

LOG = structlog.get_logger()
FIRST_AFTER_MS = 3_600_000
"""How long after its start a server begins to delete. A start with a wrong clock can be noticed until then."""

CHECK_EVERY_MS = 60_000
MAX_DELETED = 5
"""The most tables that are deleted in one sweep, each in a transaction of its own, so that other writes go on."""


class Retention:
    """Deletes the tables that have not changed for `keep_ms` milliseconds, a few at a time; None keeps all."""

    def __init__(self, services: TableServices) -> None:
        self._services = services
        self._next_check_ms = services.now_ms() + FIRST_AFTER_MS

    async def delete_old_tables(self, loaded: AbstractSet[str]) -> None:
        """Delete the oldest tables that nobody uses; `loaded` are the codes of those in memory, which are kept.

        A match whose clock is running keeps its table. Raises `StoreError` if the database fails.
        """
        now_ms, keep_ms, store = self._services.now_ms(), self._services.keep_ms, self._services.store
        if keep_ms is None or now_ms < self._next_check_ms:
            return
        limit = MAX_DELETED + len(loaded)
        old_codes = await store.unchanged_codes(now_ms - keep_ms, now_ms, limit)
        for code in [code for code in old_codes if code not in loaded][:MAX_DELETED]:
            still_unused = code not in loaded  # somebody may have come while another table was deleted
            if still_unused and await store.delete_table(code, now_ms - keep_ms):
                self._services.metrics.deleted_tables.inc()
                LOG.info("table_deleted", code=code)
        if len(old_codes) < limit:
            self._next_check_ms = now_ms + CHECK_EVERY_MS
