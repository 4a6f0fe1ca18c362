"""The program itself as a process of its own, to be killed and started again on the same database."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import msgspec

from liarsdice.server.settings import PostgresUrl
from liarsdice.server.table.log_entries import LOG_ENTRY_DECODER, LogRow
from tests.forked_program import ForkedProgram

START_WITHIN_S = 30.0
ADDRESS = re.compile(r"http://\S+")


class Server:
    """`liarsdice serve` on a database, with flags. `log`: what it writes to standard error.

    `program`: the module that runs instead, and its options, from the next start on.

    It takes a new port at every start, so that no port is ever fought for, unless pages must find it again
    (`keeps_port`).
    """

    def __init__(
        self,
        database: Path | PostgresUrl,
        *flags: str,
        keeps_port: bool = False,
        log: Path | None = None,
        program: Sequence[str] = ("liarsdice",),
    ) -> None:
        self.database = database
        self.log = log or Path(str(database)).with_suffix(".log")
        self.address = ""
        self.starts = 0
        self._flags = flags
        self.program = program
        self._keeps_port = keeps_port
        self._process: ForkedProgram | None = None

    @property
    def pid(self) -> int:
        """The process that runs now."""
        assert self._process is not None
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._process is not None and self._process.is_running

    def start(self) -> None:
        """Start it and wait until it says where it is."""
        port = urlsplit(self.address).port or 0 if self._keeps_port else 0
        words = [*serve_words(port, self.program), *self._flags]
        self._process = ForkedProgram(words, _environment(self.database, self.log.parent), self.log)
        said = self._process.stdout.readline()
        found = ADDRESS.search(said)
        if found is None:
            self.end()
            raise AssertionError(f"the server said {said!r} and {self.log.read_text()[-2000:]}")
        self.address = found[0]
        self.starts += 1

    def freeze(self) -> None:
        """As when the machine is suspended: it does nothing, and its connections stay open."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on after `freeze`."""
        os.kill(self.pid, signal.SIGCONT)

    def kill(self) -> None:
        """As when the power goes: nothing is finished, nobody is told."""
        assert self._process is not None
        self._process.close()

    def stop(self) -> int:
        """As an operator stops it; the exit status."""
        assert self._process is not None
        self._process.terminate()
        status = self._process.wait(START_WITHIN_S)
        self._process.close()
        return status

    def end(self) -> None:
        """Leave nothing behind, whatever happened."""
        if self._process is not None:
            self._process.close()


def refusal(database: Path | PostgresUrl, folder: Path | None = None, *, fresh: bool = False) -> tuple[int, str]:
    """How a server ends that cannot start on a database: its exit status, and what it says.

    `folder`: where its keys are, by default beside the database file. `fresh`: it is started by its command.
    """
    if folder is None:
        assert isinstance(database, Path)
        folder = database.parent
    environment = _environment(database, folder)
    if fresh:
        words = [sys.executable, "-m", *serve_words()]
        ended = subprocess.run(
            words, capture_output=True, text=True, timeout=START_WITHIN_S, check=False, env=environment
        )
        return ended.returncode, ended.stdout + ended.stderr
    with tempfile.TemporaryDirectory() as log_folder:
        log = Path(log_folder, "log")
        program = ForkedProgram(serve_words(), environment, log)
        with closing(program):
            status = program.wait(START_WITHIN_S)
            return status, program.stdout.read() + log.read_text()


def serve_words(port: int = 0, program: Sequence[str] = ("liarsdice",)) -> list[str]:
    """The module and the arguments that serve at a port (0: any free one)."""
    return [*program, "serve", "--port", str(port)]


def _environment(database: Path | PostgresUrl, state: Path) -> dict[str, str]:
    """A database and the default settings, save that all connect from one address, and often."""
    url = f"sqlite:///{database}" if isinstance(database, Path) else database.url
    ours = {name: value for name, value in os.environ.items() if not name.startswith("LIARSDICE_")}
    return ours | {"LIARSDICE_CONNECTIONS_PER_MINUTE": "0", "LIARSDICE_DATABASE": url, "XDG_STATE_HOME": str(state)}


def logs_of(database: Path) -> dict[str, list[LogRow]]:
    """Every table's log as it is on disk, by code; asserts that no entry is missing but what was deleted."""
    with closing(sqlite3.connect(database)) as connection:
        return _logs_by_code(connection.execute(HEADS), connection.execute(ENTRIES))


async def postgres_logs_of(url: PostgresUrl) -> dict[str, list[LogRow]]:
    """As `logs_of`, for a PostgreSQL database."""
    connection = await asyncpg.connect(url.url)
    try:
        heads, entries = await connection.fetch(HEADS), await connection.fetch(ENTRIES)
    finally:
        await connection.close()
    return _logs_by_code(map(tuple, heads), map(tuple, entries))


HEADS = "SELECT code, head, talk_deleted FROM tables"
ENTRIES = "SELECT code, seq, at_ms, request_id, body FROM entries ORDER BY code, seq"


def _logs_by_code(heads: Iterable[Sequence[Any]], entries: Iterable[Sequence[Any]]) -> dict[str, list[LogRow]]:
    counts = {code: (head, deleted) for code, head, deleted in heads}
    logs: dict[str, list[LogRow]] = {code: [] for code in counts}
    for code, seq, at_ms, request_id, body in entries:
        logs[code].append(LogRow(seq, at_ms, request_id, LOG_ENTRY_DECODER.decode(body)))
    for code, rows in logs.items():
        head, deleted = counts[code]
        assert [row.seq for row in rows[-1:]] == [head], f"the log of table {code} has no end"
        assert len({row.seq for row in rows}) == len(rows) == head - deleted, f"table {code} has gaps"
    return logs


def decoded(text: str | bytes) -> dict[str, object]:
    """A message as plain JSON."""
    return msgspec.json.decode(text, type=dict[str, object])
