"""Shares the messages about one state of a table between subscribers that come at nearly the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from liarsdice.server.protocol.encoding import TableFrames
from liarsdice.server.table.table_state import TableState

KEPT_S = 0.05
"""How old the time until the next deadline may be in a shared message. A crowd comes within a few such times."""


class RecentFrames:
    """The messages about the state of one table that a subscriber received last, for `KEPT_S`.

    Building them takes milliseconds at the largest tables: a hundred spectators who come at once receive the same ones.
    """

    def __init__(self) -> None:
        self._table: TableState | None = None
        self._frames: TableFrames | None = None

    def of(self, table: TableState, left_ms: Callable[[], int | None]) -> TableFrames:
        """Return the messages about a state. `left_ms` returns the milliseconds until its next deadline."""
        if self._frames is None or self._table is not table:
            self._table, self._frames = table, TableFrames(table, left_ms())
            asyncio.get_running_loop().call_later(KEPT_S, self._forget)
        return self._frames

    def _forget(self) -> None:
        self._table = self._frames = None
