"""What attackers on loopback do to a server: the worst answer to somebody else meanwhile, and what becomes of them.

Starts servers of its own, one for each attack, and ends by itself.
"""

import argparse
import asyncio
import http.client
import json
import multiprocessing
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from urllib.parse import urlsplit

from benchmarks.figures import Figures
from benchmarks.server_clients import HELLO, WebSocketClient

FLOOD_S = 6.0
PROBE_EVERY_S = 0.01
NICENESS = 10
"""Of the attackers, whose own machines would not slow the server."""
BLOCK_BYTES = 64 * 1024
HALF_OPEN, SLOW, SPECTATORS, PLAYERS, CLIENTS, FILES = 500, 200, 100, 4, 1100, 1024
HALF_OPEN_S, SLOW_S = 15.0, 30.0
PING, EMPTY_FRAGMENT = b"\x89\x80\0\0\0\0", b"\x00\x80\0\0\0\0"
FIRST_FRAGMENT = b"\x01\x80\0\0\0\0"
STORM_S, STORM_PER_S, STORM_AT_ONCE, OTHER_ADDRESSES = 30.0, 1200, 12, ("127.0.0.2", "127.0.0.3")
REQUESTS = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20
HALF_A_HEAD = b"GET / HTTP/1.1\r\nx"
SLOW_REQUEST = b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"
UPGRADE = (
    "GET /ws/{} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Target:
    """A server that is attacked, and a table on it. `cookies`: those of its players."""

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port
        self.code = ""
        self.cookies: list[str] = []
        for player in range(PLAYERS):
            path = f"/api/tables/{self.code}/seats" if self.code else "/api/tables"
            status, cookie, body = self._post(path, {"name": f"Player {player}", **({"id": "sit"} if player else {})})
            assert status in (200, 201), body
            self.code = self.code or json.loads(body)["code"]
            self.cookies.append(cookie.partition(";")[0])

    def _post(self, path: str, form: dict[str, str]) -> tuple[int, str, bytes]:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=10)
        connection.request("POST", path, json.dumps(form), {"content-type": "application/json"})
        response = connection.getresponse()
        with closing(connection):
            return response.status, response.getheader("set-cookie", ""), response.read()

    def metric(self, name: str) -> float:
        """Return a metric of the server."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=10)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return sum(float(value) for value in re.findall(rf"^{name}(?:{{.*}})? (\S+)$", text, re.MULTILINE))

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a connection."""
        return await asyncio.open_connection(self.host, self.port)

    async def join(self, cookie: str = "") -> WebSocketClient:
        """Connect a page to the table."""
        loop = asyncio.get_running_loop()
        _, page = await loop.create_connection(
            lambda: WebSocketClient(f"/ws/{self.code}", cookie), self.host, self.port
        )
        await page.open
        return page


@contextmanager
def target(files: int | None, *, limited: bool) -> Iterator[Target]:
    """Run a server, which may open so many files. `limited`: with its default limit on new connections."""
    limit = ["prlimit", f"--nofile={files}"] if files else []
    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite:///{folder}/tables.db"
        flags = ["--port", "0", "--database", database, "--log-level", "error"]
        flags += [] if limited else ["--connections-per-minute", "0"]
        with subprocess.Popen(
            [*limit, sys.executable, "-m", "liarsdice", "serve", *flags], stdout=subprocess.PIPE, text=True
        ) as process:
            try:
                assert process.stdout is not None
                said = re.search(r"http://\S+", process.stdout.readline())
                assert said
                address = urlsplit(said[0])
                assert address.hostname
                assert address.port
                yield Target(address.hostname, address.port)
            finally:
                process.terminate()
                with suppress(subprocess.TimeoutExpired):
                    process.wait(15)
                process.kill()


def probe(port: int, path: str, ready: Event, stop: Event, result: "Connection[object, object]") -> None:
    """Ask for a path again and again; send the longest time and the number of failures.

    /healthz is asked for on one connection, and other paths on a new one each time.
    """
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    worst_s, failures = 0.0, 0
    while not stop.is_set():
        began_s = time.monotonic()
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            response.read()
            failures += response.status != 200
            if path != "/healthz":
                connection.close()
        except (OSError, http.client.HTTPException):
            connection.close()
            failures += 1
        worst_s = max(worst_s, time.monotonic() - began_s)
        ready.set()
        time.sleep(PROBE_EVERY_S)
    result.send((round(worst_s * 1000), failures))


async def flood(target: Target, first: bytes, piece: bytes) -> Figures:
    """Send the same bytes for some seconds, or until the connection is closed."""
    reader, writer = await target.connect()
    block, sent = piece * (BLOCK_BYTES // len(piece)), 0

    async def discard() -> None:
        while await reader.read(BLOCK_BYTES):
            pass

    reading: asyncio.Task[None] | None = None
    try:
        async with asyncio.timeout(FLOOD_S):
            writer.write(first)
            if first.startswith(b"GET /ws"):
                await reader.readuntil(b"\r\n\r\n")
                writer.write(b"\x81" + bytes([0x80 | len(HELLO)]) + b"\0\0\0\0" + HELLO + FIRST_FRAGMENT)
            reading = asyncio.create_task(discard())
            while not reading.done():
                writer.write(block)
                sent += len(block)
                await writer.drain()
                await asyncio.sleep(0)
    except (OSError, TimeoutError):
        pass
    closed = writer.is_closing() or (reading is not None and reading.done())
    writer.transport.abort()
    if reading is not None:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
    return {"sent": sent // len(piece), "closed": str(closed)}


async def pings(target: Target) -> Figures:
    """Flood a table with pings."""
    return await flood(target, UPGRADE.format(target.code).encode(), PING)


async def fragments(target: Target) -> Figures:
    """Flood a table with empty fragments of one message."""
    return await flood(target, UPGRADE.format(target.code).encode(), EMPTY_FRAGMENT)


async def header(target: Target) -> Figures:
    """Send a header without end."""
    return await flood(target, b"GET / HTTP/1.1\r\nx: ", b"x")


async def hold(target: Target, count: int, first: bytes, piece: bytes, for_s: float) -> Figures:
    """Open connections, send each a byte a second, and count those that the server keeps."""
    connections = [await target.connect() for _ in range(count)]
    for _, writer in connections:
        writer.write(first)
    for _ in range(round(for_s)):
        await asyncio.sleep(1)
        for reader, writer in connections:
            if not (reader.at_eof() or writer.is_closing()):
                writer.write(piece)
    answers = [asyncio.create_task(reader.read()) for reader, _ in connections]
    _, still_open = await asyncio.wait(answers, timeout=1)
    for _, writer in connections:
        writer.transport.abort()
    await asyncio.gather(*answers, return_exceptions=True)
    return {"opened": count, f"open_after_{for_s:.0f}_s": len(still_open)}


async def heads(target: Target) -> Figures:
    """Open connections that send half a head."""
    return await hold(target, HALF_OPEN, HALF_A_HEAD, b"", HALF_OPEN_S)


async def bodies(target: Target) -> Figures:
    """Open connections that send a body slowly."""
    return await hold(target, SLOW, SLOW_REQUEST, b"x", SLOW_S)


async def leaving(target: Target) -> Figures:
    """Let many spectators leave at once."""
    players = [await target.join(cookie) for cookie in target.cookies]
    spectators = [await target.join() for _ in range(SPECTATORS)]
    await asyncio.sleep(1)
    for spectator in spectators:
        assert spectator.transport is not None
        spectator.transport.abort()
    await asyncio.sleep(3)
    dropped = await asyncio.to_thread(target.metric, "liarsdice_dropped_total")
    return {"spectators": SPECTATORS, "players_dropped": sum(player.closed for player in players), "meter": dropped}


async def storm(target: Target) -> Figures:
    """Open connections as fast as clients come and go, with more requests in each than may wait, of one address."""
    return await _storm(target, OTHER_ADDRESSES[:1])


async def crowd(target: Target) -> Figures:
    """As `storm`, of two addresses, under the default limit on new connections, while others visit the server."""
    return await _storm(target, OTHER_ADDRESSES)


async def _storm(target: Target, addresses: Sequence[str]) -> Figures:
    opened = 0

    async def visit() -> None:
        nonlocal opened
        with suppress(OSError):
            address = addresses[opened % len(addresses)]
            opened += 1
            _, writer = await asyncio.open_connection(target.host, target.port, local_addr=(address, 0))
            writer.write(REQUESTS)
            await asyncio.sleep(0.1)
            writer.transport.abort()

    before = await asyncio.to_thread(target.metric, "process_resident_memory_bytes")
    began_s = time.monotonic()
    async with asyncio.TaskGroup() as visits:
        for due in range(round(STORM_S * STORM_PER_S)):
            if (early_s := began_s + due / STORM_PER_S - time.monotonic()) > 0 or not due % STORM_AT_ONCE:
                await asyncio.sleep(max(early_s, 0.001))
            if time.monotonic() > began_s + STORM_S:
                break
            visits.create_task(visit())
    after = await asyncio.to_thread(target.metric, "process_resident_memory_bytes")
    stall_s = await asyncio.to_thread(target.metric, "liarsdice_loop_stall_seconds")
    return {"opened": opened, "left_bytes_each": round((after - before) / max(1, opened)), "loop_stall_s": stall_s}


async def connections(target: Target) -> Figures:
    """Connect more clients than the server can open files for, and see whether the players stay connected."""
    players = [await target.join(cookie) for cookie in target.cookies]
    answers: list[bytes] = []

    async def attack() -> None:
        with suppress(OSError, TimeoutError):
            reader, writer = await target.connect()
            async with asyncio.timeout(FLOOD_S):
                answers.append(await reader.read(12))
            writer.transport.abort()

    await asyncio.gather(*(attack() for _ in range(CLIENTS)))
    refused = sum(answer.endswith(b" 503") for answer in answers)
    kept = sum(not player.closed for player in players)
    return {"clients": CLIENTS, "refused_with_503": refused, "players_kept": kept, "players": len(players)}


ATTACKS: dict[str, Callable[[Target], Awaitable[Figures]]] = {
    attack.__name__: attack for attack in (pings, fragments, header, heads, bodies, leaving, storm, crowd, connections)
}


def measure(name: str) -> Figures:
    """Run an attack on a new server."""
    context = multiprocessing.get_context("spawn")
    ready, stop = context.Event(), context.Event()
    receiver, sender = context.Pipe(duplex=False)
    path = "/metrics" if name == "crowd" else "/healthz"
    with target(FILES if name == "connections" else None, limited=name == "crowd") as server:
        prober = context.Process(target=probe, args=(server.port, path, ready, stop, sender), daemon=True)
        prober.start()
        ready.wait(30)
        with ProcessPoolExecutor(1, context, os.nice, (NICENESS,)) as attacker:
            figures = attacker.submit(_attack, name, server).result()
        stop.set()
        worst_ms, failures = receiver.recv() if receiver.poll(90) else (90_000, 1)
        prober.join(5)
    return {"attack": name, "asked": path, "worst_ms": worst_ms, "failures": failures} | figures


def _attack(name: str, server: Target) -> Figures:
    async def run() -> Figures:
        return await ATTACKS[name](server)

    return asyncio.run(run())


def main() -> None:
    """Run the attacks that the arguments name, or all, and print a line of JSON for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("attacks", nargs="*", choices=(*ATTACKS, []), default=[])
    arguments = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    for name in arguments.attacks or ATTACKS:
        print(json.dumps(measure(name)), flush=True)


if __name__ == "__main__":
    main()
