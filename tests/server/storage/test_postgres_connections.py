"""A server on PostgreSQL reconnects by itself, and keeps every other server away from its tables."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator

import asyncpg
import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.server.database_url import PostgresUrl
from liarsdice.server.errors import StoreError
from liarsdice.server.storage import postgres_connections
from liarsdice.server.storage.postgres import PostgresStore
from liarsdice.server.storage.postgres_connections import LOCK_KEY, cause_of
from tests.postgres_server import PostgresServer
from tests.server.storage.stored_tables import append

DISCONNECT = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
DISCONNECT_LOCK_HOLDER = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_connections, "LOCK_TIMEOUT_S", 0.1)
    monkeypatch.setattr(postgres_connections, "RETRY_S", 0.0)


@pytest.fixture
async def administrator(postgres_url: PostgresUrl) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    """A connection of somebody else to the database."""
    connection = await asyncpg.connect(postgres_url.url)
    yield connection
    await connection.close()


@pytest.fixture
def mortal_server() -> Iterator[PostgresServer]:
    with PostgresServer("-c", "fsync=off") as server:
        yield server


async def heartbeats(store: PostgresStore) -> bool:
    """Whether a heartbeat succeeds."""
    try:
        await store.heartbeat(1)
    except StoreError:
        return False
    return True


async def test_a_second_server_is_refused_until_the_first_has_closed_the_database(postgres_url: PostgresUrl) -> None:
    first, second = PostgresStore(postgres_url), PostgresStore(postgres_url)
    await first.open(0)
    with pytest.raises(UnavailableError, match=rf"another server \(liarsdice .* {os.getpid()}\) uses the database"):
        await second.open(0)
    await first.heartbeat(1)
    await first.close()
    await second.open(0)
    await second.close()


async def test_a_store_goes_on_after_its_connections_were_closed(
    postgres_url: PostgresUrl, administrator: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    store = PostgresStore(postgres_url)
    await store.open(0)
    for count in (1, 2):
        assert await administrator.fetchval(DISCONNECT) >= 2
        while store.reconnect_count < count:
            await heartbeats(store)
        await append(store, f"TAB{count}", 1_000, None, listed=True)
    assert sorted(await store.listed_codes(10, 0)) == ["TAB1", "TAB2"]
    await store.close()


async def test_nothing_is_read_or_written_while_another_server_holds_the_lock(
    postgres_url: PostgresUrl, administrator: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    store = PostgresStore(postgres_url)
    await store.open(0)
    await append(store, "ABCD", 1_000, None, listed=True)
    waiting = asyncio.create_task(administrator.execute("SELECT pg_advisory_lock($1)", LOCK_KEY))
    breaker = await asyncpg.connect(postgres_url.url)
    await breaker.execute(DISCONNECT_LOCK_HOLDER)
    await breaker.close()
    await waiting
    while await heartbeats(store):
        pass
    for work in (store.load_state("ABCD"), store.listed_codes(10, 0), store.heartbeat(1)):
        with pytest.raises(StoreError, match="another server uses the database"):
            await work
    with pytest.raises(StoreError, match="another server uses the database"):
        await append(store, "EFGH", 1_000, None, listed=True)
    await administrator.execute("SELECT pg_advisory_unlock($1)", LOCK_KEY)
    await store.heartbeat(2)
    assert await store.heads(["ABCD", "EFGH"]) == {"ABCD": 1}
    await store.close()


async def test_calls_fail_while_postgresql_is_down_and_succeed_after_its_restart(
    mortal_server: PostgresServer,
) -> None:
    store = PostgresStore(PostgresUrl(mortal_server.create_database()))
    await store.open(0)
    await append(store, "ABCD", 1_000, None, listed=True)
    await asyncio.to_thread(mortal_server.kill)
    for _ in range(2):
        with pytest.raises(StoreError, match="the database does not work") as failed:
            await append(store, "EFGH", 1_000, None, listed=True)
        assert mortal_server.password not in str(failed.value)
    await asyncio.to_thread(mortal_server.start)
    await append(store, "EFGH", 1_000, None, listed=True)
    assert await store.heads(["ABCD", "EFGH"]) == {"ABCD": 1, "EFGH": 1}
    await store.close()


async def test_a_closed_store_stays_closed(postgres_url: PostgresUrl) -> None:
    store = PostgresStore(postgres_url)
    await store.open(0)
    await store.close()
    with pytest.raises(StoreError, match="closed"):
        await store.heartbeat(1)


def test_a_cause_names_no_values() -> None:
    assert cause_of(asyncpg.DataError("invalid input for query argument $1: 'secret'")) == "DataError"
    assert cause_of(asyncpg.UniqueViolationError("Key (ticket)=(secret) already exists")) == "UniqueViolationError"
    assert cause_of(asyncpg.AdminShutdownError("terminating connection")) == "terminating connection"
