"""The interface of the database. It decides between concurrent writers: only one can append after an entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import msgspec

from liarsdice.server.settings import TokenScope
from liarsdice.server.table.log_entries import LogRow
from liarsdice.server.table.snapshots import Snapshot
from liarsdice.server.table.table_state import TableState


class LogAppend(msgspec.Struct, frozen=True):
    """Rows to append to a table's log, if its last entry still is `expected_seq` (0: the table must not exist yet).

    `due_at_ms`: the time of the next deadline in milliseconds since 1970, None without one. `listed`: whether the lobby
    shows the table.
    """

    code: str
    expected_seq: int
    rows: tuple[LogRow, ...]
    due_at_ms: int | None
    listed: bool


RawRow = tuple[int, int, str, bytes]
"""The columns `seq`, `at_ms`, `request_id` and `body` of the table `entries`."""


class StoredTable(msgspec.Struct, frozen=True):
    """The last rows of a table's log, and the time of its next deadline in milliseconds since 1970."""

    rows: tuple[LogRow, ...]
    due_at_ms: int | None


class StoredState(msgspec.Struct, frozen=True):
    """A table as it is loaded: the state of its snapshot, None without one, and the rows of its log after that.

    The log of a long table may lack old entries that its state does not depend on (`Snapshot.talk_from_seq`).
    `due_at_ms`: the time of its next deadline in milliseconds since 1970.
    """

    snapshot: TableState | None
    rows: tuple[LogRow, ...]
    due_at_ms: int | None


class ServerBan(msgspec.Struct, frozen=True):
    """One thing by which an operator's ban recognises a person; a ban has one or several, all with its number.

    `scope`: what `hash` is a hash of. "token": a token. "v4/24": an IPv4 network of 24 bits, with a key. The code of a
    table: an address, with the key and that code, as the log of that table has it. `until_ms`, `at_ms`: when the ban
    ends (None: never) and began, in milliseconds since 1970.
    """

    scope: str
    hash: str
    ban: int
    until_ms: int | None
    at_ms: int
    note: str


class ProgramToken(msgspec.Struct, frozen=True):
    """A token that the operator gave to a program, by its hash, with the `name` that the operator gave it.

    `at_ms`, `until_ms`: when it was made and when it ends (None: never), in milliseconds since 1970. A token that was
    revoked ended at that time.
    """

    hash: str
    name: str
    scopes: tuple[TokenScope, ...]
    at_ms: int
    until_ms: int | None

    def is_valid(self, now_ms: int) -> bool:
        """Return whether the token has neither expired nor been revoked."""
        return self.until_ms is None or self.until_ms > now_ms


class Store(Protocol):
    """A database of tables. Every method is called on the event loop and raises `StoreError` if the database fails."""

    async def open(self, now_ms: int) -> int:
        """Open the database and return for how many milliseconds no server has used it.

        Deadlines that were still ahead when the last server stopped keep the time that was left then, also if the
        clock was turned back since; other times in the future count as now. A `SharedStore` goes by the clock of the
        database, and changes no deadline while another node runs. Raises `UnavailableError` if the database cannot be
        used.
        """
        ...

    async def close(self) -> None:
        """Write what is pending and close the database."""
        ...

    async def append(self, request: LogAppend) -> bool:
        """Append all rows in one transaction and return True, or return False if another writer was first.

        Raises `StoreError` if it is unknown whether the rows were written.
        """
        ...

    async def load_match(self, code: str, number: int, limit: int) -> Sequence[RawRow]:
        """Return the first `limit` rows that the record of a match depends on, from its `MatchBegan` on.

        Returns none if the table has no such match. Raises `UnreadableTableError` if the database is damaged there.
        """
        ...

    async def load_state(self, code: str) -> StoredState | None:
        """Return what leads to the state of a table, None if there is none with this code.

        Raises `UnreadableTableError` if its log is damaged.
        """
        ...

    async def heads(self, codes: Sequence[str]) -> Mapping[str, int]:
        """Return the seq of the last entry of each of these tables, without those that do not exist."""
        ...

    async def save_snapshot(self, code: str, snapshot: Snapshot) -> None:
        """Replace the snapshot of a table, and delete the entries that it makes needless from the log."""
        ...

    async def due_codes(self, after_ms: int, until_ms: int) -> Sequence[str]:
        """Return the codes of the tables with a deadline later than `after_ms` and not later than `until_ms`.

        The earliest deadline comes first.
        """
        ...

    async def listed_codes(self, limit: int, since_ms: int) -> Sequence[str]:
        """Return the codes of at most `limit` tables that the lobby shows and that changed at `since_ms` or later.

        The latest change comes first.
        """
        ...

    async def unchanged_codes(self, before_ms: int, now_ms: int, limit: int) -> Sequence[str]:
        """Return the codes of at most `limit` tables without a change since `before_ms`, the oldest first.

        A table with a deadline after `now_ms` is not among them.
        """
        ...

    async def delete_table(self, code: str, before_ms: int) -> bool:
        """Delete a table and all that belongs to it; return False if it has changed since `before_ms`."""
        ...

    async def heartbeat(self, now_ms: int) -> None:
        """Record that a server is running; `open` uses it after a crash."""
        ...

    async def last_heartbeat_ms(self) -> int:
        """Return the time of the last heartbeat, 0 if there was none."""
        ...

    async def server_bans(self, now_ms: int) -> tuple[ServerBan, ...]:
        """Return the operator's bans that are in force."""
        ...

    async def program_tokens(self) -> tuple[ProgramToken, ...]:
        """Return all tokens that the operator ever gave to programs, the oldest first."""
        ...

    async def save_ticket(self, ticket_hash: str, code: str, player: int, until_ms: int) -> None:
        """Save the hash of a one-time ticket to a player's seat, valid until `until_ms` or until the next one."""
        ...

    async def redeem_ticket(self, ticket_hash: str, code: str, now_ms: int) -> int | None:
        """Return the player whose ticket this is and delete it; None for one that is unknown, used or expired."""
        ...

    async def select(self, statement: str, *values: str | float | bytes | None) -> Sequence[tuple[Any, ...]]:
        """Return the rows that a statement of `group_rows` selects; `$1` and so on stand for the values."""
        ...

    async def write(self, statement: str, *values: str | float | bytes | None) -> Sequence[tuple[Any, ...]]:
        """As `select`, for a statement that changes rows and returns some; it is committed then."""
        ...


@runtime_checkable
class SharedStore(Store, Protocol):
    """A store that several server processes ("nodes") use at the same time. Stored times are those of its clock."""

    async def clock_ms(self) -> int:
        """Return the time of the database in milliseconds since 1970."""
        ...

    async def load_changes(self, known_seqs: Mapping[str, int]) -> Mapping[str, StoredTable]:
        """Return the rows after the given seq of each table, and its deadline, for those tables that have any.

        A table whose new rows cannot be read has no rows here; `load_state` says why. Nor has one with more than
        `SNAPSHOT_EVERY` new rows, for which `load_state` reads fewer.
        """
        ...

    async def claim_due(self, grace_ms: int, limit: int, but_not: Sequence[str] = ()) -> Sequence[str]:
        """Set the deadlines that passed more than `grace_ms` ago to now, at most `limit`; return their tables' codes.

        Of several nodes that call this at once, each gets other tables. None gets these again within `grace_ms`.
        `but_not`: tables that are left to the other nodes.
        """
        ...

    async def postpone(self, due_times: Sequence[tuple[str, int, int]]) -> None:
        """Set later deadlines: each with the code of its table and the seq of the log that it belongs to."""
        ...

    async def nodes_with_other_settings(self) -> Sequence[str]:
        """Return the nodes that use the database now with other settings than this one where all need the same.

        Each is named by its machine and its process.
        """
        ...
