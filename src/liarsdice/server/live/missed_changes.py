"""Loads tables again after the connection to the database was lost."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from liarsdice.server.errors import TableNotFoundError, UnreadableTableError
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.storage.store import Store


class MissedChanges:
    """Notices that the connection to the database was lost and made again.

    Logs may have grown in between: another server may have used the database, and an append whose answer was lost may
    have been written.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seen_reconnect_count = store.reconnect_count

    async def load(self, live_tables: Sequence[LiveTable]) -> None:
        """After a lost connection, load the tables whose state is old or unknown, and update their subscribers.

        Raises `StoreError` or `TryAgainError` if the database fails again; the next call then does all of it.
        """
        count = self._store.reconnect_count
        if count == self._seen_reconnect_count:
            return
        heads = await self._store.heads([live_table.code for live_table in live_tables])
        for live_table in live_tables:
            state = live_table.known_state
            if not live_table.busy and (state is None or state.seq < heads.get(live_table.code, 0)):
                with suppress(TableNotFoundError, UnreadableTableError):  # whoever asks for the table is told
                    await live_table.refresh()
        self._seen_reconnect_count = count
