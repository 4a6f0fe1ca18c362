"""A TCP proxy on loopback that can stop forwarding, as a network does that loses every packet."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Self

Connect = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]
CHUNK = 64 * 1024


class TcpProxy:
    """Forwards connections to where `connect` leads. `port`: where it listens."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._forwarding = asyncio.Event()
        self._forwarding.set()
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.cut()
        await asyncio.sleep(0)  # until what was reset is closed

    def stop_forwarding(self) -> None:
        """Pass nothing on any more. Connections stay open, new ones are accepted, and nobody gets an answer."""
        self._forwarding.clear()

    def forward(self) -> None:
        """Pass on what has been waiting, and all that follows."""
        self._forwarding.set()

    def cut(self) -> None:
        """Reset every connection; what was on its way is lost."""
        for writer in self._writers:
            writer.transport.abort()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert self._server is not None
        if not self._server.is_serving():  # it came in while the proxy was being closed
            writer.transport.abort()
            return
        self._writers.add(writer)
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forward one connection in both directions until either side closes it."""
        writers = {writer}
        try:
            await self._forwarding.wait()
            far_reader, far_writer = await self._connect()
            writers.add(far_writer)
            self._writers.add(far_writer)
            directions = [
                asyncio.ensure_future(self._copy(reader, far_writer)),
                asyncio.ensure_future(self._copy(far_reader, writer)),
            ]
            try:
                await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for direction in directions:
                    direction.cancel()
                await asyncio.gather(*directions, return_exceptions=True)
        except OSError:
            pass
        finally:
            for end in writers:
                end.transport.abort()
            self._writers -= writers

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(CHUNK):
            await self._forwarding.wait()
            writer.write(piece)
            await writer.drain()
        await self._forwarding.wait()
