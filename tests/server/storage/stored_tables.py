"""A database of either kind for tests: stores on it, and what somebody else does to it."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Protocol

import asyncpg

from liarsdice.server.errors import StoreError
from liarsdice.server.settings import PostgresUrl
from liarsdice.server.storage.administration import Administration, SqliteAdministration
from liarsdice.server.storage.postgres import Connection, PostgresAdministration, PostgresStore
from liarsdice.server.storage.sqlite import SqliteStore
from liarsdice.server.storage.store import LogAppend, Store
from liarsdice.server.table.log_entries import LogRow, Opened
from tests.server.live_tables import make_config

BLOCKED_SESSIONS = """
SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
"""
DISCONNECT = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


class StoredTables(Protocol):
    """A database without a server."""

    async def open(self, now_ms: int = 0) -> Store:
        """Return a new store, opened."""
        ...

    async def execute(self, statement: str) -> int:
        """Run a statement past the store; return the number of rows that it changed."""
        ...

    @property
    def administration(self) -> Administration:
        """An operator's access. Its methods run event loops of their own, so call them in another thread."""
        ...

    @property
    def key_base(self) -> Path:
        """What the files of its keys are named after."""
        ...


class SqliteTables:
    """A SQLite file."""

    def __init__(self, path: Path) -> None:
        self.path = self.key_base = path
        self.administration: Administration = SqliteAdministration(path)

    async def open(self, now_ms: int = 0) -> Store:
        store = SqliteStore(self.path)
        await store.open(now_ms)
        return store

    async def execute(self, statement: str) -> int:
        with closing(sqlite3.connect(self.path)) as connection:
            count = connection.execute(statement).rowcount
            connection.commit()
        return count


class PostgresTables:
    """A PostgreSQL database."""

    def __init__(self, url: PostgresUrl, key_base: Path) -> None:
        self.url = url
        self.key_base = key_base
        self.administration: Administration = PostgresAdministration(url, key_base)

    async def open(self, now_ms: int = 0) -> Store:
        async def clock_ms(_: Connection) -> int:
            return now_ms

        store = PostgresStore(self.url, clock_ms)
        await store.open(now_ms)
        return store

    async def execute(self, statement: str) -> int:
        connection = await asyncpg.connect(self.url.url)
        status = await connection.execute(statement)
        await connection.close()
        return int(status.split()[-1])


async def append(store: Store, code: str, at_ms: int, due_at_ms: int | None, *, listed: bool) -> None:
    row = LogRow(1, at_ms, "", Opened(code, make_config()))
    assert await store.append(LogAppend(code, 0, (row,), due_at_ms, listed=listed))


async def heartbeats(store: Store) -> bool:
    """Whether a heartbeat succeeds."""
    try:
        await store.heartbeat(1)
    except StoreError:
        return False
    return True
