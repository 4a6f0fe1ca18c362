"""Real Redis and NATS servers for tests, from wheels: on a port of 127.0.0.1, ended by whoever started them."""

import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Self

BINARIES = Path(sys.executable).parent
WITHIN_S = 60.0
POLL_S = 0.02


class BusServer:
    """A server of a kind, "redis" or "nats". It has the same port after `kill` and `start`."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.folder = Path(tempfile.mkdtemp(prefix=f"{kind}-"))
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"{self.kind}://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        shutil.rmtree(self.folder)

    def start(self) -> None:
        """Start it and wait until it accepts connections."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(self._command(), stdout=log, stderr=log, cwd=self.folder)
        deadline_s = time.monotonic() + WITHIN_S
        while not self._is_ready():
            assert time.monotonic() < deadline_s, (self.folder / "log").read_text()[-2000:]
            assert self._process.poll() is None, (self.folder / "log").read_text()[-2000:]
            time.sleep(POLL_S)

    def _command(self) -> list[str]:
        if self.kind == "nats":
            return [str(BINARIES / "nats-server"), "-a", "127.0.0.1", "-p", str(self.port)]
        words = ["--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--daemonize", "no"]
        return [str(BINARIES / "redis-server"), *words]

    def _is_ready(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True

    def freeze(self) -> None:
        """Let it do nothing, with its connections open, until `resume`."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on after `freeze`."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """End it as a crash does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(WITHIN_S)
            self._process = None
