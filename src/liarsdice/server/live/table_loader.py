"""Computes the state of a table: from its stored log, or after new entries."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec
import structlog

from liarsdice.server.errors import StoreError, TableNotFoundError, TryAgainError, UnreadableTableError
from liarsdice.server.storage.store import Store
from liarsdice.server.table.log_entries import LogEntry, LogRow
from liarsdice.server.table.reducer import apply_row, apply_stored_row
from liarsdice.server.table.snapshots import SNAPSHOT_EVERY, take_snapshot
from liarsdice.server.table.table_state import TableState

LOG = structlog.get_logger()
UNCONFIRMED = "the server could not confirm the action; check the table"
MAX_ROWS_ON_LOOP = 2 * SNAPSHOT_EVERY
"""Longer logs, which have no snapshot, are read in another thread, so that all other tables go on."""


class LoadedTable(msgspec.Struct, frozen=True):
    """A state from the database, and the time of its next deadline in milliseconds since 1970.

    `snapshot_seq`: the entry after which its latest snapshot was taken, 0 without a snapshot.
    """

    state: TableState
    due_at_ms: int | None
    snapshot_seq: int


async def load_table(store: Store, code: str) -> LoadedTable:
    """Return the stored state of a table.

    Raises `TableNotFoundError` if there is no such table, `UnreadableTableError` if its log leads to no state, and
    `TryAgainError` if the database fails.
    """
    try:
        stored = await store.load_state(code)
    except StoreError as error:
        raise TryAgainError("the table cannot be read just now; try again in a moment") from error
    if stored is None:
        raise TableNotFoundError(f"there is no table {code}; check the code, or open one of your own")
    if len(stored.rows) > MAX_ROWS_ON_LOOP:
        state = await asyncio.to_thread(_fold, code, stored.snapshot, stored.rows)
    else:
        state = _fold(code, stored.snapshot, stored.rows)
    return LoadedTable(state, stored.due_at_ms, stored.snapshot.seq if stored.snapshot else 0)


async def save_snapshot(store: Store, table: TableState) -> None:
    """Save a snapshot of a state. A failure is logged only, because the log leads to the same state."""
    try:
        await store.save_snapshot(table.code, take_snapshot(table))
    except StoreError as error:
        LOG.warning("snapshot_failed", error=str(error))


def _fold(code: str, table: TableState | None, rows: Sequence[LogRow]) -> TableState:
    """Return the state after some rows. Raises `UnreadableTableError` if one of them cannot follow."""
    for row in rows:
        table = apply_stored_row(table, row)
    if table is None:
        raise UnreadableTableError(f"the log of table {code} cannot be read: it is empty")
    return table


def apply_entries(
    before: TableState | None, entries: Sequence[LogEntry], request_id: str, now_ms: int
) -> tuple[TableState, list[LogRow]]:
    """Return the state after some entries, at least one, and their rows; the first row carries the request's id."""
    table, rows = before, list[LogRow]()
    for entry in entries:
        row = LogRow((table.seq if table else 0) + 1, now_ms, "" if rows else request_id, entry)
        table = apply_row(table, row)
        rows.append(row)
    assert table is not None
    return table, rows


def fold_rows(before: TableState, rows: Sequence[LogRow]) -> TableState | None:
    """Return the state after those rows that are new, None if some are missing, or none were given.

    Raises `UnreadableTableError` if one of them cannot follow.
    """
    table = before
    for row in rows:
        if row.seq > table.seq + 1:
            return None
        if row.seq == table.seq + 1:
            table = apply_stored_row(table, row)
    return table if rows else None


async def is_newest(store: Store, table: TableState) -> bool:
    """Return whether nobody has appended to a table after a state. Raises `TryAgainError` if the database fails."""
    try:
        return (await store.heads([table.code])).get(table.code) == table.seq
    except StoreError as error:
        raise TryAgainError(UNCONFIRMED) from error
