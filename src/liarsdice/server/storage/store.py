"""What tables are kept in. The store is the arbiter: an append holds only where nobody was first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from liarsdice.core.errors import LiarsDiceError
from liarsdice.server.table.log_entries import Row


class StoreError(LiarsDiceError):
    """The store failed: whether an append was kept is unknown, so that everything must be read again."""


class Append(msgspec.Struct, frozen=True):
    """Entries to be written behind `head`, the seq of the last entry that the writer knows (0: a new table).

    `due_at_ms`: when the table goes on by itself, None for never. `listed`: whether the lobby shows it.
    """

    code: str
    head: int
    rows: tuple[Row, ...]
    due_at_ms: int | None
    listed: bool


class Kept(msgspec.Struct, frozen=True):
    """A table as it is kept: its log from the beginning, and when it goes on by itself."""

    rows: tuple[Row, ...]
    due_at_ms: int | None


class Store(Protocol):
    """Where tables are kept."""

    async def open(self, now_ms: int) -> int:
        """Get ready. Returns how many ms nobody was there to write; whatever was due is later by as much."""
        ...

    async def close(self) -> None:
        """Write what is waiting, and let go."""
        ...

    async def append(self, wanted: Append) -> bool:
        """Write entries at once and whole, or, where the head has moved on (False), not at all.

        Raises `StoreError` where the outcome is unknown.
        """
        ...

    async def load(self, code: str) -> Kept | None:
        """A table's log, None where there is no such table."""
        ...

    async def due(self, after_ms: int, until_ms: int) -> Sequence[str]:
        """The codes of tables that were due after one time and until another, earliest first."""
        ...

    async def listed(self, most: int, since_ms: int) -> Sequence[str]:
        """The codes of tables that the lobby shows and where something happened since, the latest first."""
        ...

    async def alive(self, now_ms: int) -> None:
        """Note that somebody is there; after a crash this tells how long nobody was."""
        ...

    async def keep_ticket(self, ticket: str, code: str, player: int, until_ms: int) -> None:
        """Keep the hash of a one-time ticket to a seat."""
        ...

    async def take_ticket(self, ticket: str, code: str, now_ms: int) -> int | None:
        """The player whose ticket it is, once; None for a ticket that was used, is too old, or never was."""
        ...
