"""An operator's access to a SQLite file."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import sqlalchemy as sa

from liarsdice.core.errors import UnavailableError
from liarsdice.server.storage.administration import Administration, RunJob
from liarsdice.server.storage.backup_file import (
    copy_file,
    new_database_file,
    read_only_transaction,
    sqlite_errors,
    sqlite_transaction,
)
from liarsdice.server.storage.database_file import lock_database, lock_holder
from liarsdice.server.storage.migrate import migrate_file
from liarsdice.server.storage.node_names import NodeRow

T = TypeVar("T")


class SqliteAdministration(Administration):
    """An `Administration` of a SQLite file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    def list_nodes(self) -> Sequence[NodeRow]:
        """As `Administration.list_nodes`. Raises `UnavailableError`."""
        _require_file(self.path)
        try:
            process = lock_holder(self.path)
        except OSError as error:
            raise UnavailableError(f"cannot read the lock of {self.path}: {error.strerror}") from error
        return [] if process is None else [NodeRow(socket.gethostname(), process, "", "")]

    def back_up(self, copy: Path) -> None:
        """As `Administration.back_up`."""
        self.require_database()
        _copy_database(self.path, copy)

    def restore(self, copy: Path) -> None:
        """As `Administration.restore`. A backup of an earlier schema is migrated."""
        with _locked(self.path):
            _copy_database(copy, self.path.resolve())

    @contextmanager
    def _reading(self) -> Iterator[RunJob]:
        """As `Administration._reading`."""
        _require_file(self.path)
        with sqlite_errors(self.path), read_only_transaction(self.path) as connection:
            self._require_schema(connection)
            yield lambda job: job(connection)

    @contextmanager
    def _changing(self) -> Iterator[RunJob]:
        """As `Administration._changing`."""
        _require_file(self.path)
        with sqlite_errors(self.path), sqlite_transaction(self.path) as connection:
            self._require_schema(connection)
            yield lambda job: job(connection)

    @contextmanager
    def _alone(self) -> Iterator[RunJob]:
        """As `Administration._alone`."""
        _require_file(self.path)

        def run(job: Callable[[sa.Connection], T]) -> T:
            with sqlite_transaction(self.path) as connection:
                return job(connection)

        with _locked(self.path), sqlite_errors(self.path):
            migrate_file(self.path)
            yield run


def _require_file(path: Path) -> None:
    """Raise `UnavailableError` if there is no file."""
    if not path.is_file():
        raise UnavailableError(f"there is no database {path}; name another with --database")


def _copy_database(source: Path, target: Path) -> None:
    """Copy a file and its keys to new files. Raises `UnavailableError`."""
    _require_file(source)
    with new_database_file(target, key_base=source.resolve()) as temporary, sqlite_errors(source):
        copy_file(source, temporary)
        migrate_file(temporary)


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
