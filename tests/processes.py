"""The program itself as a process of its own, to be killed and started again on the same database."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from liarsdice.server.table.log_entries import LOG_ENTRY_DECODER, LogRow

START_WITHIN_S = 30.0
ADDRESS = re.compile(r"http://\S+")


class Server:
    """`liarsdice serve` on a database, with flags.

    It takes a new port at every start, so that no port is ever fought for, unless pages must find it again
    (`keeps_port`).
    """

    def __init__(self, database: Path, *flags: str, keeps_port: bool = False) -> None:
        self.database = database
        self.address = ""
        self.starts = 0
        self._flags = flags
        self._keeps_port = keeps_port
        self._process: subprocess.Popen[str] | None = None

    @property
    def pid(self) -> int:
        """The process that runs now."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it and wait until it says where it is."""
        port = urlsplit(self.address).port or 0 if self._keeps_port else 0
        with self.log.open("a") as log:
            self._process = subprocess.Popen(
                [*command(self.database, port), *self._flags],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=_environment(),
            )
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        found = ADDRESS.search(said)
        assert found, f"the server said {said!r} and {self.log.read_text()[-2000:]}"
        self.address = found[0]
        self.starts += 1

    @property
    def log(self) -> Path:
        """What it writes to standard error."""
        return self.database.with_suffix(".log")

    def kill(self) -> None:
        """As when the power goes: nothing is finished, nobody is told."""
        assert self._process is not None
        self._process.kill()
        self._reap()

    def stop(self) -> int:
        """As an operator stops it; the exit status."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        return self._reap()

    def end(self) -> None:
        """Leave nothing behind, whatever happened."""
        if self._process is not None and self._process.poll() is None:
            self.kill()

    def _reap(self) -> int:
        assert self._process is not None
        status = self._process.wait(START_WITHIN_S)
        assert self._process.stdout is not None
        self._process.stdout.close()
        return status


def refusal(database: Path) -> tuple[int, str]:
    """How a server ends that cannot start on a database: its exit status, and what it says."""
    ended = subprocess.run(
        command(database), capture_output=True, text=True, timeout=START_WITHIN_S, check=False, env=_environment()
    )
    return ended.returncode, ended.stdout + ended.stderr


def command(database: Path, port: int = 0) -> list[str]:
    """What starts the program on a database, at a port (0: any free one)."""
    return [sys.executable, "-m", "liarsdice", "serve", "--port", str(port), "--database", f"sqlite:///{database}"]


def _environment() -> dict[str, str]:
    """No settings but the defaults, save that everybody at every table comes from this one address, and often."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("LIARSDICE_")}
    return ours | {"LIARSDICE_CONNECTIONS_PER_MINUTE": "0"}


def logs_of(database: Path) -> dict[str, list[LogRow]]:
    """Every table's log as it is on disk, by code; asserts that each is as long as its head says, without gaps."""
    connection = sqlite3.connect(database)
    heads: dict[str, int] = dict(connection.execute("SELECT code, head FROM tables"))
    logs: dict[str, list[LogRow]] = {code: [] for code in heads}
    for code, seq, at_ms, request_id, body in connection.execute("SELECT * FROM entries ORDER BY code, seq"):
        logs[code].append(LogRow(seq, at_ms, request_id, LOG_ENTRY_DECODER.decode(body)))
    connection.close()
    for code, rows in logs.items():
        assert [row.seq for row in rows] == list(range(1, heads[code] + 1)), f"table {code} has gaps"
    return logs


def decoded(text: str | bytes) -> dict[str, object]:
    """A message as plain JSON."""
    return msgspec.json.decode(text, type=dict[str, object])
