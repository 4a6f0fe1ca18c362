"""Backups: a SQLite file and the keys beside it, which only their owner may read, and the copies of rows in it."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from urllib.parse import quote

import sqlalchemy as sa

from liarsdice.core.errors import UnavailableError
from liarsdice.runtime.atomic_files import replace_atomically
from liarsdice.server.settings import signing_key_path
from liarsdice.server.storage.database_file import SIDE_SUFFIXES, create_private
from liarsdice.server.storage.db_schema import metadata
from liarsdice.server.storage.signing_keys import key_path, retired_keys_path

ROWS_PER_BATCH = 500


@contextmanager
def new_database_file(target: Path, key_base: Path) -> Iterator[Path]:
    """Yield an empty file to write a database to; afterwards it gets its name, and copies of keys beside it.

    `key_base`: what the keys to copy are named after. Raises `UnavailableError` if there is such a file already, or one
    cannot be read or written.
    """
    require_absent([target, *keys_of(target), *(target.with_name(target.name + suffix) for suffix in SIDE_SUFFIXES)])
    try:
        with replace_atomically(target, durable=True) as temporary:
            create_private(temporary)
            yield temporary
            copy_keys(key_base, target)
        _flush_folder(target.parent)
    except OSError as error:
        raise UnavailableError(f"cannot write {target}: {error.strerror}") from error


def copy_file(source: Path, target: Path) -> None:
    """Copy a SQLite database, which may be in use, to an empty file. Raises `UnavailableError` if it is damaged."""
    with sqlite_errors(source), closing(_connect_read_only(source)) as connection:
        connection.execute("SELECT code FROM tables LIMIT 1")  # fails for a database of another program
        with closing(sqlite3.connect(target)) as copied:
            connection.backup(copied)  # all pages in one step: of several, each later commit would restart it
            copied.execute("PRAGMA journal_mode = DELETE")  # one file, also while it is checked
            (verdict,) = copied.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise UnavailableError(f"the database {source} is damaged: {verdict}")


def copy_tables(source: sa.Connection, target: sa.Connection) -> None:
    """Replace the rows of all tables of `target` by those of `source`, a database of either kind with the same schema.

    All happens in the transactions of the two connections.
    """
    for table in metadata.sorted_tables:
        delete, insert, query = sa.delete(table), sa.insert(table), sa.select(table)
        target.execute(delete)
        with source.execute(query, execution_options={"stream_results": True}) as result:
            for rows in result.mappings().partitions(ROWS_PER_BATCH):
                target.execute(insert, [dict(row) for row in rows])


def sqlite_transaction(path: Path) -> AbstractContextManager[sa.Connection]:
    """Return a connection to a SQLite file; what is done with it is one transaction."""
    return _transaction(lambda: sqlite3.connect(path))


def read_only_transaction(path: Path) -> AbstractContextManager[sa.Connection]:
    """Return a connection that cannot write to a SQLite file."""
    return _transaction(lambda: _connect_read_only(path))


@contextmanager
def _transaction(connect: Callable[[], sqlite3.Connection]) -> Iterator[sa.Connection]:
    engine = sa.create_engine("sqlite://", creator=connect, poolclass=sa.NullPool)
    with engine.begin() as connection:
        yield connection


def _connect_read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite into `UnavailableError`, which names the file."""
    try:
        yield
    except (sqlite3.Error, sa.exc.SQLAlchemyError) as error:
        cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
        raise UnavailableError(f"the database {path} cannot be used: {cause}") from error


def keys_of(base: Path) -> list[Path]:
    """Return the names of the keys that are named after a database."""
    signing_key = signing_key_path(base)
    return [key_path(base), signing_key, retired_keys_path(signing_key)]


def require_absent(files: list[Path]) -> None:
    """Raise `UnavailableError` if one of these files is there."""
    present = [file for file in files if file.exists()]
    if present:
        names = ", ".join(map(str, present))
        raise UnavailableError(f"there is a file already: {names}; move it away, or name another place")


def copy_keys(source_base: Path, target_base: Path) -> None:
    """Copy the keys that are there, each whole or not at all. Raises `OSError`."""
    for source, target in zip(keys_of(source_base), keys_of(target_base), strict=True):
        if source.exists():
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
