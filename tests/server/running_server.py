"""The whole application behind a real socket, in the test's own process, so that a test reaches its clock and store.

A server in a process of its own, to be killed and started again, is in `tests/processes.py`.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import msgspec
from litestar import Litestar
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from liarsdice.server.app import make_app
from liarsdice.server.http.address_limits import RateLimits
from liarsdice.server.http.auth import COOKIE, new_token
from liarsdice.server.http.connections import ConnectionLimits, LimitedServer
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.protocol.messages import CommandRequest, FromTable, Hello, Presence
from liarsdice.server.run import uvicorn_config
from liarsdice.server.storage.sqlite import SqliteStore
from liarsdice.server.table.commands import Command
from liarsdice.server.table.log_entries import LogRow
from tests.server.live_tables import PATIENCE_S, FakeClockServices, log_of

FROM_TABLE: msgspec.json.Decoder[FromTable] = msgspec.json.Decoder(FromTable)
ENCODER = msgspec.json.Encoder()


@dataclass
class RunningServer:
    """A server that runs: its address, its application and its services."""

    address: str
    app: Litestar
    services: FakeClockServices
    clients: list[httpx.AsyncClient] = field(default_factory=list)

    @property
    def registry(self) -> TableRegistry:
        registry = self.app.state.registry
        assert isinstance(registry, TableRegistry)
        return registry

    def browser(self) -> httpx.AsyncClient:
        """A new browser with cookies of its own."""
        client = httpx.AsyncClient(base_url=self.address, timeout=PATIENCE_S)
        self.clients.append(client)
        return client

    def program(self, token: str | None = None) -> httpx.AsyncClient:
        """A new client with a bearer token, by default one that it has made itself."""
        client = self.browser()
        client.headers["authorization"] = f"Bearer {token or new_token()}"
        return client

    async def open_table(self, client: httpx.AsyncClient, name: str = "Ann", **form: object) -> str:
        """Open a table over HTTP; return its code."""
        answer = await client.post("/api/tables", json={"name": name, **form})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["code"])

    def log(self, code: str) -> tuple[LogRow, ...]:
        """The whole log of a table."""
        return log_of(self.registry, code)

    @asynccontextmanager
    async def connect(
        self,
        code: str,
        client: httpx.AsyncClient | None = None,
        *,
        origin: str | None = None,
        address: str | None = None,
        bearer: str | None = None,
    ) -> AsyncIterator[ClientConnection]:
        """A WebSocket to a table, with the cookie of a browser or a bearer token, as from an address behind a proxy."""
        token = None if client is None else client.cookies.get(COOKIE)
        headers = {"cookie": f"{COOKIE}={token}"} if token else {}
        headers |= {"origin": origin} if origin else {}
        headers |= {"x-forwarded-for": address} if address else {}
        headers |= {"authorization": f"Bearer {bearer}"} if bearer else {}
        uri = f"{self.address.replace('http', 'ws', 1)}/ws/{code}"
        async with connect(uri, additional_headers=headers, open_timeout=PATIENCE_S, proxy=None) as socket:
            yield socket


class _Server(LimitedServer):
    """A server that says when it is ready and leaves signals to the test's process."""

    def __init__(self, app: Litestar, limits: ConnectionLimits | None) -> None:
        super().__init__(uvicorn_config(app, limits))
        self.ready = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def run_server(
    path: Path,
    rate_limits: RateLimits | None = None,
    limits: ConnectionLimits | None = None,
    *,
    public_url: str = "",
) -> AsyncIterator[RunningServer]:
    """A server on a database file, with a fake clock."""
    services = FakeClockServices(SqliteStore(path), rate_limits=rate_limits)
    app = make_app(services, public_url=public_url)
    listener = socket.create_server(("127.0.0.1", 0))
    server = _Server(app, limits)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    await asyncio.wait_for(server.ready.wait(), PATIENCE_S)
    assert server.started
    host, port = listener.getsockname()[:2]
    running = RunningServer(f"http://{host}:{port}", app, services)
    try:
        yield running
    finally:
        for client in running.clients:
            await client.aclose()
        server.should_exit = True
        await asyncio.wait_for(serving, PATIENCE_S)


async def receive(socket: ClientConnection) -> FromTable:
    """The next message that is not about presence."""
    async with asyncio.timeout(PATIENCE_S):
        while isinstance(message := FROM_TABLE.decode(await socket.recv()), Presence):
            pass
    return message


async def say_hello(socket: ClientConnection, last_seq: int = 0) -> list[FromTable]:
    """Send the hello; return the setup and the first update."""
    await socket.send(ENCODER.encode(Hello(last_seq)).decode())
    return [await receive(socket), await receive(socket)]


async def send_command(socket: ClientConnection, request_id: str, command: Command, turn_id: int = 0) -> None:
    await socket.send(ENCODER.encode(CommandRequest(request_id, command, turn_id)).decode())


async def close_code(socket: ClientConnection) -> int | None:
    """The code with which the server closes the connection, after its last messages."""
    async with asyncio.timeout(PATIENCE_S):
        await socket.wait_closed()
    return socket.close_code


async def receive_all(socket: ClientConnection) -> list[FromTable]:
    """All messages until the server closes the connection."""
    messages = []
    async with asyncio.timeout(PATIENCE_S):
        with suppress(ConnectionClosed):
            while True:
                messages.append(FROM_TABLE.decode(await socket.recv()))
    return messages
