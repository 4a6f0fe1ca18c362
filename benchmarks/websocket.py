"""A WebSocket client that costs next to nothing, for crowds: whole frames of text, no extensions, masks of zeros."""

import asyncio
from typing import cast

HELLO = b'{"type":"hello","have":0}'
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


class Line(asyncio.Protocol):
    """One WebSocket, as little as it takes."""

    def __init__(self, path: str, cookie: str) -> None:
        self._path, self._cookie = path, cookie
        self.open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.closed = False
        self.transport: asyncio.Transport | None = None
        self._rest = b""
        self._greeted = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the WebSocket."""
        self.transport = cast("asyncio.Transport", transport)  # which uvloop's are not by class, but by what they do
        self.transport.write(
            f"GET {self._path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            f"Cookie: {self._cookie}\r\n\r\n".encode()
        )

    def connection_lost(self, error: Exception | None) -> None:
        """Note it."""
        self.closed = True
        if not self.open.done():
            self.open.set_exception(error or ConnectionError("closed before it was open"))

    def data_received(self, data: bytes) -> None:
        """Take whole frames from what has come so far."""
        data = self._rest + data if self._rest else data
        place, length = 0, len(data)
        if not self._greeted:
            end = data.find(b"\r\n\r\n")
            if end < 0:
                self._rest = data
                return
            assert data.startswith(b"HTTP/1.1 101"), data[:200]
            self._greeted, place = True, end + 4
            self.say(HELLO)
        while length - place >= 2:
            size, start = data[place + 1], place + 2
            if size == 126:
                size, start = int.from_bytes(data[place + 2 : place + 4], "big"), place + 4
            elif size == 127:
                size, start = int.from_bytes(data[place + 2 : place + 10], "big"), place + 10
            if start > length or start + size > length:
                break
            self._frame(data[place] & 15, data[start : start + size])
            place = start + size
        self._rest = data[place:]

    def _frame(self, kind: int, body: bytes) -> None:
        if kind == TEXT:
            if not self.open.done():
                self.open.set_result(None)
            self.heard(body)
        elif kind == PING:
            self.say(body, PONG)
        elif kind == CLOSE and self.transport is not None:
            self.closed = True
            self.transport.abort()

    def heard(self, body: bytes) -> None:
        """Take a message."""

    def say(self, body: bytes, kind: int = TEXT) -> None:
        """Send a message, masked with zeros."""
        assert self.transport is not None
        self.transport.write(framed(body, kind))


def framed(body: bytes, kind: int = TEXT) -> bytes:
    """A message in a frame as clients send it, masked with zeros."""
    size = len(body)
    head = bytes((0x80 | kind, 0x80 | size)) if size < 126 else bytes((0x80 | kind, 0xFE)) + size.to_bytes(2, "big")
    return head + b"\0\0\0\0" + body
