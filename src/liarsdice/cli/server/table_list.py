"""The list of a database's tables as lines of text."""

from __future__ import annotations

from collections.abc import Sequence

from liarsdice.cli.stdio import align_columns, format_minute
from liarsdice.server.storage.administration import TableRow

HEAD = ("code", "entries", "lobby", "next deadline (UTC)", "last change (UTC)")


def table_lines(tables: Sequence[TableRow]) -> list[str]:
    """Return a line for each table below a line of headings."""
    rows = [
        (
            table.code,
            f"{table.entry_count:,}",
            "yes" if table.listed else "no",
            "none" if table.due_at_ms is None else format_minute(table.due_at_ms),
            format_minute(table.touched_at_ms),
        )
        for table in tables
    ]
    return align_columns([HEAD, *rows])
