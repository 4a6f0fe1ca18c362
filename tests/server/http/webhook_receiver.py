"""A receiver of webhooks on loopback that keeps the requests and answers as it is told."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from liarsdice.server.http.outgoing import Streams

OK = b"HTTP/1.1 204 No Content\r\n\r\n"


@dataclass
class Request:
    """A request as it came: its first line, its headers in lower case, and its body."""

    line: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """`answers`: to the next requests, "" to hang; the last one goes on."""

    answers: list[bytes]
    requests: list[Request] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    port: int = 0
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/turns?bot=1"

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        line, *rows = head.strip().split("\r\n")
        headers = {name.lower(): value for name, value in (row.split(": ", 1) for row in rows)}
        body = await reader.readexactly(int(headers["content-length"]))
        self.requests.append(Request(line, headers, body))
        self.arrived.set()
        response = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        with suppress(ConnectionError):
            if not response:
                await reader.read()
            writer.write(response)
            writer.close()
            await writer.wait_closed()

    async def connect(self, host: str) -> Streams:
        """Connect to this receiver in place of a public host."""
        self.hosts.append(host)
        return await asyncio.open_connection("127.0.0.1", self.port)


@asynccontextmanager
async def webhook_receiver(*answers: bytes) -> AsyncIterator[Receiver]:
    receiver = Receiver(list(answers) or [OK])
    server = await asyncio.start_server(receiver.answer, "127.0.0.1", 0)
    receiver.port = server.sockets[0].getsockname()[1]
    async with server:
        yield receiver
