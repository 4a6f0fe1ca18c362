"""A bus over the publish-subscribe channels of Redis, or of a server with its protocol. Needs the extra `redis`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from liarsdice.server.bus.remote_event_bus import BusConnection, ConnectBus

TIMEOUT_S = 3.0


def redis_bus(url: str, channel: str) -> ConnectBus:
    """Return what connects to a channel of the server at a URL."""

    async def connect(receive: Callable[[bytes | str], None], on_lost: Callable[[], None]) -> BusConnection:
        client = Redis.from_url(
            url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S, retry=Retry(NoBackoff(), 0)
        )
        subscription = client.pubsub(ignore_subscribe_messages=True)
        try:
            await subscription.subscribe(channel)
        except BaseException:
            await subscription.aclose()  # type: ignore[no-untyped-call]  # redis has no type for it
            await client.aclose()
            raise
        return _RedisBus(client, subscription, channel, receive, on_lost)

    return connect


class _RedisBus:
    """A client that publishes, and a task that reads the subscription."""

    def __init__(
        self,
        client: Redis,
        subscription: PubSub,
        channel: str,
        receive: Callable[[bytes | str], None],
        on_lost: Callable[[], None],
    ) -> None:
        self._client, self._subscription, self._channel = client, subscription, channel
        self._receive = receive
        self._reading = asyncio.get_running_loop().create_task(self._read())
        self._on_lost = on_lost
        self._reading.add_done_callback(self._on_read_ended)

    async def send(self, payloads: Sequence[bytes]) -> None:
        """As `BusConnection.send`."""
        async with self._client.pipeline(transaction=False) as pipeline:
            for payload in payloads:
                _ = pipeline.publish(self._channel, payload)
            await pipeline.execute()

    async def close(self) -> None:
        """As `BusConnection.close`."""
        self._reading.cancel()
        await asyncio.wait([self._reading])
        await self._subscription.aclose()  # type: ignore[no-untyped-call]  # as above
        await self._client.aclose()

    def _on_read_ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            task.exception()  # it is the reason, which the bus does not need
            self._on_lost()

    async def _read(self) -> None:
        while True:
            message = await self._subscription.get_message(timeout=None)
            if message is not None and message["type"] == "message":
                self._receive(message["data"])
