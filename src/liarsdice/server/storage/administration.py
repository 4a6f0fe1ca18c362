"""The interface of what an operator does with a database: list, export, delete, back up and restore its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from liarsdice.core.errors import UnavailableError
from liarsdice.server.errors import UnreadableTableError
from liarsdice.server.storage.node_names import NodeRow
from liarsdice.server.storage.store import ProgramToken, ServerBan
from liarsdice.server.table.log_entries import LogRow

ANY_TIME_MS = 2**62
"""Later than every stored time."""

PRUNE_BATCH = 100
BanHash = tuple[str, str]
"""The scope and the hash of one thing by which a ban recognises a person (`ServerBan`)."""


class TableRow(msgspec.Struct, frozen=True):
    """A table as it is stored. Times are in milliseconds since 1970; `due_at_ms`: None if the table waits for nothing.

    `entry_count`: the number of the last entry in its log. `listed`: whether the lobby shows the table.
    """

    code: str
    entry_count: int
    listed: bool
    due_at_ms: int | None
    touched_at_ms: int


class Administration(Protocol):
    """An operator's access to a database. Every method raises `UnavailableError` if the database cannot be used.

    Printing it shows the file, or the host and the name of the database. Reading is possible while a server runs;
    databases of earlier releases are read as they are. What changes tables is refused while a server runs, because it
    has them in memory; bans and tokens can be changed at any time.
    """

    def require_database(self) -> None:
        """Raise `UnavailableError` unless there is a database with the tables of a server."""
        ...

    def list_tables(self) -> Sequence[TableRow]:
        """Return all tables, the latest change first."""
        ...

    def read_logs(self, only: str | None = None) -> Iterator[tuple[str, Sequence[LogRow] | UnreadableTableError]]:
        """Yield the code of every table with its log, or with the error that says why the log cannot be read.

        `only`: the code of the one table to read. Raises `UnavailableError` if there is no such table.
        """
        ...

    def list_nodes(self) -> Sequence[NodeRow]:
        """Return the servers that use the database now."""
        ...

    def remove_table(self, code: str) -> None:
        """Delete a table with its log. Raises `UnavailableError` if there is none."""
        ...

    def prune_tables(self, before_ms: int) -> int:
        """Delete the tables without a change since `before_ms` and return their number.

        As with `--keep-days`, a table with a clock that was running when the last server stopped is kept.
        """
        ...

    def list_bans(self, now_ms: int) -> Sequence[ServerBan]:
        """Return the operator's bans that are in force, the latest last."""
        ...

    def add_ban(self, hashes: Sequence[BanHash], until_ms: int | None, now_ms: int, note: str) -> int:
        """Store a ban, which running servers enforce within seconds, and return its number.

        What was banned already belongs to the new ban from now on. Raises `UnavailableError` if there are too many.
        """
        ...

    def lift_ban(self, ban: int) -> None:
        """Delete a ban. Raises `UnavailableError` if there is none with this number."""
        ...

    def list_tokens(self) -> Sequence[ProgramToken]:
        """Return all tokens that were ever given to programs, the oldest first."""
        ...

    def add_token(self, token: ProgramToken) -> None:
        """Store a token of a program. Raises `UnavailableError` if a valid one has this name, or there are too many."""
        ...

    def revoke_token(self, name: str, now_ms: int) -> None:
        """End the valid token with a name, which running servers refuse within seconds.

        Raises `UnavailableError` if there is none.
        """
        ...

    def back_up(self, copy: Path) -> None:
        """Copy the database and its keys to new files that only their owner may read, while a server may write.

        The copy is a SQLite database, from whichever database it comes. It has everything that was committed when
        copying began, and it is checked before it gets its name. Raises `UnavailableError` if there is such a file
        already, or one cannot be read or written.
        """
        ...

    def restore(self, copy: Path) -> None:
        """Copy a backup and its keys to the place of this database, where there must be no tables and no keys.

        Raises `UnavailableError` as `back_up`, and if a server uses the database.
        """
        ...


def no_such_table(database: Administration, code: str) -> UnavailableError:
    """Return the error for a code that no table has."""
    return UnavailableError(f"the database {database} has no table {code!r}")


def choose_codes(database: Administration, codes: Sequence[str], only: str | None) -> Sequence[str]:
    """Return all codes, or the one that `only` names. Raises `UnavailableError` if no table has it."""
    if only is None:
        return codes
    if only not in codes:
        raise no_such_table(database, only)
    return [only]
