"""The end of a connection, by every means, leaves nothing that waits for the garbage collector."""

import asyncio
import gc
import logging
import math
import socket
import struct
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import uvloop

from liarsdice.server import run
from liarsdice.server.http import websocket
from liarsdice.server.http.connections import SWEEP_EVERY_S, WRITE_TIMEOUT_S, ConnectionLimits, LimitedConfig
from tests.server.http.fake_transport import FakeClock, frame
from tests.server.live_tables import PATIENCE_S
from tests.server.running_server import run_server

CONTINUATION, TEXT, CLOSE, PING = 0, 1, 8, 9
CLOSE_FRAME = b"\x88"
MAX_LEFT_BYTES = 1024
VISITS, MAX_ROUNDS = 12, 6
CODE = "{code}"
GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
HELLO = frame(TEXT, b'{"type":"hello","last_seq":0}')
SAY = frame(TEXT, b'{"type":"do","id":"a","command":{"type":"say","text":"hello"}}')


def upgrade(path: str = f"/ws/{CODE}", version: int = 13) -> bytes:
    """A request to become a WebSocket."""
    return (
        f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: {version}\r\n\r\n"
    ).encode()


End = Callable[[socket.socket], None]


def close(client: socket.socket) -> None:
    """Close the connection from this side, whatever has come."""
    client.shutdown(socket.SHUT_WR)
    read_to_end(client)


def reset(client: socket.socket) -> None:
    """Reset the connection, once something has come, as a phone does that is switched off."""
    client.recv(1)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def reset_at_once(client: socket.socket) -> None:
    """Reset the connection without reading anything."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def read_to_end(client: socket.socket) -> None:
    """Wait until the server closes the connection."""
    with suppress(ConnectionError):
        while (data := client.recv(65_536)) and CLOSE_FRAME not in data:
            pass


def read_nothing(client: socket.socket) -> None:
    """Wait until the server gives up; what is in its send buffer keeps the client from seeing the end."""


MEANS: dict[str, tuple[bytes, End] | tuple[bytes, End, bytes]] = {
    "nothing sent": (b"", close),
    "keep-alive": (GET, close),
    "requests one after another": (GET * 3, close),
    "pipelining": (GET * 8, reset_at_once),
    "too much pipelining": (GET * 20, read_to_end),
    "half a request": (GET[:20], close),
    "half a body": (b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{", reset_at_once),
    "no HTTP": (b"\x16\x03\x01\x02", read_to_end),
    "an answer that is reset": (GET, reset),
    "a slow head": (GET[:20], read_nothing),
    "an upgrade of another version": (upgrade(version=8), read_to_end),
    "an upgrade without a key": (upgrade().replace(b"Sec-WebSocket-Key", b"X"), read_to_end),
    "an upgrade elsewhere": (upgrade("/elsewhere"), read_to_end),
    "an upgrade from another page": (upgrade()[:-2] + b"Origin: http://evil.example\r\n\r\n", read_to_end),
    "an upgrade that is reset": (upgrade(), reset_at_once),
    "no table": (upgrade("/ws/AAAAA"), read_to_end),
    "no hello": (upgrade(), read_to_end),
    "a close before the hello": (upgrade(), read_to_end, frame(CLOSE)),
    "a reset before the hello": (upgrade(), reset),
    "another message than hello": (upgrade(), read_to_end, SAY),
    "a normal close": (upgrade(), read_to_end, HELLO + frame(CLOSE, b"\x03\xe8")),
    "a close without its frame": (upgrade(), close, HELLO),
    "a reset": (upgrade(), reset, HELLO),
    "pings": (upgrade(), read_to_end, HELLO + frame(PING) * 200),
    "a burst of messages": (upgrade(), read_to_end, HELLO + SAY * 60),
    "a burst of many messages": (upgrade(), read_to_end, HELLO + SAY * 400),
    "a long frame": (
        upgrade(),
        read_to_end,
        HELLO + b"\x81\xff" + (1 << 24).to_bytes(8, "big") + bytes(4) + bytes(4096),
    ),
    "fragments": (upgrade(), read_to_end, HELLO + frame(TEXT, fin=False) + frame(CONTINUATION, b"x", fin=False) * 80),
    "half a frame": (upgrade(), close, HELLO + SAY[:20]),
    "no UTF-8": (upgrade(), read_to_end, HELLO + frame(TEXT, b"\xff")),
    "a frame without a mask": (upgrade(), read_to_end, HELLO + b"\x81\x00"),
    "no pongs": (upgrade(), read_to_end, HELLO),
    "unread updates": (upgrade(), read_nothing, HELLO + SAY * 39),
}
"""What the client sends, what it does then before it closes its socket, and the frames that it sends before that."""


@pytest.fixture
def traced() -> Iterator[None]:
    """Count the memory in use; there is no garbage collection meanwhile, and pytest keeps no log."""
    logging.disable()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        tracemalloc.stop()
        gc.enable()
        logging.disable(logging.NOTSET)


@pytest.mark.parametrize("means", MEANS)
@pytest.mark.usefixtures("traced")
def test_the_end_of_a_connection_leaves_less_than_a_kilobyte_for_the_garbage_collector(
    means: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if means == "no hello":
        monkeypatch.setattr(websocket, "HELLO_TIMEOUT_S", 0.01)
    if means == "no pongs":
        config = partial(LimitedConfig, ws_ping_interval=0.01, ws_ping_timeout=0.01)
        monkeypatch.setattr(run, "LimitedConfig", config)
    listen = socket.create_server

    def listen_with_little_room(address: tuple[str, int]) -> socket.socket:
        listener = listen(address)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
        return listener

    monkeypatch.setattr(socket, "create_server", listen_with_little_room)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        left_bytes = runner.run(bytes_left(tmp_path / "db", *MEANS[means]))
    assert left_bytes < MAX_LEFT_BYTES


async def bytes_left(database: Path, sent: bytes, end: End, frames: bytes = b"") -> float:
    """How many bytes each of some connections leaves in memory, at least; caches fill in the first rounds."""
    clock = FakeClock()
    limits = ConnectionLimits(now_s=clock)
    async with run_server(database, limits=limits) as server, asyncio.timeout(PATIENCE_S):
        browser = server.browser()
        data = sent.replace(CODE.encode(), (await server.open_table(browser)).encode())
        await browser.aclose()
        address = urlsplit(server.address)
        waiting, gone = threading.Event(), threading.Event()

        def visit() -> None:
            with socket.socket() as client, suppress(ConnectionError):
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
                client.connect((address.hostname, address.port))
                client.sendall(data)
                if frames:
                    client.recv(65_536)
                    client.sendall(frames)
                if end is read_nothing:
                    waiting.set()
                    gone.wait(PATIENCE_S)
                end(client)

        async def visits() -> int:
            for _ in range(VISITS):
                waiting.clear()
                gone.clear()
                visiting = asyncio.create_task(asyncio.to_thread(visit))
                while not visiting.done() or len(limits):
                    await asyncio.sleep(0.001)
                    if waiting.is_set():
                        clock.now_s += SWEEP_EVERY_S
                        limits.sweep()
                        if not len(limits):
                            gone.set()
            clock.now_s += WRITE_TIMEOUT_S  # budgets are full again
            await asyncio.sleep(0.05)
            return tracemalloc.get_traced_memory()[0]

        tracemalloc.start()
        in_use = [await visits()]
        left_bytes: list[float] = []
        while len(left_bytes) < MAX_ROUNDS and min(left_bytes, default=math.inf) >= MAX_LEFT_BYTES:
            in_use.append(await visits())
            left_bytes.append((in_use[-1] - in_use[-2]) / VISITS)
        return min(left_bytes)
