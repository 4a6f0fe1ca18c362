"""An operator's access to a PostgreSQL database."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import asyncpg
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from liarsdice.core.errors import UnavailableError
from liarsdice.server.database_url import PostgresUrl
from liarsdice.server.errors import StoreError
from liarsdice.server.storage.administration import Administration, RunJob
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
from liarsdice.server.storage.migrate import migrate_file
from liarsdice.server.storage.node_names import NodeRow
from liarsdice.server.storage.postgres_connections import (
    CONNECT_TIMEOUT_S,
    FAILURES,
    PostgresConnections,
    cause_of,
    running_nodes,
)

T = TypeVar("T")
READ_ONLY = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
"""All that one command reads comes from one moment."""


class PostgresAdministration(Administration):
    """An `Administration` of a PostgreSQL database. `key_base`: what the files of its keys are named after."""

    def __init__(self, url: PostgresUrl, key_base: Path) -> None:
        self.url = url
        self.key_base = key_base

    def __str__(self) -> str:
        return str(self.url)

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

    def back_up(self, copy: Path) -> None:
        """As `Administration.back_up`."""
        with new_database_file(copy, self.key_base) as temporary:
            migrate_file(temporary)
            with self._reading() as run, sqlite_transaction(temporary) as target:
                run(lambda source: copy_tables(source, target))

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
            with self._opened_alone() as run, sqlite_transaction(current) as source:
                run(lambda target: self._fill(source, target))
        try:
            make_folder(self.key_base.parent)
            copy_keys(copy, self.key_base)
        except OSError as error:
            raise UnavailableError(f"cannot write {self.key_base}: {error.strerror}") from error

    def _fill(self, source: sa.Connection, target: sa.Connection) -> None:
        """Fill the tables of the database. Raises `UnavailableError` unless they are empty."""
        query = sa.text("SELECT code FROM tables LIMIT 1")
        if target.execute(query).first() is not None:
            raise UnavailableError(f"the database {self} has tables already; create an empty one for the backup")
        copy_tables(source, target)

    @contextmanager
    def _reading(self) -> Iterator[RunJob]:
        """As `Administration._reading`; all that is read comes from one moment."""
        with self._connected(read_only=True) as run:
            run(self._require_schema)
            yield run

    @contextmanager
    def _changing(self) -> Iterator[RunJob]:
        """As `Administration._changing`."""
        with self._connected() as run:
            run(self._require_schema)
            yield run

    @contextmanager
    def _alone(self) -> Iterator[RunJob]:
        """As `Administration._alone`."""
        with self._connected() as run:
            run(self._require_tables)
        with self._opened_alone() as run:
            yield run

    @contextmanager
    def _opened_alone(self) -> Iterator[RunJob]:
        """As `_alone`, also in a database without tables: they are created."""
        connections = PostgresConnections(self.url)
        with self._errors(), asyncio.Runner() as runner:
            runner.run(connections.open(alone=True))
            try:
                with self._connected() as run:
                    yield run
            finally:
                runner.run(connections.close())

    @contextmanager
    def _connected(self, *, read_only: bool = False) -> Iterator[RunJob]:
        """Yield what runs each job in a transaction; with `read_only`, all jobs are in the same one."""
        engine = create_async_engine("postgresql+asyncpg://", async_creator=self._connect, poolclass=NullPool)
        with self._errors(), asyncio.Runner() as runner:
            connection = runner.run(engine.connect().start())

            async def run(job: Callable[[sa.Connection], T]) -> T:
                if read_only:
                    return await connection.run_sync(job)
                async with connection.begin():
                    return await connection.run_sync(job)

            try:
                if read_only:
                    connection = runner.run(connection.execution_options(**READ_ONLY))
                yield lambda job: runner.run(run(job))
            finally:
                runner.run(connection.close())

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
