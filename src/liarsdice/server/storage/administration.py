"""What an operator does with a database: list, export, delete, back up and restore its tables."""

from __future__ import annotations

import os
import secrets
import socket
import sqlite3
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar
from urllib.parse import quote

import msgspec
import sqlalchemy as sa

from liarsdice.core.errors import UnavailableError
from liarsdice.runtime.atomic_files import replace_atomically
from liarsdice.server.errors import UnreadableTableError
from liarsdice.server.settings import signing_key_path
from liarsdice.server.storage.database_file import SIDE_SUFFIXES, create_private, lock_database, lock_holder
from liarsdice.server.storage.db_schema import (
    LATEST_VERSION,
    entries,
    group_results,
    groups,
    metadata,
    migrate_file,
    presence,
    program_tokens,
    require_own_file,
    schema_version,
    server_bans,
    snapshots,
    tables,
    tickets,
)
from liarsdice.server.storage.rows import SELECT_BANS, SELECT_TOKENS, read_bans, read_row, read_tokens
from liarsdice.server.storage.signing_keys import key_path, retired_keys_path
from liarsdice.server.storage.store import ProgramToken, ServerBan
from liarsdice.server.table.log_entries import LogRow

ROWS_PER_BATCH = 500


@contextmanager
def new_database_file(target: Path, key_base: Path) -> Iterator[Path]:
    """Yield an empty file to write a database to; afterwards it gets its name, and copies of keys beside it.

    `key_base`: what the keys to copy are named after. Raises `UnavailableError` if there is such a file already, or one
    cannot be read or written.
    """
    require_absent(_files_of(target))
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


def _files_of(database: Path) -> list[Path]:
    """Return a database with the files that SQLite and a server name after it, except the lock."""
    return [database, *keys_of(database), *(database.with_name(database.name + suffix) for suffix in SIDE_SUFFIXES)]


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


MAX_MACHINE_LENGTH = 20
MIN_WORDS = 4
"""An earlier release has no digests in its names."""


class NodeRow(msgspec.Struct, frozen=True):
    """A server process that uses a database.

    `keys`, `settings`: the digests of its keys and of the settings that all nodes share, "" if unknown.
    """

    machine: str
    process: str
    keys: str
    settings: str

    def __str__(self) -> str:
        return f"{self.machine} (process {self.process})"


def new_session_name(keys_digest: str, settings_digest: str) -> str:
    """Return a name for the sessions of this process, which no other process has: at most 63 ASCII characters.

    The settings are left out if `keys_digest` is "".
    """
    machine = socket.gethostname().encode("ascii", "replace").decode()[:MAX_MACHINE_LENGTH].replace(" ", "-")
    digests = f"{keys_digest} {settings_digest}" if keys_digest else ""
    return f"liarsdice {machine or '-'} {os.getpid()} {secrets.token_hex(4)} {digests}".rstrip()


def read_session_name(name: str) -> NodeRow | None:
    """Return the node that has a session of this name, None if no node gives itself such a name.

    >>> read_session_name("liarsdice dice.example 4711 0badcafe 01234567 abcdef")
    NodeRow(machine='dice.example', process='4711', keys='01234567', settings='abcdef')
    >>> read_session_name("liarsdice dice.example 4711 0badcafe")
    NodeRow(machine='dice.example', process='4711', keys='', settings='')
    >>> read_session_name("psql")
    """
    words = name.split()
    if len(words) < MIN_WORDS or words[0] != "liarsdice":
        return None
    keys, settings = (*words[MIN_WORDS:], "", "")[:2]
    return NodeRow(words[1], words[2], keys, settings)


T = TypeVar("T")
ANY_TIME_MS = 2**62
"""Later than every stored time."""

PRUNE_BATCH = 100
MAX_BAN_HASHES = 2_000
"""How many hashes all bans may have together: servers compare each new address with them."""

LIFTED = ""
"""The scope of a row that only keeps the number of the last ban, which was lifted: the next one gets another."""

MAX_TOKENS = 2_000
"""How many tokens there may be, ended ones included: every server holds all of them."""

BanHash = tuple[str, str]
"""The scope and the hash of one thing by which a ban recognises a person (`ServerBan`)."""

LIST_BANS, LIST_TOKENS = sa.text(SELECT_BANS), sa.text(SELECT_TOKENS)
LOCK_BANS = sa.text("LOCK TABLE server_bans IN EXCLUSIVE MODE")
LOCK_TOKENS = sa.text("LOCK TABLE program_tokens IN EXCLUSIVE MODE")
SELECT_LOG = sa.text("SELECT seq, at_ms, request_id, body FROM entries WHERE code = :code ORDER BY seq")


class TableRow(msgspec.Struct, frozen=True):
    """A table as it is stored. Times are in milliseconds since 1970; `due_at_ms`: None if the table waits for nothing.

    `entry_count`: the number of the last entry in its log. `listed`: whether the lobby shows the table.
    """

    code: str
    entry_count: int
    listed: bool
    due_at_ms: int | None
    touched_at_ms: int


class RunJob(Protocol):
    """Calls a job with a connection to the database and returns what it returns."""

    def __call__(self, job: Callable[[sa.Connection], T]) -> T:
        """Run a job."""
        ...


class Administration(ABC):
    """An operator's access to a database. Every method raises `UnavailableError` if the database cannot be used.

    Printing it shows the file, or the host and the name of the database. Reading is possible while a server runs. What
    changes tables is refused while a server runs, because it has them in memory; bans and tokens can be changed at any
    time.
    """

    def require_database(self) -> None:
        """Raise `UnavailableError` unless there is a database with the tables of a server."""
        with self._reading():
            pass

    def list_tables(self) -> Sequence[TableRow]:
        """Return all tables, the latest change first."""
        columns = tables.c
        query = sa.select(
            columns.code, columns.head, columns.listed, columns.due_at_ms, columns.touched_at_ms
        ).order_by(columns.touched_at_ms.desc(), columns.code)
        with self._reading() as run:
            return run(lambda connection: [TableRow(*row) for row in connection.execute(query)])

    def read_logs(self, only: str | None = None) -> Iterator[tuple[str, Sequence[LogRow] | UnreadableTableError]]:
        """Yield the code of every table with its log, or with the error that says why the log cannot be read.

        `only`: the code of the one table to read. Raises `UnavailableError` if there is no such table.
        """
        query = sa.select(tables.c.code).order_by(tables.c.code)
        with self._reading() as run:
            codes = run(lambda connection: connection.scalars(query).all())
            if only is not None:
                if only not in codes:
                    raise self._no_such_table(only)
                codes = [only]
            for code in codes:
                yield code, run(partial(_read_log, code=code))

    @abstractmethod
    def list_nodes(self) -> Sequence[NodeRow]:
        """Return the servers that use the database now."""

    def remove_table(self, code: str) -> None:
        """Delete a table with its log, or a group with its results. Raises `UnavailableError` if there is none."""
        with self._alone() as run:
            if not run(
                lambda connection: _delete_table(connection, code, ANY_TIME_MS) or _delete_group(connection, code)
            ):
                raise self._no_such_table(code)

    def prune_tables(self, before_ms: int) -> int:
        """Delete the tables without a change since `before_ms` and return their number.

        As with `--keep-days`, a table with a clock that was running when the last server stopped is kept.
        """
        deleted = 0
        with self._alone() as run:
            while count := run(lambda connection: _prune_some(connection, before_ms)):
                deleted += count
        return deleted

    def list_bans(self, now_ms: int) -> Sequence[ServerBan]:
        """Return the operator's bans that are in force, the latest last."""
        with self._reading() as run:
            return run(lambda connection: read_bans(connection.execute(LIST_BANS), now_ms))

    def add_ban(self, hashes: Sequence[BanHash], until_ms: int | None, now_ms: int, note: str) -> int:
        """Store a ban, which running servers enforce within seconds, and return its number, which no ban had before.

        What was banned already belongs to the new ban from now on. Raises `UnavailableError` if there are too many.
        """
        columns = server_bans.c
        highest = sa.select(sa.func.max(columns.ban)).scalar_subquery()
        ended = columns.until_ms <= now_ms
        delete_ended = sa.delete(server_bans).where(ended, columns.ban < highest)  # the next number follows the highest
        count_all = sa.select(sa.func.max(columns.ban), sa.func.count().filter(sa.not_(sa.func.coalesce(ended, False))))

        def add(connection: sa.Connection) -> int:
            _wait_for_others(connection, LOCK_BANS)  # or two bans could get the same number
            connection.execute(delete_ended)
            last, count = connection.execute(count_all).one()
            if count + len(hashes) > MAX_BAN_HASHES:
                raise UnavailableError(
                    f"there are too many bans ({count} hashes of at most {MAX_BAN_HASHES}); lift some"
                )
            ban = (last or 0) + 1
            for scope, digest in dict.fromkeys(hashes):
                delete = sa.delete(server_bans).where(columns.scope == scope, columns.hash == digest)
                connection.execute(delete)
                row = {"scope": scope, "hash": digest, "ban": ban, "until_ms": until_ms, "at_ms": now_ms, "note": note}
                insert = sa.insert(server_bans).values(row)
                connection.execute(insert)
            return ban

        with self._changing() as run:
            return run(add)

    def lift_ban(self, ban: int) -> None:
        """Delete a ban. Raises `UnavailableError` if there is none with this number."""
        columns = server_bans.c
        delete = sa.delete(server_bans).where(columns.ban == ban, columns.scope != LIFTED)
        delete_mark = sa.delete(server_bans).where(columns.scope == LIFTED, columns.ban < ban)
        highest = sa.select(sa.func.max(columns.ban))
        mark = {"scope": LIFTED, "hash": "", "ban": ban, "until_ms": 0, "at_ms": 0, "note": ""}
        insert_mark = sa.insert(server_bans).values(mark)

        def lift(connection: sa.Connection) -> None:
            _wait_for_others(connection, LOCK_BANS)
            if connection.execute(delete).rowcount == 0:
                raise UnavailableError(
                    f"there is no ban {ban}; `liarsdice admin ban list` shows those that are in force"
                )
            connection.execute(delete_mark)
            if (connection.scalar(highest) or 0) < ban:
                connection.execute(insert_mark)

        with self._changing() as run:
            run(lift)

    def list_tokens(self) -> Sequence[ProgramToken]:
        """Return all tokens that were ever given to programs, the oldest first."""
        with self._reading() as run:
            return run(_tokens)

    def add_token(self, token: ProgramToken) -> None:
        """Store a token of a program. Raises `UnavailableError` if a valid one has this name, or there are too many."""
        row = msgspec.structs.asdict(token) | {"scopes": " ".join(scope.value for scope in token.scopes)}
        insert = sa.insert(program_tokens).values(row)

        def add(connection: sa.Connection) -> None:
            _wait_for_others(connection, LOCK_TOKENS)
            tokens = _tokens(connection)
            if any(other.name == token.name and other.is_valid(token.at_ms) for other in tokens):
                raise UnavailableError(f"there is a token {token.name!r} already; revoke it, or choose another name")
            if len(tokens) >= MAX_TOKENS:
                raise UnavailableError(f"there are {len(tokens)} tokens, ended ones included, and may be no more")
            connection.execute(insert)

        with self._changing() as run:
            run(add)

    def revoke_token(self, name: str, now_ms: int) -> None:
        """End the valid token with a name, which running servers refuse within seconds.

        Raises `UnavailableError` if there is none.
        """

        def revoke(connection: sa.Connection) -> None:
            _wait_for_others(connection, LOCK_TOKENS)
            valid = [token.hash for token in _tokens(connection) if token.name == name and token.is_valid(now_ms)]
            if not valid:
                raise UnavailableError(
                    f"there is no token {name!r}; `liarsdice admin token list` shows those that are valid"
                )
            update = sa.update(program_tokens).where(program_tokens.c.hash.in_(valid)).values(until_ms=now_ms)
            connection.execute(update)

        with self._changing() as run:
            run(revoke)

    @abstractmethod
    def back_up(self, copy: Path) -> None:
        """Copy the database and its keys to new files that only their owner may read, while a server may write.

        The copy is a SQLite database, from whichever database it comes. It has everything that was committed when
        copying began, and it is checked before it gets its name. Raises `UnavailableError` if there is such a file
        already, or one cannot be read or written.
        """

    @abstractmethod
    def restore(self, copy: Path) -> None:
        """Copy a backup and its keys to the place of this database, where there must be no tables and no keys.

        Raises `UnavailableError` as `back_up`, and if a server uses the database.
        """

    @abstractmethod
    def _reading(self) -> AbstractContextManager[RunJob]:
        """Return what runs jobs that only read, while a server may write. Raises as `_require_schema`."""

    @abstractmethod
    def _changing(self) -> AbstractContextManager[RunJob]:
        """Return what runs each job in a transaction, while a server may run. Raises as `_require_schema`."""

    @abstractmethod
    def _alone(self) -> AbstractContextManager[RunJob]:
        """Return what runs each job in a transaction while no server may use the database, which is migrated first."""

    def _require_schema(self, connection: sa.Connection) -> None:
        """Raise `UnavailableError` unless the database has the tables of a server of this release."""
        self._require_tables(connection)
        version = schema_version(connection)
        if version != LATEST_VERSION:
            raise UnavailableError(
                f"the database {self} is of another release (schema {version}, not {LATEST_VERSION}); use that release,"
                " or start a server of this release once, which updates the database if it can"
            )

    def _require_tables(self, connection: sa.Connection) -> None:
        """Raise `UnavailableError` unless the database has the tables of a server."""
        if not sa.inspect(connection).has_table(tables.name):
            raise UnavailableError(f"the database {self} has no tables of a server; name another with --database")

    def _no_such_table(self, code: str) -> UnavailableError:
        return UnavailableError(f"the database {self} has no table {code!r}")


def _wait_for_others(connection: sa.Connection, lock: sa.TextClause) -> None:
    """Let no other operator change a table before this transaction ends. `lock`: the statement that locks it."""
    if connection.dialect.name == "postgresql":  # SQLite has one writer at a time
        connection.execute(lock)


def _tokens(connection: sa.Connection) -> Sequence[ProgramToken]:
    return read_tokens(connection.execute(LIST_TOKENS))


def _read_log(connection: sa.Connection, code: str) -> Sequence[LogRow] | UnreadableTableError:
    try:
        return [
            read_row(code, (row[0], row[1], row[2], row[3])) for row in connection.execute(SELECT_LOG, {"code": code})
        ]
    except UnreadableTableError as error:
        return error
    except sa.exc.DatabaseError as error:
        if connection.dialect.name != "sqlite":
            raise
        return UnreadableTableError(f"the log of table {code} cannot be read: {error.orig}")


def _delete_table(connection: sa.Connection, code: str, before_ms: int) -> bool:
    """Delete a table, its log, its snapshot and its tickets; return False if it has changed since `before_ms`."""
    delete = sa.delete(tables).where(tables.c.code == code, tables.c.touched_at_ms < before_ms)
    if connection.execute(delete).rowcount == 0:
        return False
    for table in (entries, snapshots, tickets):
        delete = sa.delete(table).where(table.c.code == code)
        connection.execute(delete)
    return True


def _delete_group(connection: sa.Connection, code: str) -> bool:
    delete = sa.delete(groups).where(groups.c.code == code)
    if connection.execute(delete).rowcount == 0:
        return False
    for table in (group_results, tickets):
        delete = sa.delete(table).where(table.c.code == code)
        connection.execute(delete)
    return True


def _prune_some(connection: sa.Connection, before_ms: int) -> int:
    """Delete at most `PRUNE_BATCH` tables that may be pruned, the oldest first, and return how many were."""
    columns = tables.c
    stopped_at_ms = connection.scalar(sa.select(presence.c.alive_at_ms)) or 0
    query = (
        sa.select(columns.code)
        .where(columns.listed.in_([False, True]))  # lets SQLite use the index
        .where(columns.touched_at_ms < before_ms)
        .where(sa.or_(columns.due_at_ms.is_(None), columns.due_at_ms <= stopped_at_ms))
        .order_by(columns.touched_at_ms)
        .limit(PRUNE_BATCH)
    )
    return sum(_delete_table(connection, code, before_ms) for code in connection.scalars(query).all())


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
        """As `Administration.restore`. A backup of an earlier schema is migrated. Raises `UnavailableError`."""
        target = self.path.resolve()
        _require_file(copy, "name the file of a backup")
        require_own_file(copy, "name the file of a backup")
        if not _is_locked(target):  # else the server that holds it is the reason to give
            require_absent(_files_of(target))
        with _locked(self.path):
            _copy_database(copy, target)

    @contextmanager
    def _reading(self) -> Iterator[RunJob]:
        _require_file(self.path)
        with sqlite_errors(self.path), read_only_transaction(self.path) as connection:
            self._require_schema(connection)
            yield lambda job: job(connection)

    @contextmanager
    def _changing(self) -> Iterator[RunJob]:
        _require_file(self.path)
        with sqlite_errors(self.path), sqlite_transaction(self.path) as connection:
            self._require_schema(connection)
            yield lambda job: job(connection)

    @contextmanager
    def _alone(self) -> Iterator[RunJob]:
        _require_file(self.path)
        require_own_file(self.path)

        def run(job: Callable[[sa.Connection], T]) -> T:
            with sqlite_transaction(self.path) as connection:
                return job(connection)

        with _locked(self.path), sqlite_errors(self.path):
            migrate_file(self.path)
            yield run


def _require_file(path: Path, advice: str = "name another with --database") -> None:
    """Raise `UnavailableError` if there is no file. `advice`: as in `require_own_file`."""
    if not path.is_file():
        raise UnavailableError(f"there is no database {path}; {advice}")


def _copy_database(source: Path, target: Path) -> None:
    """Copy a file and its keys to new files. Raises `UnavailableError`."""
    _require_file(source)
    with new_database_file(target, key_base=source.resolve()) as temporary, sqlite_errors(source):
        copy_file(source, temporary)
        migrate_file(temporary)


def _is_locked(path: Path) -> bool:
    try:
        return lock_holder(path) is not None
    except OSError:
        return False


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
