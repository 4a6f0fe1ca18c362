"""What several servers ("nodes") on one PostgreSQL database cost, beside one with SQLite and one with PostgreSQL."""

import asyncio
import itertools
import logging
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import msgspec

from benchmarks.figures import Figures
from benchmarks.server_orders import Act, Crowd, Measured
from benchmarks.server_process import fill
from benchmarks.server_processes import Process, cpu_s, middle, number
from liarsdice.server.run import configure_logging, make_store
from liarsdice.server.settings import PostgresUrl

FLAGS = ("--port", "0", "--pace", "0", "--log-level", "warning")
NO_LIMITS = ("--connections-per-minute", "0", "--connections-per-address", "0")
TURNS = 3
WARM_S = 3.0
COST = "nodes_us_per_action"
SESSIONS = "SELECT pid FROM pg_stat_activity"


class Setting(msgspec.Struct, frozen=True):
    """How the servers are set up. `mixed`: as in `Crowd`."""

    nodes: int
    postgresql: bool = True
    mixed: bool = False


class Load(msgspec.Struct, frozen=True):
    """How many tables play, how many actions a second they make together, and for how many seconds."""

    tables: int
    per_s: float
    for_s: float


def measure_nodes(url: str, nodes: int, load: Load) -> dict[str, Figures]:
    """Put the same load on all settings, in turns; return the median runs and the medians of the ratios.

    The tables stay in the database.
    """
    configure_logging(logging.WARNING)
    settings = {
        "SQLite, 1 node": Setting(1, postgresql=False),
        "PostgreSQL, 1 node": Setting(1),
        f"PostgreSQL, {nodes} nodes": Setting(nodes),
        f"PostgreSQL, {nodes} nodes, every table at all nodes": Setting(nodes, mixed=True),
    }
    runs: dict[str, list[Figures]] = {name: [] for name in settings}
    for turn, (name, setting) in itertools.product(range(TURNS), settings.items()):
        runs[name].append(_measure(PostgresUrl(url), setting, load))
        print(turn, name, *(f"{key} {value}" for key, value in runs[name][-1].items()), sep="  ", flush=True)

    def ratio(name: str, base: str) -> float:
        pairs = zip(runs[name], runs[base], strict=True)
        ratios = [number(run, COST) / number(base_run, COST) for run, base_run in pairs]
        return round(statistics.median(ratios), 3)

    sqlite, single, several, mixed = settings
    figures = {name: middle(of_setting, COST) for name, of_setting in runs.items()}
    return figures | {
        "ratios": {
            "cpu_of_postgresql_to_sqlite": ratio(single, sqlite),
            "actions_per_cpu_of_nodes_to_one": round(1 / ratio(several, single), 3),
            "actions_per_cpu_of_nodes_to_one_every_table_at_all": round(1 / ratio(mixed, single), 3),
        }
    }


def _measure(url: PostgresUrl, setting: Setting, load: Load) -> Figures:
    """Start the servers and the clients, and measure once."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        database = url if setting.postgresql else Path(folder) / "tables.db"
        first = asyncio.run(_count_tables(url)) if setting.postgresql else 0
        asyncio.run(_make_tables(database, load.tables, first))
        nodes = [stack.enter_context(_node(database, folder)) for _ in range(setting.nodes)]
        ports = tuple(port for _, port in nodes)
        crowd = Crowd(ports, load.tables, first, mixed=setting.mixed)
        clients = Process("benchmarks.server_clients", msgspec.json.encode(crowd).decode())
        stack.callback(clients.end)
        while clients.read_line().strip() != '"everybody"':
            pass
        clients.send(Act(load.per_s, WARM_S, load.for_s))
        time.sleep(WARM_S)
        before, database_before = [node.cpu_s() for node, _ in nodes], _database_cpu_s(url)
        time.sleep(load.for_s)
        used = [node.cpu_s() - cpu for (node, _), cpu in zip(nodes, before, strict=True)]
        database_used = sum(cpu - database_before.get(pid, 0) for pid, cpu in _database_cpu_s(url).items())
        measured = msgspec.json.decode(clients.read_line(), type=Measured)
    actions = max(1, measured.actions)
    return {
        "actions_per_s": round(measured.actions / load.for_s),
        "p50_ms": measured.p50_ms,
        "p99_ms": measured.p99_ms,
        "late": measured.late,
        "problems": measured.problems,
        COST: round(1e6 * sum(used) / actions),
        "database_us_per_action": round(1e6 * database_used / actions) if setting.postgresql else None,
        "nodes_cores": round(sum(used) / load.for_s, 3),
    }


@contextmanager
def _node(database: Path | PostgresUrl, folder: str) -> Iterator[tuple[Process, int]]:
    """A server and its port."""
    url = f"sqlite:///{database}" if isinstance(database, Path) else database.url
    node = Process(
        "liarsdice", "serve", *FLAGS, *NO_LIMITS, environment={"LIARSDICE_DATABASE": url, "XDG_STATE_HOME": folder}
    )
    try:
        port = urlsplit(node.read_line().split()[4]).port
        assert port is not None
        yield node, port
    finally:
        node.end()


async def _make_tables(database: Path | PostgresUrl, tables: int, first: int) -> None:
    store = make_store(database)
    await fill(store, tables, first=first)
    await store.close()


async def _count_tables(url: PostgresUrl) -> int:
    """Return how many tables the database has already."""
    connection = await asyncpg.connect(url.url)
    try:
        return int(await connection.fetchval("SELECT count(*) FROM tables"))
    except asyncpg.UndefinedTableError:
        return 0
    finally:
        await connection.close()


def _database_cpu_s(url: PostgresUrl) -> Mapping[int, float]:
    """Return the CPU seconds of the processes of a database server, by id; of none if it is on another machine."""
    found: dict[int, float] = {}
    for pid in asyncio.run(_database_pids(url)):
        with suppress(OSError):
            if Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").startswith("postgres"):
                found[pid] = cpu_s(pid)
    return found


async def _database_pids(url: PostgresUrl) -> list[int]:
    connection = await asyncpg.connect(url.url)
    try:
        return [row[0] for row in await connection.fetch(SESSIONS)]
    finally:
        await connection.close()
