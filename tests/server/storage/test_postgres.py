"""A server on PostgreSQL reconnects by itself, and uses no database that another server has to itself."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path

import asyncpg
import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.server.errors import StoreError
from liarsdice.server.live.live_table import ANSWER_TIMEOUT_S
from liarsdice.server.settings import PostgresUrl
from liarsdice.server.storage import postgres
from liarsdice.server.storage.postgres import LOCK_KEY, MIGRATION_KEY, PostgresConnections, PostgresStore, cause_of
from liarsdice.server.storage.store import LogAppend
from liarsdice.server.table.log_entries import LogRow, Spoke
from tests.postgres_server import PostgresServer
from tests.server.storage.stored_tables import BLOCKED_SESSIONS, DISCONNECT, append, heartbeats

SOCKET = ".s.PGSQL.5432"
DISCONNECT_LOCK_HOLDER = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "LOCK_TIMEOUT_S", 0.1)
    monkeypatch.setattr(postgres, "RETRY_S", 0.0)
    monkeypatch.setattr(postgres, "ALONE_TRY_S", 0.0)


@pytest.fixture
def mortal_server() -> Iterator[PostgresServer]:
    with PostgresServer("-c", "fsync=off") as server:
        yield server


def talk(text: str) -> LogAppend:
    """The second entry of the table ABCD."""
    return LogAppend("ABCD", 1, (LogRow(2, 1_001, text, Spoke(1, text)),), None, listed=True)


async def lock_is_free(administrator: "asyncpg.Connection[asyncpg.Record]") -> None:
    """Wait until nobody has the lock: the database notices only after a while that a server has ended."""
    await administrator.execute("SELECT pg_advisory_lock($1)", LOCK_KEY)
    await administrator.execute("SELECT pg_advisory_unlock($1)", LOCK_KEY)


class Network:
    """A socket in a folder that leads to the server in another one. While `delivers` is not set, nothing arrives."""

    def __init__(self, server: Path) -> None:
        self.delivers = asyncio.Event()
        self.delivers.set()
        self._server = server / SOCKET
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    @asynccontextmanager
    async def between(cls, server: Path, client: Path) -> AsyncIterator["Network"]:
        network = cls(server)
        listener = await asyncio.start_unix_server(network._accept, client / SOCKET)
        yield network
        listener.close()
        for task in network._tasks:
            task.cancel()
        await asyncio.gather(*network._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self.delivers.is_set():
            await self.delivers.wait()
            writer.close()
            return
        server_reader, server_writer = await asyncio.open_unix_connection(self._server)
        self._forward(reader, server_writer)
        self._forward(server_reader, writer)

    def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._tasks.add(asyncio.create_task(self._copy(reader, writer)))

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError), closing(writer):
            while content := await reader.read(65_536):
                await self.delivers.wait()
                writer.write(content)
            await self.delivers.wait()


async def test_a_server_is_refused_while_somebody_else_has_the_database_to_itself(
    postgres_url: PostgresUrl, administrator: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    await administrator.execute("SET application_name = 'liarsdice other'")
    await administrator.execute("SELECT pg_advisory_lock($1)", LOCK_KEY)
    store = PostgresStore(postgres_url)
    with pytest.raises(UnavailableError, match=r"another server \(liarsdice other\) uses the database"):
        await store.open(0)
    await administrator.execute("SELECT pg_advisory_unlock($1)", LOCK_KEY)
    await store.open(0)
    assert not await administrator.fetchval("SELECT pg_try_advisory_lock($1)", LOCK_KEY), "whoever wants it alone waits"
    await store.close()


async def test_an_operator_who_needs_the_database_alone_is_refused_while_a_server_runs(
    postgres_url: PostgresUrl, administrator: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    store, connections = PostgresStore(postgres_url), PostgresConnections(postgres_url)
    await store.open(0)
    with pytest.raises(UnavailableError, match=rf"another server \(liarsdice .* {os.getpid()} [0-9a-f]+\) uses"):
        await connections.open(alone=True)
    await store.close()
    await lock_is_free(administrator)
    assert await connections.open(alone=True)
    await connections.close()


async def test_a_node_with_other_keys_is_refused_while_one_runs(
    postgres_url: PostgresUrl, administrator: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    first, same, other = (PostgresStore(postgres_url, keys_digest=digest) for digest in ("0123abcd",) * 2 + ("9" * 8,))
    await first.open(0)
    await same.open(0)
    with pytest.raises(UnavailableError, match=rf"the server on .* \(process {os.getpid()}\), .* has other keys: copy"):
        await other.open(0)
    await first.close()
    await same.close()
    await lock_is_free(administrator)
    await other.open(0)
    await other.close()


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


@pytest.fixture
async def network(
    postgres_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Network]:
    """A network between the store and the server, and short waits for what it swallows."""
    monkeypatch.setattr(postgres, "COMMAND_TIMEOUT_S", 0.5)
    monkeypatch.setattr(postgres, "CONNECT_TIMEOUT_S", 0.5)
    async with asyncio.timeout(60), Network.between(postgres_server.folder, tmp_path) as network:
        yield network


@pytest.fixture
def network_url(postgres_url: PostgresUrl, tmp_path: Path) -> PostgresUrl:
    """The database through the network."""
    return PostgresUrl(f"{postgres_url.url.partition('?')[0]}?host={tmp_path}")


async def test_calls_fail_while_the_network_swallows_everything_and_succeed_afterwards(
    network: Network, network_url: PostgresUrl
) -> None:
    store = PostgresStore(network_url)
    await store.open(0)
    await append(store, "ABCD", 1_000, None, listed=True)
    network.delivers.clear()
    work = (append(store, "EFGH", 1_000, None, listed=True), store.load_state("ABCD"), store.heartbeat(1))
    results = await asyncio.gather(*work, return_exceptions=True)
    assert [type(result) for result in results] == [StoreError] * 3
    assert not await heartbeats(store)
    network.delivers.set()
    while not await heartbeats(store):
        pass
    await append(store, "GHIJ", 1_000, None, listed=True)
    network.delivers.clear()
    await store.close()


async def test_an_append_whose_answer_was_lost_is_not_written_after_the_store_has_reconnected(
    network: Network, network_url: PostgresUrl, administrator: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    store = PostgresStore(network_url)
    await store.open(0)
    await append(store, "ABCD", 1_000, None, listed=True)
    async with administrator.transaction():
        await administrator.execute("SELECT FROM tables FOR UPDATE")
        lost = asyncio.create_task(store.append(talk("lost")))
        while not await administrator.fetchval(BLOCKED_SESSIONS):
            pass
        network.delivers.clear()
        with pytest.raises(StoreError):
            await lost
        while await heartbeats(store):
            pass
        network.delivers.set()
        while not await heartbeats(store):
            pass
        assert await store.heads(["ABCD"]) == {"ABCD": 1}
    assert await store.append(talk("next")), "the lost append was written"
    await store.close()


async def test_a_database_that_takes_no_writes_is_refused(postgres_url: PostgresUrl) -> None:
    store = PostgresStore(PostgresUrl(f"{postgres_url.url}&default_transaction_read_only=on"))
    with pytest.raises(UnavailableError, match="read-only transaction"):
        await store.open(0)


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
