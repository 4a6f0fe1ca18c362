"""How soon a page at one node sees an action at another one, through each bus, and what the bus costs.

Two nodes use one PostgreSQL database. At each table, one page acts at the first node, one looks on there, and one at
the second node.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import uvloop

from benchmarks.figures import Figures, save_figures
from benchmarks.server_process import fill
from benchmarks.server_processes import Process, middle
from benchmarks.server_tables import code_of, cookie_of, path_of
from benchmarks.websocket_client import WebSocketClient
from liarsdice.server.run import make_store
from liarsdice.server.settings import PostgresUrl
from tests.postgres_server import PostgresServer

TABLES, PER_S, WARM_S, FOR_S, TURNS = 100, 100, 2.0, 6.0, 3
UPDATE_PREFIX = b'{"type":"update","seq":'
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
PACKAGES = ("liarsdice", "asyncpg", "uvloop")


class Page(WebSocketClient):
    """A page that keeps when it received each update of its table."""

    def __init__(self, code: str, seat: int) -> None:
        super().__init__(path_of(code), cookie_of(seat))
        self.seq = 0
        self.received_s: dict[int, float] = {}

    def on_message(self, body: bytes) -> None:
        """Keep the time at which an update has come."""
        if body.startswith(UPDATE_PREFIX):
            self.seq = int(body[len(UPDATE_PREFIX) : body.index(b",", len(UPDATE_PREFIX))])
            self.received_s[self.seq] = time.perf_counter()


class Table:
    """The three pages of a table, and when each entry was sent."""

    def __init__(self, place: int) -> None:
        code = code_of(place)
        self.acting, self.near, self.far = Page(code, 0), Page(code, 1), Page(code, 2)
        self.sent_s: dict[int, float] = {}

    async def connect(self, ports: tuple[int, int]) -> None:
        """Connect the pages: two to the first node, one to the second."""
        loop = asyncio.get_running_loop()
        for page, port in ((self.acting, ports[0]), (self.near, ports[0]), (self.far, ports[1])):
            await loop.create_connection(lambda page=page: page, "127.0.0.1", port)  # type: ignore[misc]
            await page.open

    def act(self) -> bool:
        """Say something, unless the last words are still on their way to the acting page."""
        seq = self.acting.seq + 1
        if seq == 1 or seq in self.sent_s:
            return False
        self.sent_s[seq] = time.perf_counter()
        self.acting.send(b'{"type":"do","id":"s%d","command":{"type":"say","text":"hello"}}' % seq)
        return True

    def delays_ms(self, page: Page, since_s: float) -> Iterator[float]:
        """Yield how long each update took to a page."""
        for seq, sent_s in self.sent_s.items():
            if sent_s >= since_s and seq in page.received_s:
                yield 1000 * (page.received_s[seq] - sent_s)


async def load(ports: tuple[int, int], nodes: list[Process], postgres_pid: int) -> Figures:
    """Act at all tables at a steady mean rate and return the figures."""
    tables = [Table(place) for place in range(TABLES)]
    for table in tables:
        await table.connect(ports)
    began_s = time.perf_counter()
    measured_s, place, acted = 0.0, 0, 0
    used_s = [0.0, 0.0, 0.0]
    order = random.sample(tables, len(tables))
    while (now_s := time.perf_counter()) - began_s < WARM_S + FOR_S:
        if not measured_s and now_s - began_s >= WARM_S:
            measured_s, acted = now_s, 0
            used_s = [*(node.cpu_s() for node in nodes), cpu_of_family_s(postgres_pid)]
        while place < (now_s - began_s) * PER_S:
            acted += order[place % len(order)].act()
            place += 1
        await asyncio.sleep(random.uniform(0.0005, 0.0015))
    used_s = [
        now - before
        for now, before in zip([*(node.cpu_s() for node in nodes), cpu_of_family_s(postgres_pid)], used_s, strict=True)
    ]
    await asyncio.sleep(2)  # updates on their way count, too
    figures: Figures = {"actions_per_s": round(acted / FOR_S)}
    for name in ("near", "far"):
        delays = sorted(delay for table in tables for delay in table.delays_ms(getattr(table, name), measured_s))
        figures |= {
            f"{name}_p50_ms": round(statistics.median(delays), 2),
            f"{name}_p99_ms": round(delays[int(len(delays) * 0.99)], 2),
            f"{name}_updates": len(delays),
        }
    for name, cpu_s in zip(("first_node", "second_node", "postgresql"), used_s, strict=True):
        figures[f"{name}_us_per_action"] = round(1e6 * cpu_s / acted)
    return figures


def cpu_of_family_s(pid: int) -> float:
    """Return the CPU seconds of a process and its children, those included that have ended."""
    ticks = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue
            if int(entry.name) == pid:
                ticks += sum(map(int, fields[11:15]))
            elif int(fields[1]) == pid:
                ticks += sum(map(int, fields[11:13]))
    return ticks / CLOCK_TICKS


def measure(postgres: PostgresServer, bus: str) -> Figures:
    """Measure two nodes with a bus on a new database."""
    url = postgres.create_database()
    asyncio.run(make_database(url))
    with ExitStack() as stack:
        nodes = []
        for _ in range(2):
            node = Process("benchmarks.bus_node", url, bus, core=None)
            stack.callback(node.end)
            nodes.append(node)
        first, second = (json.loads(node.read_line())["port"] for node in nodes)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(load((first, second), nodes, postgres.pid))


async def make_database(url: str) -> None:
    """Fill a database with tables."""
    store = make_store(PostgresUrl(url))
    await fill(store, TABLES)
    await store.close()


def main() -> None:
    """Measure all buses in turns and save the median runs."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    with PostgresServer() as postgres:
        buses = {"no bus": "none", "NOTIFY": "notify"}
        runs: dict[str, list[Figures]] = {name: [] for name in buses}
        for _ in range(TURNS):
            for name, bus in buses.items():
                runs[name].append(measure(postgres, bus))
    medians = {name: middle(turns, "far_p50_ms") for name, turns in runs.items()}
    save_figures("buses", medians, packages=PACKAGES)


if __name__ == "__main__":
    main()
