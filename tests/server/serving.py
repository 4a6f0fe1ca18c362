"""The whole application behind a real socket, in the test's own process, so that its clock and its store are at hand.

A server as a process of its own, to be killed and started again, is in `tests/processes.py`.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import msgspec
import uvicorn
from litestar import Litestar
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from liarsdice.server.app import make_app
from liarsdice.server.http.auth import COOKIE
from liarsdice.server.http.rate_limits import Limits
from liarsdice.server.live.table_registry import Rooms
from liarsdice.server.protocol.messages import Do, FromTable, Hello, Presence
from liarsdice.server.run import config_of
from liarsdice.server.table.commands import Command
from liarsdice.server.table.log_entries import Row
from tests.server.houses import PATIENCE_S, TestHouse

FROM_TABLE: msgspec.json.Decoder[FromTable] = msgspec.json.Decoder(FromTable)
ENCODER = msgspec.json.Encoder()


@dataclass
class Served:
    """A server that runs: where it is, and what it is made of."""

    address: str
    app: Litestar
    house: TestHouse
    clients: list[httpx.AsyncClient] = field(default_factory=list)

    @property
    def rooms(self) -> Rooms:
        rooms = self.app.state.rooms
        assert isinstance(rooms, Rooms)
        return rooms

    def browser(self) -> httpx.AsyncClient:
        """Somebody's browser, with cookies of its own."""
        client = httpx.AsyncClient(base_url=self.address, timeout=PATIENCE_S)
        self.clients.append(client)
        return client

    async def opened(self, client: httpx.AsyncClient, name: str = "Ann", **form: object) -> str:
        """Open a table; its code."""
        answer = await client.post("/api/tables", json={"name": name, **form})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["code"])

    async def log(self, code: str) -> tuple[Row, ...]:
        """All that has ever happened at a table."""
        kept = await self.house.store.load(code)
        assert kept is not None
        return kept.rows

    @asynccontextmanager
    async def line(
        self, code: str, client: httpx.AsyncClient | None = None, *, origin: str | None = None
    ) -> AsyncIterator[ClientConnection]:
        """A WebSocket to a table, with a browser's cookie."""
        token = None if client is None else client.cookies.get(COOKIE)
        headers = {"cookie": f"{COOKIE}={token}"} if token else {}
        headers |= {"origin": origin} if origin else {}
        uri = f"{self.address.replace('http', 'ws', 1)}/ws/{code}"
        async with connect(uri, additional_headers=headers, open_timeout=PATIENCE_S, proxy=None) as line:
            yield line


class _Server(uvicorn.Server):
    """Says when it is ready. One of several things in this process, so that signals are none of its business."""

    def __init__(self, app: Litestar) -> None:
        super().__init__(config_of(app))
        self.ready = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def served(path: Path, limits: Limits | None = None) -> AsyncIterator[Served]:
    """A server on a database, with a house whose clock stands still."""
    house = TestHouse(path)
    house.limits = limits or Limits()
    app = make_app(house)
    door = socket.create_server(("127.0.0.1", 0))
    server = _Server(app)
    serving = asyncio.create_task(server.serve(sockets=[door]))
    await asyncio.wait_for(server.ready.wait(), PATIENCE_S)
    assert server.started
    host, port = door.getsockname()[:2]
    it = Served(f"http://{host}:{port}", app, house)
    try:
        yield it
    finally:
        for client in it.clients:
            await client.aclose()
        server.should_exit = True
        await asyncio.wait_for(serving, PATIENCE_S)


async def heard(line: ClientConnection) -> FromTable:
    """The next message that is not about who is there."""
    async with asyncio.timeout(PATIENCE_S):
        while isinstance(message := FROM_TABLE.decode(await line.recv()), Presence):
            pass
    return message


async def greeted(line: ClientConnection, have: int = 0) -> list[FromTable]:
    """Say hello; what the table answers: its setting, and how it is."""
    await line.send(ENCODER.encode(Hello(have)).decode())
    return [await heard(line), await heard(line)]


async def asked(line: ClientConnection, wish: str, what: Command, mark: int = 0) -> None:
    """Say a wish."""
    await line.send(ENCODER.encode(Do(wish, what, mark)).decode())


async def closing(line: ClientConnection) -> int | None:
    """The code with which the table hangs up, after whatever it still has to say."""
    async with asyncio.timeout(PATIENCE_S):
        await line.wait_closed()
    return line.close_code


async def everything(line: ClientConnection) -> list[FromTable]:
    """All that the table still says until it hangs up."""
    found = []
    async with asyncio.timeout(PATIENCE_S):
        with suppress(ConnectionClosed):
            while True:
                found.append(FROM_TABLE.decode(await line.recv()))
    return found
