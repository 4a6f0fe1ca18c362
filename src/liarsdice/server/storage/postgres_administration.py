"""An operator's access to a PostgreSQL database: lists, reads, deletes, backs up and restores its tables."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TypeVar

import asyncpg
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from liarsdice.core.errors import UnavailableError
from liarsdice.server.database_url import PostgresUrl
from liarsdice.server.errors import StoreError, UnreadableTableError
from liarsdice.server.storage import ban_rows, token_rows
from liarsdice.server.storage import postgres_statements as statements
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
    copy_keys,
    copy_tables,
    keys_of,
    new_database_file,
    require_absent,
    sqlite_transaction,
)
from liarsdice.server.storage.database_file import create_private, make_folder
from liarsdice.server.storage.log_rows import read_row
from liarsdice.server.storage.migrate import migrate_file, schema_version
from liarsdice.server.storage.node_names import NodeRow
from liarsdice.server.storage.postgres_connections import (
    CONNECT_TIMEOUT_S,
    FAILURES,
    Connection,
    PostgresConnections,
    cause_of,
    running_nodes,
)
from liarsdice.server.storage.store import ProgramToken, ServerBan
from liarsdice.server.table.log_entries import LogRow

T = TypeVar("T")
READ_ONLY = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
"""All that one command reads comes from one moment."""


class PostgresAdministration:
    """An `Administration` of a PostgreSQL database. `key_base`: what the files of its keys are named after."""

    def __init__(self, url: PostgresUrl, key_base: Path) -> None:
        self.url = url
        self.key_base = key_base

    def __str__(self) -> str:
        return str(self.url)

    def require_database(self) -> None:
        """As `Administration.require_database`. Raises `UnavailableError`."""
        self._read(self._require_tables)

    def list_tables(self) -> Sequence[TableRow]:
        """As `Administration.list_tables`."""
        return self._read(self._select_tables)

    def read_logs(self, only: str | None = None) -> Iterator[tuple[str, Sequence[LogRow] | UnreadableTableError]]:
        """As `Administration.read_logs`."""
        with self._errors(), asyncio.Runner() as runner:
            connection = runner.run(self._connect())
            try:
                runner.run(connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"))
                rows = runner.run(connection.fetch("SELECT code FROM tables ORDER BY code"))
                for code in choose_codes(self, [row[0] for row in rows], only):
                    yield code, runner.run(_read_log(connection, code))
            finally:
                connection.terminate()

    def list_nodes(self) -> Sequence[NodeRow]:
        """As `Administration.list_nodes`."""

        async def read() -> Sequence[NodeRow]:
            connection = await self._connect()
            try:
                nodes = await running_nodes(connection)
            finally:
                connection.terminate()
            return sorted(nodes, key=lambda node: (node.machine, node.process))

        with self._errors():
            return asyncio.run(read())

    def remove_table(self, code: str) -> None:
        """As `Administration.remove_table`. Raises `UnavailableError`."""

        async def remove(connection: Connection) -> None:
            if not await statements.delete_table(connection, code, ANY_TIME_MS):
                raise no_such_table(self, code)

        self.require_database()
        self._write(remove)

    def prune_tables(self, before_ms: int) -> int:
        """As `Administration.prune_tables`. Raises `UnavailableError`."""

        async def prune(connection: Connection) -> int:
            deleted = 0
            stopped_at_ms = await statements.last_presence_ms(connection)
            while codes := await statements.unchanged_codes(connection, before_ms, stopped_at_ms, PRUNE_BATCH):
                for code in codes:
                    deleted += await statements.delete_table(connection, code, before_ms)
            return deleted

        self.require_database()
        return self._write(prune)

    def back_up(self, copy: Path) -> None:
        """As `Administration.back_up`. Raises `UnavailableError`."""
        with new_database_file(copy, self.key_base) as temporary:
            migrate_file(temporary)
            with sqlite_transaction(temporary) as target:
                self._read(lambda source: self._copy_to(source, target))

    def restore(self, copy: Path) -> None:
        """As `Administration.restore`. Raises `UnavailableError`."""
        require_absent(keys_of(self.key_base))
        if not copy.is_file():
            raise UnavailableError(f"there is no database {copy}; name the file of a backup")
        with tempfile.TemporaryDirectory() as folder:
            current = Path(folder) / "copy.db"
            create_private(current)
            copy_file(copy, current)
            migrate_file(current)
            with sqlite_transaction(current) as source:
                self._write(lambda _: self._copy_from(source))
        try:
            make_folder(self.key_base.parent)
            copy_keys(copy, self.key_base)
        except OSError as error:
            raise UnavailableError(f"cannot write {self.key_base}: {error.strerror}") from error

    def list_bans(self, now_ms: int) -> Sequence[ServerBan]:
        """As `Administration.list_bans`."""
        return self._read(lambda connection: ban_rows.list_bans(connection, now_ms))

    def add_ban(self, hashes: Sequence[BanHash], until_ms: int | None, now_ms: int, note: str) -> int:
        """As `Administration.add_ban`."""
        return self._change(lambda connection: ban_rows.add_ban(connection, hashes, until_ms, now_ms, note))

    def lift_ban(self, ban: int) -> None:
        """As `Administration.lift_ban`."""
        self._change(lambda connection: ban_rows.lift_ban(connection, ban))

    def list_tokens(self) -> Sequence[ProgramToken]:
        """As `Administration.list_tokens`."""
        return self._read(token_rows.list_tokens)

    def add_token(self, token: ProgramToken) -> None:
        """As `Administration.add_token`."""
        self._change(lambda connection: token_rows.add_token(connection, token))

    def revoke_token(self, name: str, now_ms: int) -> None:
        """As `Administration.revoke_token`."""
        self._change(lambda connection: token_rows.revoke_token(connection, name, now_ms))

    # ---- connections ----------------------------------------------------------------------------------------------

    def _read(self, job: Callable[[sa.Connection], T]) -> T:
        """Return what a job reads from one state of the database, while a server may write."""

        async def read() -> T:
            async with self._engine_connection() as connection:
                reading = await connection.execution_options(**READ_ONLY)
                return await reading.run_sync(job)

        with self._errors():
            return asyncio.run(read())

    def _change(self, job: Callable[[sa.Connection], T]) -> T:
        """Return what a job does in one transaction, while servers may use the database."""

        async def change() -> T:
            async with self._engine_connection() as connection, connection.begin():
                return await connection.run_sync(job)

        with self._errors():
            return asyncio.run(change())

    def _write(self, job: Callable[[Connection], Awaitable[T]]) -> T:
        """Return what a job does while no server may use the database."""

        async def write() -> T:
            connections = PostgresConnections(self.url)
            await connections.open(alone=True)
            try:
                async with connections.connection() as connection:
                    return await job(connection)
            finally:
                await connections.close()

        with self._errors():
            return asyncio.run(write())

    async def _copy_from(self, source: sa.Connection) -> None:
        """Fill the tables of the database, which must be empty, in one transaction. Raises `UnavailableError`."""
        async with self._engine_connection() as connection, connection.begin():
            await connection.run_sync(lambda target: self._fill(source, target))

    def _fill(self, source: sa.Connection, target: sa.Connection) -> None:
        query = sa.text("SELECT code FROM tables LIMIT 1")
        if target.execute(query).first() is not None:
            raise UnavailableError(f"the database {self} has tables already; create an empty one for the backup")
        copy_tables(source, target)

    def _copy_to(self, source: sa.Connection, target: sa.Connection) -> None:
        self._require_tables(source)
        version, wanted = schema_version(source), schema_version(target)
        if version != wanted:
            raise UnavailableError(
                f"the database {self} is of another release (schema {version}, not {wanted}); back it up with that"
                " release, or start a server of this release once"
            )
        copy_tables(source, target)

    def _require_tables(self, connection: sa.Connection) -> None:
        if not sa.inspect(connection).has_table("tables"):
            raise UnavailableError(f"the database {self} has no tables of a server; name another with --database")

    def _select_tables(self, connection: sa.Connection) -> Sequence[TableRow]:
        self._require_tables(connection)
        query = sa.text(
            "SELECT code, head, listed, due_at_ms, touched_at_ms FROM tables ORDER BY touched_at_ms DESC, code"
        )
        return [TableRow(*row) for row in connection.execute(query)]

    @asynccontextmanager
    async def _engine_connection(self) -> AsyncIterator[AsyncConnection]:
        engine = create_async_engine("postgresql+asyncpg://", async_creator=self._connect, poolclass=NullPool)
        try:
            async with engine.connect() as connection:
                yield connection
        finally:
            await engine.dispose()

    async def _connect(self) -> asyncpg.Connection[asyncpg.Record]:
        return await asyncpg.connect(
            self.url.url, timeout=CONNECT_TIMEOUT_S, server_settings={"application_name": "liarsdice admin"}
        )

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn errors of the database into `UnavailableError`, which names it without its password."""
        try:
            yield
        except StoreError as error:
            raise UnavailableError(f"the database {self} cannot be used: {error}") from error
        except (*FAILURES, sa.exc.SQLAlchemyError, ValueError) as error:
            raise UnavailableError(f"the database {self} cannot be used: {cause_of(error)}") from error


async def _read_log(
    connection: asyncpg.Connection[asyncpg.Record], code: str
) -> Sequence[LogRow] | UnreadableTableError:
    query = "SELECT seq, at_ms, wish, body FROM entries WHERE code = $1 ORDER BY seq"
    try:
        return [read_row(code, (row[0], row[1], row[2], row[3])) for row in await connection.fetch(query, code)]
    except UnreadableTableError as error:
        return error
