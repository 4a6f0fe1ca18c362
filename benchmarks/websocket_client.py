"""A minimal WebSocket client for thousands of connections: unfragmented text, no extensions, masks of zeros."""

import asyncio
from typing import cast

HELLO = b'{"type":"hello","last_seq":0}'
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


class WebSocketClient(asyncio.Protocol):
    """One connection. `open` resolves with the first message; subclasses override `on_message`."""

    def __init__(self, path: str, cookie: str) -> None:
        self._path, self._cookie = path, cookie
        self.open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.closed = False
        self.transport: asyncio.Transport | None = None
        self._buffer = b""
        self._upgraded = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the handshake."""
        self.transport = cast("asyncio.Transport", transport)  # uvloop's transports have its methods only
        self.transport.write(
            f"GET {self._path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            f"Cookie: {self._cookie}\r\n\r\n".encode()
        )

    def connection_lost(self, error: Exception | None) -> None:
        """Record that the connection is closed."""
        self.closed = True
        if not self.open.done():
            self.open.set_exception(error or ConnectionError("closed before it was open"))

    def data_received(self, data: bytes) -> None:
        """Handle the frames that are complete."""
        data = self._buffer + data if self._buffer else data
        position, length = 0, len(data)
        if not self._upgraded:
            end = data.find(b"\r\n\r\n")
            if end < 0:
                self._buffer = data
                return
            assert data.startswith(b"HTTP/1.1 101"), data[:200]
            self._upgraded, position = True, end + 4
            self.send(HELLO)
        while length - position >= 2:
            size, start = data[position + 1], position + 2
            if size == 126:
                size, start = int.from_bytes(data[position + 2 : position + 4], "big"), position + 4
            elif size == 127:
                size, start = int.from_bytes(data[position + 2 : position + 10], "big"), position + 10
            if start > length or start + size > length:
                break
            self._handle_frame(data[position] & 15, data[start : start + size])
            position = start + size
        self._buffer = data[position:]

    def _handle_frame(self, kind: int, body: bytes) -> None:
        if kind == TEXT:
            if not self.open.done():
                self.open.set_result(None)
            self.on_message(body)
        elif kind == PING:
            self.send(body, PONG)
        elif kind == CLOSE and self.transport is not None:
            self.closed = True
            self.transport.abort()

    def on_message(self, body: bytes) -> None:
        """Handle a text message."""

    def send(self, body: bytes, kind: int = TEXT) -> None:
        """Send a message in one frame of a kind (opcode)."""
        assert self.transport is not None
        self.transport.write(encode_frame(body, kind))


def encode_frame(body: bytes, kind: int = TEXT) -> bytes:
    """Return a message as a client's frame, masked with zeros."""
    size = len(body)
    head = bytes((0x80 | kind, 0x80 | size)) if size < 126 else bytes((0x80 | kind, 0xFE)) + size.to_bytes(2, "big")
    return head + b"\0\0\0\0" + body
