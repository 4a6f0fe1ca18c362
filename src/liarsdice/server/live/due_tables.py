"""Finds tables whose deadline has passed and that are not in memory, on a server that has the database to itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import structlog

from liarsdice.server.errors import TableNotFoundError, TryAgainError, UnreadableTableError
from liarsdice.server.live.interfaces import TableServices
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.timers import TableTimers

LOG = structlog.get_logger()
GRACE_MS = 1_000
"""A table that is not loaded is loaded this long after its deadline. The timers of a loaded one need no help."""


class DueTables:
    """Loads the tables that are not in `loaded` when their deadline has passed, by `load`. Their timers then act."""

    def __init__(
        self,
        services: TableServices,
        loaded: Mapping[str, tuple[LiveTable, TableTimers]],
        load: Callable[[str], Awaitable[LiveTable]],
    ) -> None:
        self._services = services
        self._loaded, self._load = loaded, load
        self._swept_until_ms = 0

    async def load(self) -> None:
        """Load those whose deadline has passed since the last call. Raises `StoreError` if the database fails."""
        until_ms = self._services.now_ms() - GRACE_MS
        for code in await self._services.store.due_codes(self._swept_until_ms, until_ms):
            entry = self._loaded.get(code)
            if entry is not None and entry[0].known_state is not None:
                continue
            try:
                await self._load(code)
            except TryAgainError:
                return  # the next call looks for the same tables again
            except (TableNotFoundError, UnreadableTableError):
                continue
            except Exception as error:  # noqa: BLE001  one table must not hold up the others
                LOG.warning("table_not_loaded", code=code, error=type(error).__name__)
        self._swept_until_ms = until_ms
