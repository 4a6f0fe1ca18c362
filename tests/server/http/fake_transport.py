"""A protocol of the server on a transport without a socket: a test feeds it bytes and sees what it writes."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from uvicorn.server import ServerState

from liarsdice.server.http.connections import ConnectionLimits, HttpProtocol, LimitedConfig, WebSocketProtocol
from tests.server.live_tables import PATIENCE_S

HERE = "192.0.2.1"
UPGRADE = (
    b"GET /ws HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
App = Callable[[object, Receive, Send], Awaitable[None]]


class FakeClock:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


class FakeTransport(asyncio.Transport):
    """Keeps what is written. `unsent_bytes`: how much of that the client has not read."""

    def __init__(self, address: str = HERE) -> None:
        super().__init__({"peername": (address, 50_000), "sockname": ("192.0.2.99", 80)})
        self.written = b""
        self.unsent_bytes = 0
        self.aborted = False
        self._wrote = asyncio.Event()
        self._closing = False
        self._protocol: asyncio.BaseProtocol = asyncio.Protocol()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += data
        self._wrote.set()

    async def wait_until_written(self, text: bytes) -> None:
        """Wait until this is part of what was written."""
        async with asyncio.timeout(PATIENCE_S):
            while text not in self.written:
                self._wrote.clear()
                await self._wrote.wait()

    def close(self) -> None:
        self._closing = True

    def abort(self) -> None:
        self._closing = self.aborted = True

    def is_closing(self) -> bool:
        return self._closing

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass

    def get_write_buffer_size(self) -> int:
        return self.unsent_bytes

    def get_protocol(self) -> asyncio.BaseProtocol:
        return self._protocol

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._protocol = protocol


class FakeServer:
    """Makes connections to an application; `refused` lists the reasons why some were refused or closed."""

    def __init__(self, app: App, *, max_connections: int = 0, per_address: int = 0, new_per_minute: int = 0) -> None:
        self.clock = FakeClock()
        self.refused: list[str] = []
        self.limits = ConnectionLimits(
            max_connections=max_connections,
            per_address=per_address,
            new_per_minute=new_per_minute,
            on_refused=self.refused.append,
            now_s=self.clock,
        )
        self.config = LimitedConfig(app, http=HttpProtocol, ws=WebSocketProtocol, lifespan="off", log_config=None)
        self.config.limits = self.limits
        self.config.load()
        self.state = ServerState()

    def connect(self, address: str = HERE) -> FakeTransport:
        """A new connection, which nothing has come over yet."""
        transport = FakeTransport(address)
        protocol = HttpProtocol(self.config, self.state, {})
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        return transport

    async def connect_websocket(self) -> FakeTransport:
        """A connection that is a WebSocket, whose handshake has been answered."""
        transport = self.connect()
        feed(transport, UPGRADE)
        await transport.wait_until_written(b"HTTP/1.1 101 ")
        transport.written = b""
        return transport

    def pass_time(self, seconds: float) -> None:
        """Let some time pass, after which the deadlines are checked."""
        self.clock.now_s += seconds
        self.limits.sweep()


def feed(transport: FakeTransport, data: bytes) -> None:
    """Let data arrive in one piece."""
    protocol = transport.get_protocol()
    assert isinstance(protocol, asyncio.Protocol)
    protocol.data_received(data)


def lose(transport: FakeTransport) -> None:
    """Let the connection be lost."""
    protocol = transport.get_protocol()
    assert isinstance(protocol, asyncio.Protocol)
    protocol.connection_lost(None)


def frame(opcode: int, payload: bytes = b"", *, fin: bool = True) -> bytes:
    """A short frame of a client, masked with zeros."""
    assert len(payload) < 126
    return bytes([opcode | (0x80 if fin else 0), 0x80 | len(payload), 0, 0, 0, 0]) + payload


async def never_answer(_: object, __: Receive, ___: Send) -> None:
    """An application that thinks for ever."""
    await asyncio.Event().wait()
