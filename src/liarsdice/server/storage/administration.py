"""What an operator does with the file of a database: list, delete, back up and restore tables."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import msgspec
import sqlalchemy as sa

from liarsdice.core.errors import UnavailableError
from liarsdice.runtime.atomic_files import replace_atomically
from liarsdice.server.settings import signing_key_path
from liarsdice.server.storage import statements
from liarsdice.server.storage.database_file import SIDE_SUFFIXES, create_private, lock_database
from liarsdice.server.storage.migrate import migrate_file
from liarsdice.server.storage.secret_file import key_path

ANY_TIME_MS = 2**62
"""Later than every stored time."""

PRUNE_BATCH = 100


class TableRow(msgspec.Struct, frozen=True):
    """A table as it is stored. Times are in milliseconds since 1970; `due_at_ms`: None if the table waits for nothing.

    `entry_count`: the number of the last entry in its log. `listed`: whether the lobby shows the table.
    """

    code: str
    entry_count: int
    listed: bool
    due_at_ms: int | None
    touched_at_ms: int


def list_tables(path: Path) -> Sequence[TableRow]:
    """Return all tables, the latest change first. A server may run at the same time.

    Raises `UnavailableError` if the database cannot be read.
    """
    query = "SELECT code, head, listed, due_at_ms, touched_at_ms FROM tables ORDER BY touched_at_ms DESC, code"
    with _reading(path) as connection:
        return [
            TableRow(code, head, bool(listed), due_at_ms, touched_at_ms)
            for code, head, listed, due_at_ms, touched_at_ms in connection.execute(query)
        ]


def remove_table(path: Path, code: str) -> None:
    """Delete a table with its log. Raises `UnavailableError` if there is none, or a server uses the database."""
    with _writing(path) as connection, _transaction(connection):
        if not statements.delete_table(connection, code, ANY_TIME_MS):
            raise UnavailableError(f"the database {path} has no table {code!r}")


def prune_tables(path: Path, before_ms: int) -> int:
    """Delete the tables without a change since `before_ms` and return their number.

    As with `--keep-days`, a table with a clock that was running when the last server stopped is kept. Raises
    `UnavailableError` if a server uses the database.
    """
    deleted = 0
    with _writing(path) as connection:
        stopped_at_ms = statements.last_presence_ms(connection)
        while codes := statements.unchanged_codes(connection, before_ms, stopped_at_ms, PRUNE_BATCH):
            with _transaction(connection):
                deleted += sum(statements.delete_table(connection, code, before_ms) for code in codes)
    return deleted


def back_up(path: Path, copy: Path) -> None:
    """Copy a database and the keys beside it to new files that only their owner may read, while a server may write.

    The copy has everything that was committed when copying began. It is checked before it gets its name. Raises
    `UnavailableError` if there is such a file already, or one cannot be read or written.
    """
    _copy(path, copy)


def restore(copy: Path, path: Path) -> None:
    """Copy a backup and the keys beside it to the place of a database, where there must be none.

    Raises `UnavailableError` as `back_up`, and if a server uses the database.
    """
    with _locked(path):
        _copy(copy, path)


def _copy(source: Path, target: Path) -> None:
    present = [file for file in _files_of(target) if file.exists()]
    if present:
        names = ", ".join(map(str, present))
        raise UnavailableError(f"there is a file already: {names}; move it away, or name another place")
    try:
        with _reading(source) as connection, replace_atomically(target, durable=True) as temporary:
            connection.execute("SELECT code FROM tables LIMIT 1")  # fails for a database of another program
            create_private(temporary)
            with closing(sqlite3.connect(temporary)) as copied:
                connection.backup(copied)  # all pages in one step: of several, each later commit would restart it
                copied.execute("PRAGMA journal_mode = DELETE")  # one file, also while it is checked
                (verdict,) = copied.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise UnavailableError(f"the database {source} is damaged: {verdict}")
            for key, copied_key in zip(_keys_of(source), _keys_of(target), strict=True):
                if key.exists():
                    _copy_key(key, copied_key)
        _flush_folder(target.parent)
    except OSError as error:
        raise UnavailableError(f"cannot write {target}: {error.strerror}") from error


def _files_of(path: Path) -> list[Path]:
    """Return the names of a database, its keys and the other files of SQLite."""
    return [path, *_keys_of(path), *(path.with_name(path.name + suffix) for suffix in SIDE_SUFFIXES)]


def _keys_of(path: Path) -> list[Path]:
    """Return the names of the keys beside a database."""
    return [key_path(path), signing_key_path(path)]


def _copy_key(source: Path, target: Path) -> None:
    with replace_atomically(target, durable=True) as temporary:
        create_private(temporary)
        temporary.write_bytes(source.read_bytes())


def _flush_folder(folder: Path) -> None:
    """Flush the names of new files to the disk. Raises `OSError`."""
    if sys.platform == "win32":  # it opens no folders
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection that cannot write. Raises `UnavailableError` if there is no database, or it fails."""
    require_database(path)
    with (
        _sqlite_errors(path),
        closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)) as connection,
    ):
        yield connection


@contextmanager
def _writing(path: Path) -> Iterator[sqlite3.Connection]:
    """Lock a database, migrate it and yield a connection. Raises `UnavailableError` if a server uses it."""
    require_database(path)
    with _locked(path), _sqlite_errors(path):
        migrate_file(path)
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            yield connection


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    try:
        descriptor = lock_database(path)
    except OSError as error:
        raise UnavailableError(f"cannot lock the database {path}: {error.strerror}") from error
    try:
        yield
    finally:
        os.close(descriptor)


def require_database(path: Path) -> None:
    """Raise `UnavailableError` if there is no database."""
    if not path.is_file():
        raise UnavailableError(f"there is no database {path}; name another with --database")


@contextmanager
def _sqlite_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, sa.exc.SQLAlchemyError) as error:
        cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
        raise UnavailableError(f"the database {path} cannot be used: {cause}") from error
