"""A server with a database full of tables, and what it costs; for `benchmarks.server` and `benchmarks.soak`.

The program prints its port when it is ready and serves until it is terminated.
"""

import argparse
import asyncio
import logging
import os
import resource
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import msgspec

from liarsdice.core.rules.presets import preset
from liarsdice.server.app import make_app
from liarsdice.server.http.auth import hash_token
from liarsdice.server.http.connections import BACKLOG, LimitedServer
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.run import configure_logging, tune_garbage_collector, uvicorn_config
from liarsdice.server.services import Services
from liarsdice.server.storage.sqlite import SqliteStore
from liarsdice.server.storage.store import LogAppend
from liarsdice.server.table.commands import Begin
from liarsdice.server.table.log_entries import LogRow, Opened
from liarsdice.server.table.table_config import Away, TableConfig

RULES = "perudo"
SEATS = 6
CODE_ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
PASSING_NAMES = 100_000


def code_of(number: int) -> str:
    """Return the code of the table with a number."""
    letters = ""
    for _ in range(5):
        number, digit = divmod(number, len(CODE_ALPHABET))
        letters += CODE_ALPHABET[digit]
    return letters


def token_of(seat: int) -> str:
    """Return the token of the person who has this seat at every table."""
    return f"seat-{seat}-of-every-table"


def pin_to_core(core: int | None) -> None:
    """Pin this process to a core, if one is given, and raise its limit of open files to the maximum."""
    if core is not None:
        os.sched_setaffinity(0, {core})
    _, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))


class ServerProcess:
    """A running server, and what it costs."""

    def __init__(self, pid: int, port: int) -> None:
        self.pid, self.port = pid, port

    def cpu_s(self) -> float:
        """Return the user and system CPU seconds so far."""
        fields = self._read("stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_kb(self) -> float:
        """Return the resident memory in kilobytes."""
        return int(self._read("statm").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1000

    def _read(self, file: str) -> str:
        return Path(f"/proc/{self.pid}/{file}").read_text(encoding="utf-8")


def enlarge_interned_names() -> None:
    """Intern many strings and let them go, so that CPython's dictionary of interned strings has its final size.

    A dictionary keeps the places of deleted keys until it must grow. This one grows once, by 1.9 MB, after the server
    has interned about 30,000 strings, which takes it some 20 minutes.
    """
    for number in range(PASSING_NAMES):
        sys.intern(f"passing name {number}")


@asynccontextmanager
async def running_server(tables: int, core: int | None = None) -> AsyncIterator[ServerProcess]:
    """Run a server in a process of its own. `core`: it stays on this core."""
    words = ["--tables", str(tables), *([] if core is None else ["--core", str(core)])]
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks.server_process", *words), stdout=asyncio.subprocess.PIPE
    )
    try:
        assert server.stdout is not None
        yield ServerProcess(server.pid, int(await server.stdout.readline()))
    finally:
        server.terminate()
        await server.wait()


async def table_log(store: SqliteStore) -> Sequence[LogRow]:
    """Return the log of a table in a store with six people who have their first dice."""
    services = Services(store, pace=0)
    await services.open()
    registry = TableRegistry(services)
    config = TableConfig(
        title="The Crooked Spoon", ruleset=preset(RULES).ruleset, rules_name=RULES, seats=SEATS, away=Away.WAIT
    )
    live_table, _ = await registry.open_table(config, "Player 1", hash_token(token_of(0)), "", ())
    for seat in range(1, SEATS):
        await registry.take_seat(live_table, f"Player {seat + 1}", hash_token(token_of(seat)), "", f"sit-{seat}")
    await registry.submit(live_table, hash_token(token_of(0)), "begin", Begin())
    dealt = asyncio.Event()
    live_table.on_change.append(dealt.set)
    while (table := await live_table.state()).ongoing_match is None or not table.ongoing_match.state.hands:
        dealt.clear()
        await dealt.wait()
    stored = await store.load_state(table.code)
    assert stored is not None
    await services.close()
    return stored.rows


async def make_database(path: Path, tables: int) -> None:
    """Create a database with the same table many times, under the codes from number 0 on."""
    rows = await table_log(SqliteStore(path))
    opening = rows[0].entry
    assert isinstance(opening, Opened)
    store = SqliteStore(path)
    await store.open(rows[-1].at_ms)
    appends = []
    for code in map(code_of, range(tables)):
        opened = msgspec.structs.replace(rows[0], entry=msgspec.structs.replace(opening, code=code))
        appends.append(store.append(LogAppend(code, 0, (opened, *rows[1:]), None, listed=False)))
    assert all(await asyncio.gather(*appends))
    await store.close()


class LoudServer(LimitedServer):
    """A server that prints its port when it is ready."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As in uvicorn, then print the port."""
        await super().startup(sockets)
        assert sockets
        print(sockets[0].getsockname()[1], flush=True)


def main() -> None:
    """Serve as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--core", type=int, default=None)
    arguments = parser.parse_args()
    pin_to_core(arguments.core)
    configure_logging(logging.WARNING)
    tune_garbage_collector()
    enlarge_interned_names()
    with tempfile.TemporaryDirectory() as folder, suppress(KeyboardInterrupt):
        path = Path(folder) / "tables.db"
        asyncio.run(make_database(path, arguments.tables))
        listener = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
        app = make_app(Services(SqliteStore(path), pace=0))
        LoudServer(uvicorn_config(app)).run(sockets=[listener])


if __name__ == "__main__":
    main()
