"""More clients connect than the server may have files open: it refuses them, and the match goes on."""

import asyncio
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from websockets.asyncio.client import connect

from liarsdice.server.http.auth import COOKIE
from liarsdice.server.http.connections import FILES_RESERVED
from liarsdice.server.protocol.messages import Done
from liarsdice.server.table import commands as c
from tests.faults.players import gather_table
from tests.processes import Server
from tests.server.running_server import receive, say_hello, send_command

FILES, CLIENTS = 256, 300
PATIENCE_S = 60.0


@contextmanager
def open_files_limited(count: int) -> Iterator[None]:
    """Let the processes that are started meanwhile open so many files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_a_server_without_free_files_refuses_clients_and_keeps_its_players(tmp_path: Path) -> None:
    server = Server(tmp_path / "server.db")
    with open_files_limited(FILES):
        server.start()
    try:
        async with asyncio.timeout(PATIENCE_S):
            await _crowd_out(server.address)
    finally:
        server.end()


async def _crowd_out(address: str) -> None:
    (ann, *_) = await gather_table(address, ["Ann", "Bo"], 1)
    parts = urlsplit(address)
    open_connection = partial(asyncio.open_connection, parts.hostname, parts.port)
    uri = f"{address.replace('http', 'ws', 1)}/ws/{ann.code}"
    async with connect(uri, additional_headers={"cookie": f"{COOKIE}={ann.token}"}, proxy=None) as socket:
        await say_hello(socket)
        admitted, admitted_writer = await open_connection()
        clients = [await open_connection() for _ in range(CLIENTS)]
        answers = await asyncio.gather(*(reader.read(12) for reader, _ in clients[FILES - FILES_RESERVED :]))
        assert set(answers) == {b"HTTP/1.1 503"}
        await send_command(socket, "1", c.Say("still here"))
        while not isinstance(await receive(socket), Done):
            pass
        admitted_writer.write(b"GET /readyz HTTP/1.1\r\nHost: here\r\n\r\n")
        assert await admitted.readline() == b"HTTP/1.1 200 OK\r\n"
        for _, writer in [(admitted, admitted_writer), *clients]:
            writer.close()
