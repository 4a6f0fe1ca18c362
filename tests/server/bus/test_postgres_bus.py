"""The bus over a real PostgreSQL server: messages arrive, and do so again after the connection was lost."""

import asyncio
from collections.abc import Awaitable, Callable

import asyncpg

from liarsdice.server.bus.event_bus import MAX_VALUE_LENGTH
from liarsdice.server.bus.postgres_bus import ConnectBus, RemoteEventBus, postgres_bus
from liarsdice.server.settings import PostgresUrl

PATIENCE_S = 60.0
END_SESSIONS = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE datname = current_database() AND application_name LIKE 'liarsdice bus%'
"""


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
