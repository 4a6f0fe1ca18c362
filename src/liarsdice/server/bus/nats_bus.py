"""A bus over a subject of NATS. Needs the extra `nats`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import nats
from nats.aio.client import Client
from nats.aio.msg import Msg

from liarsdice.server.bus.remote_event_bus import BusConnection, ConnectBus

TIMEOUT_S = 3


def nats_bus(url: str, subject: str) -> ConnectBus:
    """Return what connects to a subject of the server at a URL."""

    async def connect(receive: Callable[[bytes | str], None], on_lost: Callable[[], None]) -> BusConnection:
        async def on_message(message: Msg) -> None:
            receive(message.data)

        async def on_closed() -> None:
            on_lost()

        async def on_error(_: Exception) -> None:
            """Nothing is logged here: whoever sends finds out that the connection is lost."""

        client = await nats.connect(
            url, connect_timeout=TIMEOUT_S, allow_reconnect=False, closed_cb=on_closed, error_cb=on_error
        )
        try:
            await client.subscribe(subject, cb=on_message)
        except BaseException:
            await client.close()
            raise
        return _NatsBus(client, subject)

    return connect


class _NatsBus:
    def __init__(self, client: Client, subject: str) -> None:
        self._client, self._subject = client, subject

    async def send(self, payloads: Sequence[bytes]) -> None:
        """As `BusConnection.send`."""
        for payload in payloads:
            await self._client.publish(self._subject, payload)

    async def close(self) -> None:
        """As `BusConnection.close`."""
        await self._client.close()
