"""Tables of text for the terminal: aligned columns of plain text, and rich tables without trailing spaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from liarsdice.core.text.characters import fit_text, text_width

if TYPE_CHECKING:
    from rich.table import Table


def align_columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return the rows as lines with aligned columns: the first one to the left, the others to the right.

    >>> align_columns([("bot", "wins"), ("random", "7")])
    ['bot     wins', 'random     7']
    """
    widths = [max(map(text_width, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            [fit_text(row[0], widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]


def render_table(table: Table, width: int | None) -> str:
    """Return a rich table as text without trailing spaces, `width` columns wide (None: as wide as the terminal)."""
    from rich.console import Console

    console = Console(width=width, highlight=False)
    with console.capture() as captured:
        console.print(table)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())
