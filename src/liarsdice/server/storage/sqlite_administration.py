"""An operator's access to a SQLite file: lists, reads, deletes, backs up and restores its tables."""

from __future__ import annotations

import os
import socket
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import sqlalchemy as sa

from liarsdice.core.errors import UnavailableError
from liarsdice.server.errors import UnreadableTableError
from liarsdice.server.storage import ban_rows, statements, token_rows
from liarsdice.server.storage.administration import (
    ANY_TIME_MS,
    PRUNE_BATCH,
    BanHash,
    TableRow,
    choose_codes,
    no_such_table,
)
from liarsdice.server.storage.backup_file import (
    copy_file,
    new_database_file,
    read_only,
    sqlite_errors,
    sqlite_transaction,
)
from liarsdice.server.storage.database_file import lock_database, lock_holder
from liarsdice.server.storage.log_rows import read_row
from liarsdice.server.storage.migrate import migrate_file
from liarsdice.server.storage.node_names import NodeRow
from liarsdice.server.storage.store import ProgramToken, ServerBan
from liarsdice.server.table.log_entries import LogRow


class SqliteAdministration:
    """An `Administration` of a SQLite file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    def require_database(self) -> None:
        """As `Administration.require_database`. Raises `UnavailableError`."""
        if not self.path.is_file():
            raise UnavailableError(f"there is no database {self.path}; name another with --database")

    def list_tables(self) -> Sequence[TableRow]:
        """As `Administration.list_tables`."""
        query = "SELECT code, head, listed, due_at_ms, touched_at_ms FROM tables ORDER BY touched_at_ms DESC, code"
        with self._reading() as connection:
            return [
                TableRow(code, head, bool(listed), due_at_ms, touched_at_ms)
                for code, head, listed, due_at_ms, touched_at_ms in connection.execute(query)
            ]

    def read_logs(self, only: str | None = None) -> Iterator[tuple[str, Sequence[LogRow] | UnreadableTableError]]:
        """As `Administration.read_logs`."""
        with self._reading() as connection:
            codes = [row[0] for row in connection.execute("SELECT code FROM tables ORDER BY code")]
            for code in choose_codes(self, codes, only):
                yield code, _read_log(connection, code)

    def list_nodes(self) -> Sequence[NodeRow]:
        """As `Administration.list_nodes`. Raises `UnavailableError`."""
        self.require_database()
        try:
            process = lock_holder(self.path)
        except OSError as error:
            raise UnavailableError(f"cannot read the lock of {self.path}: {error.strerror}") from error
        return [] if process is None else [NodeRow(socket.gethostname(), process, "", "")]

    def remove_table(self, code: str) -> None:
        """As `Administration.remove_table`. Raises `UnavailableError`."""
        with self._writing() as connection, _transaction(connection):
            if not statements.delete_table(connection, code, ANY_TIME_MS):
                raise no_such_table(self, code)

    def prune_tables(self, before_ms: int) -> int:
        """As `Administration.prune_tables`."""
        deleted = 0
        with self._writing() as connection:
            stopped_at_ms = statements.last_presence_ms(connection)
            while codes := statements.unchanged_codes(connection, before_ms, stopped_at_ms, PRUNE_BATCH):
                with _transaction(connection):
                    deleted += sum(statements.delete_table(connection, code, before_ms) for code in codes)
        return deleted

    def back_up(self, copy: Path) -> None:
        """As `Administration.back_up`. Raises `UnavailableError`."""
        self.require_database()
        with new_database_file(copy, key_base=self.path.resolve()) as temporary:
            copy_file(self.path, temporary)

    def restore(self, copy: Path) -> None:
        """As `Administration.restore`. Raises `UnavailableError`."""
        with _locked(self.path):
            SqliteAdministration(copy).back_up(self.path.resolve())

    def list_bans(self, now_ms: int) -> Sequence[ServerBan]:
        """As `Administration.list_bans`."""
        with self._changing() as connection:
            return ban_rows.list_bans(connection, now_ms)

    def add_ban(self, hashes: Sequence[BanHash], until_ms: int | None, now_ms: int, note: str) -> int:
        """As `Administration.add_ban`."""
        with self._changing() as connection:
            return ban_rows.add_ban(connection, hashes, until_ms, now_ms, note)

    def lift_ban(self, ban: int) -> None:
        """As `Administration.lift_ban`."""
        with self._changing() as connection:
            ban_rows.lift_ban(connection, ban)

    def list_tokens(self) -> Sequence[ProgramToken]:
        """As `Administration.list_tokens`."""
        with self._changing() as connection:
            return token_rows.list_tokens(connection)

    def add_token(self, token: ProgramToken) -> None:
        """As `Administration.add_token`."""
        with self._changing() as connection:
            token_rows.add_token(connection, token)

    def revoke_token(self, name: str, now_ms: int) -> None:
        """As `Administration.revoke_token`."""
        with self._changing() as connection:
            token_rows.revoke_token(connection, name, now_ms)

    @contextmanager
    def _changing(self) -> Iterator[sa.Connection]:
        """Yield a connection in a transaction, while a server may use the database. Raises `UnavailableError`."""
        self.require_database()
        with sqlite_errors(self.path), sqlite_transaction(self.path) as connection:
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that cannot write. Raises `UnavailableError` if there is no database, or it fails."""
        self.require_database()
        with read_only(self.path) as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Lock the database, migrate it and yield a connection. Raises `UnavailableError` if a server uses it."""
        self.require_database()
        with _locked(self.path), sqlite_errors(self.path):
            migrate_file(self.path)
            with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
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


def _read_log(connection: sqlite3.Connection, code: str) -> Sequence[LogRow] | UnreadableTableError:
    query = "SELECT seq, at_ms, wish, body FROM entries WHERE code = ? ORDER BY seq"
    try:
        return [read_row(code, row) for row in connection.execute(query, (code,))]
    except UnreadableTableError as error:
        return error
    except sqlite3.DatabaseError as error:
        return UnreadableTableError(f"the log of table {code} cannot be read: {error}")
