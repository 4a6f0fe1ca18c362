"""Tables of text for the terminal."""

from __future__ import annotations

from collections.abc import Sequence


def in_columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Lines with their cells one below the other, the first column to the left and the others to the right.

    >>> in_columns([("bot", "wins"), ("random", "7")])
    ['bot     wins', 'random     7']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(wide) for cell, wide in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]
