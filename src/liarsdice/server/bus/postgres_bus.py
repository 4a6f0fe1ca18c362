"""The bus that needs nothing but the database: notifications of PostgreSQL. Needs the extra `postgresql`."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Protocol

import asyncpg
import structlog

from liarsdice.server.bus.event_bus import (
    MAX_KEY_LENGTH,
    MAX_VALUE_LENGTH,
    EventBus,
    decode_payload,
    encode_payloads,
)
from liarsdice.server.settings import PostgresUrl

LOG = structlog.get_logger()
MAX_WAITING = 20_000
"""How many messages wait for a bus that does not work. Beyond that, the oldest are dropped."""

SEND_EVERY_S = 0.02
"""The shortest time between two batches: a busy node sends many messages together, a calm one sends each at once."""

CHECK_EVERY_S = 1.0
LOST_AFTER_S = 3.0
"""After this long without a message of its own, a node connects again."""

RETRY_S = (0.1, 5.0)
"""How long a node waits before it connects again, at first and at most."""

CHECK = "check"
"""The channel of the messages that a node sends to itself."""


class BusConnection(Protocol):
    """A connection to a bus, which works until it reports that it is lost."""

    async def send(self, payloads: Sequence[bytes]) -> None:
        """Send payloads to all nodes, this one included. May raise anything if the bus fails."""
        ...

    async def close(self) -> None:
        """End the connection, also one that is lost."""
        ...


ConnectBus = Callable[[Callable[[bytes | str], None], Callable[[], None]], Awaitable[BusConnection]]
"""Connects to a bus. Takes a function that receives payloads, and one to call when the connection is lost."""


class RemoteEventBus(EventBus):
    """An `EventBus` over connections that `connect` makes. `name`: what the log calls it, without a password."""

    def __init__(self, connect: ConnectBus, name: str) -> None:
        super().__init__()
        self.works = False
        self._connect = connect
        self._name = name
        self._waiting: dict[tuple[str, str], str] = {}
        self._wake = asyncio.Event()
        self._heard = asyncio.Event()
        self._heard_at_s = 0.0
        self._lost = self._failed = self._closing = False
        self._running: asyncio.Task[None] | None = None
        self._connection: BusConnection | None = None

    def publish(self, channel: str, key: str, value: str) -> None:
        """As `EventBus.publish`."""
        assert len(key) <= MAX_KEY_LENGTH
        assert len(value) <= MAX_VALUE_LENGTH
        self._waiting[channel, key] = value
        while len(self._waiting) > MAX_WAITING:
            del self._waiting[next(iter(self._waiting))]
        self._wake.set()

    async def open(self) -> None:
        """As `EventBus.open`."""
        self._running = asyncio.get_running_loop().create_task(self._run())

    async def close(self) -> None:
        """As `EventBus.close`."""
        if self._running is None:
            return
        self._closing = True
        self._running.cancel()
        with suppress(asyncio.CancelledError):
            await self._running
        if self._connection is not None:
            with suppress(Exception):  # nobody is told of a failure any more
                async with asyncio.timeout(TIMEOUT_S):
                    await self._connection.send(self._take_waiting())
            await self._end_connection()

    async def _run(self) -> None:
        """Connect and exchange messages, again and again."""
        retry_s = RETRY_S[0]
        while True:
            self._lost = False
            try:
                async with asyncio.timeout(TIMEOUT_S):
                    self._connection = await self._connect(self._receive, self._on_lost)
                await self._check(self._connection)
                retry_s = RETRY_S[0]
                await self._exchange(self._connection)
            except Exception as error:  # noqa: BLE001  every driver has errors of its own, and none may end this
                self._report_failure(error)
            finally:
                if not self._closing:
                    await self._end_connection()
            await asyncio.sleep(random.uniform(0.5, 1) * retry_s)  # noqa: S311  it spreads the nodes
            retry_s = min(2 * retry_s, RETRY_S[1])

    async def _end_connection(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):
                async with asyncio.timeout(TIMEOUT_S):
                    await connection.close()

    async def _check(self, connection: BusConnection) -> None:
        """Wait until a message of this node comes back. Raises `TimeoutError` and `ConnectionError`."""
        self._heard.clear()
        async with asyncio.timeout(TIMEOUT_S):
            await connection.send(list(encode_payloads(self.node_id, [(CHECK, "", "")])))
            await self._heard.wait()
        if self._lost:
            raise ConnectionError
        self.gap_count += 1
        self.works = True
        if self._failed:
            self._failed = False
            LOG.info("bus_works_again", bus=self._name)

    async def _exchange(self, connection: BusConnection) -> None:
        """Send what waits until the connection is lost. Raises what the connection raises, and `OSError`."""
        loop = asyncio.get_running_loop()
        next_check_s = loop.time()
        while not self._lost:
            self._wake.clear()
            sent, payloads = self._waiting, self._take_waiting()
            now_s = loop.time()
            if now_s >= next_check_s:
                if now_s - self._heard_at_s > LOST_AFTER_S:
                    raise TimeoutError
                payloads += encode_payloads(self.node_id, [(CHECK, "", "")])
                next_check_s = now_s + CHECK_EVERY_S
                loop.call_later(CHECK_EVERY_S, self._wake.set)
            if payloads:
                try:
                    async with asyncio.timeout(TIMEOUT_S):
                        await connection.send(payloads)
                except BaseException:
                    self._waiting = sent | self._waiting  # these may arrive twice, which does no harm
                    raise
                await asyncio.sleep(SEND_EVERY_S)
            await self._wake.wait()
        raise ConnectionError

    def _take_waiting(self) -> list[bytes]:
        waiting, self._waiting = self._waiting, {}
        return list(encode_payloads(self.node_id, ((channel, key, value) for (channel, key), value in waiting.items())))

    def _receive(self, payload: bytes | str) -> None:
        """Call the listeners with the messages of a payload."""
        decoded = decode_payload(payload)
        if decoded is None:
            return
        node_id, messages = decoded
        if node_id == self.node_id:
            self._heard_at_s = asyncio.get_running_loop().time()
            self._heard.set()
            return
        for channel, key, value in messages:
            self.deliver(channel, key, value, node_id)

    def _on_lost(self) -> None:
        self._lost = True
        self._wake.set()
        self._heard.set()

    def _report_failure(self, error: Exception) -> None:
        """Log the first of several failures, by its class, because messages of drivers may contain addresses."""
        self.works = False
        if not self._failed:
            self._failed = True
            LOG.warning("bus_failed", bus=self._name, error=type(error).__name__)


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
