"""Nothing waits for long for a PostgreSQL database that does not answer, but a node that starts waits for its work."""

import asyncio

import asyncpg
import pytest

from liarsdice.server.errors import StoreError
from liarsdice.server.live.live_table import ANSWER_TIMEOUT_S
from liarsdice.server.settings import PostgresUrl
from liarsdice.server.storage import postgres
from liarsdice.server.storage.postgres import MIGRATION_KEY, PostgresStore
from tests.server.storage.stored_tables import BLOCKED_SESSIONS, DISCONNECT, heartbeats

ANSWER_WITHIN_S = 5.0


async def test_a_node_that_starts_waits_for_the_migration_of_another_one(
    postgres_url: PostgresUrl,
    administrator: "asyncpg.Connection[asyncpg.Record]",
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The migration of a large database takes longer than any statement during play may."""
    monkeypatch.setattr(postgres, "COMMAND_TIMEOUT_S", 0.2)
    await administrator.execute("SELECT pg_advisory_lock($1)", MIGRATION_KEY)
    store = PostgresStore(postgres_url)
    starting = asyncio.create_task(store.open(0))
    while not await administrator.fetchval(BLOCKED_SESSIONS):
        pass
    await administrator.execute("SELECT pg_sleep(0.5)")
    assert not starting.done()
    await administrator.execute("SELECT pg_advisory_unlock($1)", MIGRATION_KEY)
    await starting
    await store.close()


async def test_reconnecting_takes_no_longer_in_all_than_a_connection_may(
    postgres_url: PostgresUrl,
    administrator: "asyncpg.Connection[asyncpg.Record]",
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The statements that take the lock again count, too."""
    store = PostgresStore(postgres_url)
    await store.open(0)
    slow = "SELECT pg_sleep(60) WHERE $1::text IS NOT NULL AND $2::bigint > 0"
    monkeypatch.setattr(postgres, "END_OLD_SESSIONS", slow)
    monkeypatch.setattr(postgres, "CONNECT_TIMEOUT_S", 0.3)
    monkeypatch.setattr(postgres, "COMMAND_TIMEOUT_S", 60)
    assert await administrator.fetchval(DISCONNECT) >= 1
    async with asyncio.timeout(30):
        while await heartbeats(store):
            pass
        with pytest.raises(StoreError, match="does not answer in time"):
            await store.listed_codes(10, 0)
    await store.close()


def test_nothing_waits_longer_than_five_seconds_for_a_database_that_does_not_answer() -> None:
    """A call waits for a connection and for the answer. A command waits for several calls and for other commands."""
    assert postgres.CONNECT_TIMEOUT_S + postgres.COMMAND_TIMEOUT_S < ANSWER_WITHIN_S
    assert ANSWER_TIMEOUT_S < ANSWER_WITHIN_S
