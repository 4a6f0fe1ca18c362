"""The buses over real servers: messages arrive, and do so again after the connection was lost."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator

import asyncpg
import pytest

from liarsdice.server.bus import remote_event_bus
from liarsdice.server.bus.event_bus import MAX_VALUE_LENGTH
from liarsdice.server.bus.nats_bus import nats_bus
from liarsdice.server.bus.postgres_bus import postgres_bus
from liarsdice.server.bus.redis_bus import redis_bus
from liarsdice.server.bus.remote_event_bus import ConnectBus, RemoteEventBus
from liarsdice.server.database_url import PostgresUrl
from tests.bus_servers import BusServer

PATIENCE_S = 60.0
END_SESSIONS = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE datname = current_database() AND application_name LIKE 'liarsdice bus%'
"""
CONNECT = {"redis": redis_bus, "nats": nats_bus}
needs_servers = pytest.mark.skipif(sys.platform != "linux", reason="the wheels with these servers are for Linux")


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not holds():  # noqa: ASYNC110  the condition depends on tasks of the bus
            await asyncio.sleep(0.001)


async def exchange(connect: ConnectBus, disconnect: Callable[[], Awaitable[object]]) -> None:
    """Send messages from one node to another, before and after both lose their connections."""
    first, second = (RemoteEventBus(connect, "bus") for _ in range(2))
    received: list[tuple[str, str, str]] = []
    second.subscribe("tables", lambda *message: received.append(message))
    await first.open()
    await second.open()
    try:
        await send_many(first, second, received)
        gaps = (first.gap_count, second.gap_count)
        await disconnect()
        await until(lambda: first.gap_count > gaps[0] and second.gap_count > gaps[1])
        await send_many(first, second, received)
    finally:
        await first.close()
        await second.close()


async def send_many(first: RemoteEventBus, second: RemoteEventBus, received: list[tuple[str, str, str]]) -> None:
    await until(lambda: first.gap_count > 0 and second.gap_count > 0)
    received.clear()
    long_value = "é" * MAX_VALUE_LENGTH
    for number in range(50):
        first.publish("tables", f"T{number}", long_value)
    await until(lambda: len({key for key, _, _ in received}) == 50)
    assert {value for _, value, _ in received} == {long_value}


async def test_messages_are_notifications_of_postgresql(postgres_url: PostgresUrl) -> None:
    async def disconnect() -> None:
        administrator = await asyncpg.connect(postgres_url.url)
        assert await administrator.fetchval(END_SESSIONS) == 4
        await administrator.close()

    await exchange(postgres_bus(postgres_url), disconnect)


@pytest.fixture(params=["redis", "nats"])
def bus_server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[BusServer]:
    monkeypatch.setattr(remote_event_bus, "RETRY_S", (0.05, 0.05))
    with BusServer(request.param) as server:
        yield server


@needs_servers
async def test_messages_go_over_redis_and_nats_also_after_a_crash_of_these(bus_server: BusServer) -> None:
    async def crash() -> None:
        await asyncio.to_thread(bus_server.kill)
        await asyncio.to_thread(bus_server.start)

    await exchange(CONNECT[bus_server.kind](bus_server.url, "club"), crash)


def record_keys(bus: RemoteEventBus, keys: list[str]) -> None:
    bus.subscribe("tables", lambda key, _, __: keys.append(key))


@needs_servers
async def test_channels_of_one_server_are_separate(bus_server: BusServer) -> None:
    buses = [RemoteEventBus(CONNECT[bus_server.kind](bus_server.url, channel), "bus") for channel in ("a", "b", "a")]
    received: list[list[str]] = [[] for _ in buses]
    for bus, keys in zip(buses, received, strict=True):
        record_keys(bus, keys)
        await bus.open()
    await until(lambda: all(bus.gap_count > 0 for bus in buses))
    buses[1].publish("tables", "OTHER", "1")
    buses[0].publish("tables", "ABCD", "1")
    await until(lambda: bool(received[2]))
    assert received == [[], [], ["ABCD"]]
    for bus in buses:
        await bus.close()
