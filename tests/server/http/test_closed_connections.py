"""A closed connection is freed at once: nothing of it waits for a full garbage collection, which is rare."""

import asyncio
import gc
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from litestar.connection import WebSocket

from liarsdice.server.http.http_protocol import HttpProtocol
from liarsdice.server.http.websocket_protocol import BudgetedServerProtocol, WebSocketProtocol
from liarsdice.server.live.connection import Connection
from tests.server.live_tables import PATIENCE_S
from tests.server.running_server import RunningServer, say_hello

PARTS = (BudgetedServerProtocol, Connection, HttpProtocol, WebSocket, WebSocketProtocol)


def count_parts() -> Counter[str]:
    """How many parts of connections are in memory, garbage included."""
    return Counter(kind.__name__ for part in gc.get_objects() for kind in PARTS if type(part) is kind)


@asynccontextmanager
async def nothing_is_left() -> AsyncIterator[None]:
    """Wait until no part is left of the connections that were made inside, without a garbage collection."""
    gc.collect()
    gc.disable()
    try:
        before = count_parts()
        yield
        async with asyncio.timeout(PATIENCE_S):
            while count_parts() - before:  # noqa: ASYNC110  the server notices the end of a connection later
                await asyncio.sleep(0)  # parts of earlier connections may go meanwhile
    finally:
        gc.enable()


@pytest.mark.parametrize("aborted", [False, True])
async def test_a_closed_connection_leaves_nothing_for_the_garbage_collector(
    aborted: bool, server: RunningServer
) -> None:
    """Nor does one that is lost, as those of phones are, instead of closed by a handshake."""
    browser = server.browser()
    code = await server.open_table(browser)
    async with nothing_is_left():
        for _ in range(5):
            async with server.connect(code, browser) as socket:
                await say_hello(socket)
                if aborted:
                    socket.transport.abort()


async def test_a_closed_connection_that_was_used_for_requests_leaves_nothing_either(server: RunningServer) -> None:
    async with nothing_is_left():
        for _ in range(5):
            async with httpx.AsyncClient(base_url=server.address) as browser:
                assert (await browser.get("/api/lobby")).is_success
