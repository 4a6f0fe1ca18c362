"""A closed connection is freed at once: nothing of it waits for a full garbage collection, which is rare."""

import asyncio
import gc
from collections import Counter

from litestar.connection import WebSocket

from liarsdice.server.http.http_protocol import HttpProtocol
from liarsdice.server.http.websocket_protocol import WebSocketProtocol
from liarsdice.server.live.connection import Connection
from tests.server.live_tables import PATIENCE_S
from tests.server.running_server import RunningServer, say_hello

PARTS = (Connection, HttpProtocol, WebSocket, WebSocketProtocol)


def count_parts() -> Counter[str]:
    """How many parts of connections are in memory, garbage included."""
    return Counter(kind.__name__ for part in gc.get_objects() for kind in PARTS if type(part) is kind)


async def test_a_closed_connection_leaves_nothing_for_the_garbage_collector(server: RunningServer) -> None:
    browser = server.browser()
    code = await server.open_table(browser)
    gc.collect()
    gc.disable()
    try:
        before = count_parts()
        for _ in range(5):
            async with server.connect(code, browser) as socket:
                await say_hello(socket)
        async with asyncio.timeout(PATIENCE_S):
            while count_parts() != before:  # noqa: ASYNC110  the server notices the end of a connection later
                await asyncio.sleep(0)
    finally:
        gc.enable()
