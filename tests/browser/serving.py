"""The program as people run it: a process of its own, that can be killed and come back at the same address."""

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

START_WITHIN_S = 30.0
ADDRESS = re.compile(r"http://\S+")
SLOW = "2"
"""The pace at which nothing goes on by itself before everybody has looked."""


class Server:
    """`liarsdice serve` on a database of its own."""

    def __init__(self, folder: Path, pace: str = SLOW) -> None:
        self.database = folder / "tables.db"
        self.log = folder / "server.log"
        self.address = ""
        self.pace = pace
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it, at the port that it had before, and wait until it says that people can come."""
        port = str(urlsplit(self.address).port or 0)
        database = f"sqlite:///{self.database}"
        words = ["-m", "liarsdice", "serve", "--port", port, "--database", database, "--pace", self.pace]
        known = {name: value for name, value in os.environ.items() if not name.startswith("LIARSDICE_")}
        with self.log.open("a") as log:
            self._process = subprocess.Popen(
                [sys.executable, *words], stdout=subprocess.PIPE, stderr=log, text=True, env=known
            )
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        found = ADDRESS.search(said)
        assert found, f"the server said {said!r} and {self.log.read_text()[-2000:]}"
        self.address = found[0]

    def kill(self) -> None:
        """As when the power goes."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(START_WITHIN_S)
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None
