"""The bus that needs nothing but the database: notifications of PostgreSQL. Needs the extra `postgresql`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import asyncpg

from liarsdice.server.bus.remote_event_bus import BusConnection, ConnectBus
from liarsdice.server.settings import PostgresUrl

CHANNEL = "liarsdice"
TIMEOUT_S = 3.0
NOTIFY = "SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload"
"""A transaction of its own: PostgreSQL lets only one transaction with notifications commit at a time."""


def postgres_bus(url: PostgresUrl) -> ConnectBus:
    """Return what connects to the notifications of a database."""

    async def connect(receive: Callable[[bytes | str], None], on_lost: Callable[[], None]) -> BusConnection:
        listening, sending = await _connect(url, "listens"), None
        try:
            listening.add_termination_listener(lambda *_: on_lost())
            await listening.add_listener(CHANNEL, lambda _, __, ___, payload: receive(str(payload)))
            sending = await _connect(url, "notifies")
            sending.add_termination_listener(lambda *_: on_lost())
        except BaseException:
            listening.terminate()
            raise
        return _PostgresBus(listening, sending)

    return connect


async def _connect(url: PostgresUrl, purpose: str) -> asyncpg.Connection[asyncpg.Record]:
    return await asyncpg.connect(
        url.url,
        timeout=TIMEOUT_S,
        command_timeout=TIMEOUT_S,
        server_settings={"application_name": f"liarsdice bus {purpose}", "jit": "off"},
    )


class _PostgresBus:
    """One connection that listens, and one that notifies, so that neither waits for the other."""

    def __init__(
        self, listening: asyncpg.Connection[asyncpg.Record], sending: asyncpg.Connection[asyncpg.Record]
    ) -> None:
        self._listening, self._sending = listening, sending

    async def send(self, payloads: Sequence[bytes]) -> None:
        """As `BusConnection.send`."""
        await self._sending.execute(NOTIFY, CHANNEL, [payload.decode() for payload in payloads])

    async def close(self) -> None:
        """As `BusConnection.close`. Waits for no answer, because the server may give none."""
        self._listening.terminate()
        self._sending.terminate()
        await asyncio.sleep(0)
