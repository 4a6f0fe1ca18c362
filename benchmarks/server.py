"""How many tables of six one core serves, and how soon all six have the update of an action; compared with a bare echo.

The server has one core, the clients have the other. `--full` measures the whole curve, which takes minutes.
`--nodes 3 --database URL` compares servers that share a PostgreSQL database with one that uses a SQLite file.
"""

import argparse
import asyncio
import http.client
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from benchmarks.figures import Figures, save_figures
from benchmarks.server_nodes import Load, measure_nodes
from benchmarks.server_orders import Act, Crowd, Flood, Measured
from benchmarks.server_process import make_database
from benchmarks.server_processes import Process, cpu_s, middle, number
from benchmarks.server_tables import SEATS, pin_to_core
from liarsdice.server.table.table_config import Away

ACTION_EVERY_S = 4
WARM_S = 2.0
SPARE_FILES = 300
SHORT = (400, 3.0, (1000, 2000, 4000))
FULL = (4000, 6.0, (500, 1000, 2000, 4000, 6000, 8000, 12_000))
COMPARED = 4000
COMPARED_CONNECTED = 1000
TURNS = 3
FLOODED = 1000
STARTED = 10_000
LOOKED_ON_S = 10.0
PACKAGES = ("liarsdice", "litestar", "msgspec", "uvicorn", "uvloop", "websockets")


class Measurement:
    """A server of one kind with its clients connected."""

    def __init__(self, kind: str, tables: int, *words: str) -> None:
        cores = sorted(os.sched_getaffinity(0))
        first, second = (cores[0], cores[1]) if len(cores) > 1 else (None, None)
        self.tables = tables
        self.server = Process("benchmarks.server_process", kind, "--tables", str(tables), *words, core=first)
        port = json.loads(self.server.read_line())["port"]
        idle_kb = self.server.memory_kb()
        crowd = msgspec.json.encode(Crowd((port,), tables, echo=kind == "echo")).decode()
        self.clients = Process("benchmarks.server_clients", crowd, core=second)
        assert json.loads(self.clients.read_line()) == "one of each"
        loaded_kb = self.server.memory_kb()
        assert json.loads(self.clients.read_line()) == "everybody"
        self.connection_kb = (self.server.memory_kb() - loaded_kb) / (tables * (SEATS - 1))
        self.table_kb = (loaded_kb - idle_kb) / tables - self.connection_kb

    def turns(self, order: Act) -> Figures:
        """Let the clients act several times; return the run with the median p99, and the worst p99."""
        turns = [self.measured(order) for _ in range(TURNS)]
        return middle(turns, "p99_ms") | {"worst_p99_ms": max(number(turn, "p99_ms") for turn in turns)}

    def measured(self, order: Act) -> Figures:
        """Let the clients act; return what they measured and the CPU time of the server."""
        self.clients.send(order)
        time.sleep(order.warm_s)
        cpu_s, began_s = self.server.cpu_s(), time.monotonic()
        time.sleep(order.for_s)
        cpu_s, seconds = self.server.cpu_s() - cpu_s, time.monotonic() - began_s
        measured = msgspec.json.decode(self.clients.read_line(), type=Measured)
        figures: Figures = {
            "tables_at_one_action_in_4_s": round(order.per_s * ACTION_EVERY_S),
            "actions_per_s": round(measured.actions / order.for_s),
            "frames_per_s": round(measured.frames / order.for_s),
            "p50_ms": measured.p50_ms,
            "p99_ms": measured.p99_ms,
            "most_ms": measured.most_ms,
            "late": measured.late,
            "problems": measured.problems,
            "server_cores": round(cpu_s / seconds, 3),
            "server_us_per_action": round(1e6 * cpu_s / max(1, measured.actions)),
            "crowd_cores": measured.crowd_cpu,
            "frame_bytes": measured.frame_bytes,
        }
        if isinstance(order, Flood):
            figures["messages_per_s"] = round(measured.flood_sent / (order.warm_s + order.for_s))
            figures["times_thrown_out"] = measured.flood_connections
        return figures

    def end(self) -> None:
        """Stop the server and the clients."""
        self.clients.end()
        self.server.end()


@contextmanager
def connected(kind: str, tables: int, *words: str) -> Iterator[Measurement]:
    """A server with its clients, stopped afterwards."""
    measurement = Measurement(kind, tables, *words)
    try:
        yield measurement
    finally:
        measurement.end()


def measure(tables: int, for_s: float, loads: tuple[int, ...]) -> dict[str, Figures]:
    """Measure the flood on a fresh server, then the curve, then the comparison with no database and with an echo."""
    figures: dict[str, Figures] = {}
    with connected("sqlite", tables) as measurement:
        figures["memory"] = {
            "connections": tables * SEATS,
            "kb_per_connection": round(measurement.connection_kb, 1),
            "kb_per_table": round(measurement.table_kb, 1),
        }
        calm = measurement.turns(Act(FLOODED / ACTION_EVERY_S, WARM_S, for_s))
        flooded = measurement.turns(Flood(FLOODED / ACTION_EVERY_S, WARM_S, for_s))
        rose_ms = number(flooded, "p99_ms") - number(calm, "p99_ms")
        figures |= {"before the flood": calm, "flood": flooded | {"p99_rose_by_ms": round(rose_ms, 1)}}
        for load in loads:
            figures[f"{load} tables"] = measurement.turns(Act(load / ACTION_EVERY_S, WARM_S, for_s))
        frame_bytes = round(number(figures[f"{loads[0]} tables"], "frame_bytes"))
    return figures | compared(for_s, frame_bytes)


def compared(for_s: float, frame_bytes: int) -> dict[str, Figures]:
    """Measure the same load on the server, one without a database and a bare echo, in turns; return the median runs."""
    kinds = {"with the database": "sqlite", "no database": "nothing", "bare echo": "echo"}
    turns: dict[str, list[Figures]] = {name: [] for name in kinds}
    for _ in range(TURNS):
        for name, kind in kinds.items():
            words = ["--frame-bytes", str(frame_bytes)] if kind == "echo" else []
            with connected(kind, COMPARED_CONNECTED, *words) as measurement:
                turns[name].append(measurement.measured(Act(COMPARED / ACTION_EVERY_S, WARM_S, for_s)))
    return {name: middle(runs, "server_us_per_action") for name, runs in turns.items()}


def start(tables: int) -> Figures:
    """Measure how soon the program answers on a database in which all tables are due."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tables.db"
        asyncio.run(make_database(path, tables, Away.BOT))
        words = ["-m", "liarsdice", "serve", "--port", "0", "--log-level", "warning", "--database", f"sqlite:///{path}"]
        began_s = time.monotonic()
        server = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            address = urlsplit(server.stdout.readline().split()[4])
            _get(address.netloc, "/healthz")
            answered_s, answered_cpu_s, slowest_ms = time.monotonic() - began_s, cpu_s(server.pid), 0.0
            while time.monotonic() - began_s < LOOKED_ON_S:
                slowest_ms = max(slowest_ms, _get(address.netloc, "/readyz"))
                time.sleep(0.02)
        finally:
            server.terminate()
            server.wait()
    return {
        "tables": tables,
        "answers_after_s": round(answered_s, 2),
        "answers_after_cpu_s": round(answered_cpu_s, 2),
        "slowest_answer_ms": round(slowest_ms, 1),
        "within_s": LOOKED_ON_S,
    }


def _get(address: str, path: str) -> float:
    """Send a GET request; return its time in milliseconds."""
    began_s = time.perf_counter()
    connection = http.client.HTTPConnection(address)
    connection.request("GET", path)
    assert connection.getresponse().status == http.HTTPStatus.OK
    connection.close()
    return 1000 * (time.perf_counter() - began_s)


def table_count(limit: int) -> int:
    """Return this number of tables, or as many as this system allows one process to have connections for."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    return limit if most == resource.RLIM_INFINITY else min(limit, (most - SPARE_FILES) // SEATS)


def main() -> None:
    """Measure and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="the whole curve, with as many connections as may be")
    parser.add_argument("--database", help="compare servers on this empty PostgreSQL database with one on SQLite")
    parser.add_argument("--nodes", type=int, default=3, help="with --database: how many servers share it")
    parser.add_argument("--tables", type=int, default=300, help="with --database: how many tables play")
    parser.add_argument("--actions-per-s", type=float, default=150, help="with --database: at all tables together")
    parser.add_argument("--seconds", type=float, default=10, help="with --database: how long each run is measured")
    arguments = parser.parse_args()
    if arguments.database is not None:
        pin_to_core(None)
        load = Load(arguments.tables, arguments.actions_per_s, arguments.seconds)
        figures = measure_nodes(arguments.database, arguments.nodes, load)
        save_figures("server_nodes", figures, packages=(*PACKAGES, "asyncpg"))
        return
    tables, for_s, loads = FULL if arguments.full else SHORT
    figures = {f"start with {STARTED} tables": start(STARTED)} | measure(table_count(tables), for_s, loads)
    save_figures("server", figures, packages=PACKAGES)


if __name__ == "__main__":
    main()
