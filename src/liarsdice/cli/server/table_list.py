"""The list of a database's tables as lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from liarsdice.cli.stdio import align_columns
from liarsdice.server.storage.administration import TableRow

HEAD = ("code", "entries", "lobby", "next deadline (UTC)", "last change (UTC)")


def table_lines(tables: Sequence[TableRow]) -> list[str]:
    """Return a line for each table below a line of headings."""
    rows = [
        (
            table.code,
            f"{table.entry_count:,}",
            "yes" if table.listed else "no",
            "none" if table.due_at_ms is None else _minute(table.due_at_ms),
            _minute(table.touched_at_ms),
        )
        for table in tables
    ]
    return align_columns([HEAD, *rows])


def _minute(at_ms: int) -> str:
    """Return a time as text, to the minute.

    >>> _minute(1_790_000_000_000)
    '2026-09-21 14:13'
    """
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d %H:%M}"
