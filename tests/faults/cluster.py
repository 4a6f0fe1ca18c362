"""Several servers ("nodes") on one PostgreSQL database, and the faults that they have to survive."""

import asyncio
import random
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import asyncpg
import httpx

from liarsdice.server.settings import PostgresUrl
from liarsdice.server.table.log_entries import LogRow
from tests.postgres_server import PostgresServer
from tests.processes import Server, postgres_logs_of

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


BOT_TURNS = re.compile(r"^liarsdice_bot_turns_total(?:\{.*\})? (\S+)$", re.MULTILINE)
NOTICED_AFTER_S = 1.0
"""After how long the health check of a load balancer notices that a node cannot serve."""
LONGEST_FAULT_S = 3.0
FLAGS = ("--pace", "0", "--log-level", "warning", "--tables-per-minute", "0")
SESSIONS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
OTHERS = f"{SESSIONS} AND pid <> pg_backend_pid()"
LISTENERS = f"{OTHERS} AND query ILIKE 'listen%'"
READ_ONLY = "ALTER SYSTEM SET default_transaction_read_only = on"
WRITABLE = "ALTER SYSTEM RESET default_transaction_read_only"
RELOAD = "SELECT pg_reload_conf()"


@dataclass
class Node:
    """A server and its way to the database. `serves`: what a load balancer believes of it."""

    server: Server
    proxy: TcpProxy
    serves: bool = True


class Cluster:
    """Nodes on a new database. Faults are methods without arguments; each ends with all nodes running again.

    `outages`: from when until when no node could write to the database, on the monotonic clock. `bot_turns`: what the
    nodes that were killed had counted. `on_unreachable` is called with the address of a node whose clients a load
    balancer disconnects.
    """

    def __init__(
        self,
        postgres: PostgresServer,
        database: str,
        nodes: list[Node],
        *,
        seed: int,
        skew_s: float,
        drop_hints: float,
    ) -> None:
        self.nodes, self.skew_s, self.drop_hints = nodes, skew_s, drop_hints
        self.outages: list[tuple[float, float]] = []
        self.bot_turns = 0.0
        self.on_unreachable: Callable[[str], None] = lambda _: None
        self._postgres, self._database, self._rng = postgres, database, random.Random(seed)

    def address(self, *, but_not: str = "") -> str:
        """The address of a node that serves, if possible another one than the last."""
        serving = [node.server.address for node in self.nodes if node.serves] or [self.nodes[0].server.address]
        return self._rng.choice([address for address in serving if address != but_not] or serving)

    def faults(self) -> dict[str, Callable[[], Awaitable[None]]]:
        """All faults by name."""
        return {
            "kill -9": self.kill,
            "stop": self.stop,
            "freeze": self.freeze,
            "black hole": self.black_hole,
            "black hole, then reset": self.black_hole_and_reset,
            "stop in a black hole": self.stop_in_black_hole,
            "backends terminated": self.terminate_backends,
            "listeners terminated": self.terminate_listeners,
            "database killed": self.kill_database,
            "database read-only": self.make_read_only,
            "database in recovery": self.fail_over,
        }

    async def heads(self) -> dict[str, int]:
        """The seq of the last entry of every table."""
        connection = await asyncpg.connect(self._database)
        try:
            return {row[0]: row[1] for row in await connection.fetch("SELECT code, head FROM tables")}
        finally:
            await connection.close()

    async def logs(self) -> dict[str, list[LogRow]]:
        """As `postgres_logs_of`."""
        return await postgres_logs_of(PostgresUrl(self._database))

    async def count_bot_turns(self, nodes: Iterable[Node]) -> None:
        """Add what these nodes have counted, which they then forget because they end."""
        for node in nodes:
            with suppress(httpx.HTTPError):
                async with httpx.AsyncClient(base_url=node.server.address) as client:
                    counted = BOT_TURNS.search((await client.get("/metrics")).text)
                    self.bot_turns += float(counted[1]) if counted else 0

    # ---- faults of a node -------------------------------------------------------------------------------------------

    async def kill(self) -> None:
        """`kill -9` of a node, which is started again at once."""
        node = self._rng.choice(self.nodes)
        await self.count_bot_turns([node])
        await asyncio.to_thread(node.server.kill)
        node.serves = False
        await self._start(node)

    async def stop(self) -> None:
        """A node is stopped as an operator does it, and started again."""
        node = self._rng.choice(self.nodes)
        await self.count_bot_turns([node])
        node.serves = False
        assert await asyncio.to_thread(node.server.stop) == 0, "a node that is stopped exits with 0"
        await self._start(node)

    async def freeze(self) -> None:
        """SIGSTOP of a node, and SIGCONT after a while."""
        node = self._rng.choice(self.nodes)
        node.server.freeze()
        await self._leave_unreachable(node)
        node.server.resume()
        node.serves = True

    async def black_hole(self) -> None:
        """The network between a node and the database loses everything for a while, and then goes on."""
        node = self._rng.choice(self.nodes)
        node.proxy.stop_forwarding()
        await self._leave_unreachable(node)
        node.proxy.forward()
        node.serves = True

    async def black_hole_and_reset(self) -> None:
        """The network between a node and the database loses everything for a while, and then resets connections."""
        node = self._rng.choice(self.nodes)
        node.proxy.stop_forwarding()
        await self._leave_unreachable(node)
        node.proxy.cut()
        node.proxy.forward()
        node.serves = True

    async def stop_in_black_hole(self) -> None:
        """A node is stopped while the database does not answer it, and started again."""
        node = self._rng.choice(self.nodes)
        await self.count_bot_turns([node])
        node.proxy.stop_forwarding()
        await self._leave_unreachable(node)
        assert await asyncio.to_thread(node.server.stop) == 0, "a node that is stopped exits with 0"
        node.proxy.cut()
        node.proxy.forward()
        await self._start(node)

    async def _start(self, node: Node) -> None:
        """Start a node, as a supervisor does: once more if the database did not answer it."""
        with suppress(AssertionError):
            await asyncio.to_thread(node.server.start)
            node.serves = True
            return
        await asyncio.to_thread(node.server.start)
        node.serves = True

    async def _leave_unreachable(self, node: Node) -> None:
        await asyncio.sleep(NOTICED_AFTER_S)
        node.serves = False
        self.on_unreachable(node.server.address)
        await asyncio.sleep(self._rng.uniform(0, LONGEST_FAULT_S - NOTICED_AFTER_S))

    # ---- faults of the database -------------------------------------------------------------------------------------

    async def terminate_backends(self) -> None:
        """All sessions of the nodes are terminated."""
        await self._execute(OTHERS)

    async def terminate_listeners(self) -> None:
        """The sessions that wait for notifications are terminated."""
        await self._execute(LISTENERS)

    async def kill_database(self) -> None:
        """The database crashes and is started again."""
        async with self._outage():
            await asyncio.to_thread(self._postgres.kill)
            await asyncio.to_thread(self._postgres.start)

    async def make_read_only(self) -> None:
        """The database refuses to write for a while."""
        async with self._outage():
            await self._execute(READ_ONLY, RELOAD)
            await asyncio.sleep(self._rng.uniform(0, LONGEST_FAULT_S))
            await self._execute(WRITABLE, RELOAD)

    async def fail_over(self) -> None:
        """The database is stopped, comes back as a standby that only reads, and is promoted."""
        async with self._outage():
            await asyncio.to_thread(self._postgres.stop)
            await asyncio.to_thread(self._postgres.start_in_recovery)
            await asyncio.sleep(self._rng.uniform(0, LONGEST_FAULT_S))
            await self._execute("SELECT pg_promote()")

    @asynccontextmanager
    async def _outage(self) -> AsyncIterator[None]:
        began_s = time.monotonic()
        yield
        self.outages.append((began_s, time.monotonic()))

    async def _execute(self, *statements: str) -> None:
        connection = await asyncpg.connect(self._database)
        try:
            for statement in statements:
                await connection.execute(statement)
        finally:
            await connection.close()


@asynccontextmanager
async def running_cluster(
    postgres: PostgresServer,
    folder: Path,
    *,
    seed: int,
    nodes: int = 3,
    skew_s: float = 0,
    drop_hints: float = 0,
) -> AsyncIterator[Cluster]:
    """Nodes that start at the same time, the first with a clock that is late by `skew_s`, the second ahead by it.

    `drop_hints`: the share of messages that a node loses when it publishes them.
    """
    database = postgres.create_database()
    async with AsyncExitStack() as stack:
        started = []
        for number in range(nodes):
            proxy = await stack.enter_async_context(TcpProxy(postgres.connect))
            skew = {0: -skew_s, 1: skew_s}.get(number, 0)
            program = ("tests.faults.faulty_node", f"--skew-s={skew}", f"--drop-hints={drop_hints}", "--keep-talk")
            server = Server(
                PostgresUrl(postgres.url_through(database, proxy.port)),
                *FLAGS,
                log=folder / f"node-{number}.log",
                program=program,
            )
            stack.callback(server.end)
            started.append(Node(server, proxy))
        await asyncio.gather(*(asyncio.to_thread(node.server.start) for node in started))
        yield Cluster(postgres, database, started, seed=seed, skew_s=skew_s, drop_hints=drop_hints)
