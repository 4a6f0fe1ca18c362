"""Reads the logs of a database without a server: nothing is written, and a server may run at the same time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from liarsdice.core.errors import UnavailableError
from liarsdice.server.errors import UnreadableTableError
from liarsdice.server.storage.log_rows import read_row
from liarsdice.server.table.log_entries import LogRow


def read_logs(path: Path, only: str | None = None) -> Iterator[tuple[str, Sequence[LogRow] | UnreadableTableError]]:
    """Yield the code of every table with its log, or with the error that says why the log cannot be read.

    `only`: the code of the one table to read. Databases of earlier releases are read as they are. Raises
    `UnavailableError` if the database cannot be read or does not have that table.
    """
    if not path.is_file():
        raise UnavailableError(f"there is no database {path}; name another with --database")
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)) as connection:
            codes = [row[0] for row in connection.execute("SELECT code FROM tables ORDER BY code")]
            if only is not None:
                if only not in codes:
                    raise UnavailableError(f"the database {path} has no table {only!r}")
                codes = [only]
            for code in codes:
                yield code, _read_log(connection, code)
    except sqlite3.Error as error:
        raise UnavailableError(f"the database {path} cannot be read: {error}") from error


def _read_log(connection: sqlite3.Connection, code: str) -> Sequence[LogRow] | UnreadableTableError:
    query = "SELECT seq, at_ms, wish, body FROM entries WHERE code = ? ORDER BY seq"
    try:
        return [read_row(code, row) for row in connection.execute(query, (code,))]
    except UnreadableTableError as error:
        return error
    except sqlite3.DatabaseError as error:
        return UnreadableTableError(f"the log of table {code} cannot be read: {error}")
