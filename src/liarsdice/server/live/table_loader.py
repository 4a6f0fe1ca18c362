"""Loads a table from the database: reads its log and computes its state."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from liarsdice.server.errors import StoreError, TableNotFoundError, TryAgainError, UnreadableTableError
from liarsdice.server.storage.store import Store
from liarsdice.server.table.log_entries import LogRow
from liarsdice.server.table.reducer import apply_row
from liarsdice.server.table.table_state import TableState


class LoadedTable(msgspec.Struct, frozen=True):
    """A state from the database, and the time of its next deadline in milliseconds since 1970."""

    state: TableState
    due_at_ms: int | None


async def load_table(store: Store, code: str) -> LoadedTable:
    """Return the stored state of a table.

    Raises `TableNotFoundError` if there is no such table, `UnreadableTableError` if its log leads to no state, and
    `TryAgainError` if the database fails.
    """
    try:
        stored = await store.load(code)
    except StoreError as error:
        raise TryAgainError("the table cannot be read just now; try again in a moment") from error
    if stored is None:
        raise TableNotFoundError(f"there is no table {code}; check the code, or open one of your own")
    return LoadedTable(_fold(code, None, stored.rows), stored.due_at_ms)


def _fold(code: str, table: TableState | None, rows: Sequence[LogRow]) -> TableState:
    """Return the state after some rows. Raises `UnreadableTableError` if one of them cannot follow."""
    for row in rows:
        try:
            table = apply_row(table, row)
        except Exception as error:  # any error means that the log is not one that a server wrote
            cause = type(error).__name__
            raise UnreadableTableError(f"the log of table {code} cannot be read: entry {row.seq} ({cause})") from error
    if table is None:
        raise UnreadableTableError(f"the log of table {code} cannot be read: it is empty")
    return table
