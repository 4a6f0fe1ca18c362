"""How many tables of six one core carries, and how soon all six learn of an action; beside the least that could cost.

The server has one core and the people who play have the other. `--full` draws the whole curve, which takes minutes.
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
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from benchmarks.crowd import Act, Flood, Measured
from benchmarks.house import filled
from benchmarks.measured import Figures, save
from benchmarks.stage import SEATS
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
STARTED = 1000
LOOKED_ON_S = 10.0
PACKAGES = ("liarsdice", "litestar", "msgspec", "uvicorn", "uvloop", "websockets")
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Process:
    """One side of the measurement as a process on a core of its own, spoken to in lines of JSON."""

    def __init__(self, module: str, *words: str, core: int | None) -> None:
        pinned = [] if core is None else ["--core", str(core)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *words, *pinned], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def heard(self) -> str:
        """Its next line."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the process ended"
        return line

    def told(self, order: Act) -> None:
        """Give an order."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{msgspec.json.encode(order).decode()}\n")
        self._process.stdin.flush()

    def cpu_s(self) -> float:
        """User and system seconds so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS

    def memory_kb(self) -> float:
        """What it holds in memory now."""
        resident = Path(f"/proc/{self._process.pid}/statm").read_text(encoding="utf-8").split()[1]
        return int(resident) * PAGE_BYTES / 1000

    def end(self) -> None:
        """Stop it."""
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(30)
        self._process.kill()
        self._process.wait()


class Sides:
    """A server of one kind, and its crowd, connected."""

    def __init__(self, kind: str, tables: int, *words: str) -> None:
        cores = sorted(os.sched_getaffinity(0))
        first, second = (cores[0], cores[1]) if len(cores) > 1 else (None, None)
        self.tables = tables
        self.server = Process("benchmarks.house", kind, "--tables", str(tables), *words, core=first)
        port = json.loads(self.server.heard())["port"]
        asleep_kb = self.server.memory_kb()
        echo = ["--echo"] if kind == "echo" else []
        self.crowd = Process("benchmarks.crowd", str(port), "--tables", str(tables), *echo, core=second)
        assert json.loads(self.crowd.heard()) == "one of each"
        woken_kb = self.server.memory_kb()
        assert json.loads(self.crowd.heard()) == "everybody"
        self.connection_kb = (self.server.memory_kb() - woken_kb) / (tables * (SEATS - 1))
        self.table_kb = (woken_kb - asleep_kb) / tables - self.connection_kb

    def turns(self, order: Act) -> Figures:
        """Let the crowd act several times; the median turn by its p99, and the worst p99 of them."""
        turns = [self.measured(order) for _ in range(TURNS)]
        return middle(turns, "p99_ms") | {"worst_p99_ms": max(number(turn, "p99_ms") for turn in turns)}

    def measured(self, order: Act) -> Figures:
        """Let the crowd act; what it saw, and the server's share."""
        self.crowd.told(order)
        time.sleep(order.warm_s)
        cpu_s, began_s = self.server.cpu_s(), time.monotonic()
        time.sleep(order.for_s)
        cpu_s, seconds = self.server.cpu_s() - cpu_s, time.monotonic() - began_s
        seen = msgspec.json.decode(self.crowd.heard(), type=Measured)
        figures: Figures = {
            "tables_at_one_action_in_4_s": round(order.per_s * ACTION_EVERY_S),
            "actions_per_s": round(seen.actions / order.for_s),
            "frames_per_s": round(seen.frames / order.for_s),
            "p50_ms": seen.p50_ms,
            "p99_ms": seen.p99_ms,
            "most_ms": seen.most_ms,
            "late": seen.late,
            "problems": seen.problems,
            "server_cores": round(cpu_s / seconds, 3),
            "server_us_per_action": round(1e6 * cpu_s / max(1, seen.actions)),
            "crowd_cores": seen.crowd_cpu,
            "frame_bytes": seen.frame_bytes,
        }
        if isinstance(order, Flood):
            figures["messages_per_s"] = round(seen.flood_sent / (order.warm_s + order.for_s))
            figures["times_thrown_out"] = seen.flood_connections
        return figures

    def end(self) -> None:
        """Stop both."""
        self.crowd.end()
        self.server.end()


@contextmanager
def connected(kind: str, tables: int, *words: str) -> Iterator[Sides]:
    """A server and its crowd, ended afterwards."""
    sides = Sides(kind, tables, *words)
    try:
        yield sides
    finally:
        sides.end()


def measure(tables: int, for_s: float, loads: tuple[int, ...]) -> dict[str, Figures]:
    """The flood before anything is worn, then the curve, then the server beside one without a database and an echo."""
    figures: dict[str, Figures] = {}
    with connected("sqlite", tables) as sides:
        figures["memory"] = {
            "connections": tables * SEATS,
            "kb_per_connection": round(sides.connection_kb, 1),
            "kb_per_table": round(sides.table_kb, 1),
        }
        calm = sides.turns(Act(FLOODED / ACTION_EVERY_S, WARM_S, for_s))
        flooded = sides.turns(Flood(FLOODED / ACTION_EVERY_S, WARM_S, for_s))
        rose_ms = number(flooded, "p99_ms") - number(calm, "p99_ms")
        figures |= {"before the flood": calm, "flood": flooded | {"p99_rose_by_ms": round(rose_ms, 1)}}
        for load in loads:
            figures[f"{load} tables"] = sides.turns(Act(load / ACTION_EVERY_S, WARM_S, for_s))
        frame_bytes = round(number(figures[f"{loads[0]} tables"], "frame_bytes"))
    return figures | compared(for_s, frame_bytes)


def compared(for_s: float, frame_bytes: int) -> dict[str, Figures]:
    """The same load on the server, on one without a database and on a bare echo, in turns; of each the median turn."""
    kinds = {"with the database": "sqlite", "no database": "nothing", "bare echo": "echo"}
    turns: dict[str, list[Figures]] = {name: [] for name in kinds}
    for _ in range(TURNS):
        for name, kind in kinds.items():
            words = ["--frame-bytes", str(frame_bytes)] if kind == "echo" else []
            with connected(kind, COMPARED_CONNECTED, *words) as sides:
                turns[name].append(sides.measured(Act(COMPARED / ACTION_EVERY_S, WARM_S, for_s)))
    return {name: middle(found, "server_us_per_action") for name, found in turns.items()}


def middle(turns: list[Figures], by: str) -> Figures:
    """The median turn by one of its figures."""
    return sorted(turns, key=lambda turn: number(turn, by))[len(turns) // 2]


def number(figures: Figures, name: str) -> float:
    """One of the figures."""
    found = figures[name]
    assert isinstance(found, int | float)
    return found


def start(tables: int) -> Figures:
    """How soon the program answers on a database in which all tables wait for somebody who is gone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tables.db"
        asyncio.run(filled(path, tables, Away.BOT))
        words = ["-m", "liarsdice", "serve", "--port", "0", "--log-level", "warning", "--database", f"sqlite:///{path}"]
        began_s = time.monotonic()
        server = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            address = urlsplit(server.stdout.readline().split()[4])
            _get(address.netloc, "/healthz")
            answered_s, slowest_ms = time.monotonic() - began_s, 0.0
            while time.monotonic() - began_s < LOOKED_ON_S:
                slowest_ms = max(slowest_ms, _get(address.netloc, "/readyz"))
                time.sleep(0.02)
        finally:
            server.terminate()
            server.wait()
    return {
        "tables": tables,
        "answers_after_s": round(answered_s, 2),
        "slowest_answer_ms": round(slowest_ms, 1),
        "within_s": LOOKED_ON_S,
    }


def _get(door: str, path: str) -> float:
    """Ask for a page; how many ms that took."""
    began_s = time.perf_counter()
    line = http.client.HTTPConnection(door)
    line.request("GET", path)
    assert line.getresponse().status == http.HTTPStatus.OK
    line.close()
    return 1000 * (time.perf_counter() - began_s)


def most_tables(wanted: int) -> int:
    """As many as wanted, or as this system lets one process hold open connections for."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if most == resource.RLIM_INFINITY else min(wanted, (most - SPARE_FILES) // SEATS)


def main() -> None:
    """Measure and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="the whole curve, with as many connections as may be")
    tables, for_s, loads = FULL if parser.parse_args().full else SHORT
    figures = {f"start with {STARTED} tables": start(STARTED)} | measure(most_tables(tables), for_s, loads)
    save("server", figures, packages=PACKAGES)


if __name__ == "__main__":
    main()
