"""Processes that `benchmarks.server` starts, what they cost, and the medians of several runs."""

import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from benchmarks.figures import Figures
from benchmarks.server_orders import Act

CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Process:
    """A server or the clients as a process of its own. `core`: it is told to stay on this core."""

    def __init__(
        self, module: str, *words: str, core: int | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        pinned = [] if core is None else ["--core", str(core)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *words, *pinned],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **(environment or {})},
        )

    def read_line(self) -> str:
        """Return the next line that the process prints."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the process ended"
        return line

    def send(self, order: Act) -> None:
        """Send an order to the process."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{msgspec.json.encode(order).decode()}\n")
        self._process.stdin.flush()

    def cpu_s(self) -> float:
        """As the function `cpu_s`."""
        return cpu_s(self._process.pid)

    def memory_kb(self) -> float:
        """Return the resident memory in kilobytes."""
        resident = Path(f"/proc/{self._process.pid}/statm").read_text(encoding="utf-8").split()[1]
        return int(resident) * PAGE_BYTES / 1000

    def end(self) -> None:
        """Terminate the process."""
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(30)
        self._process.kill()
        self._process.wait()


def cpu_s(pid: int) -> float:
    """Return the user and system CPU seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS


def middle(turns: list[Figures], by: str) -> Figures:
    """Return the median run by one of its figures."""
    return sorted(turns, key=lambda turn: number(turn, by))[len(turns) // 2]


def number(figures: Figures, name: str) -> float:
    """Return one of the figures as a number."""
    value = figures[name]
    assert isinstance(value, int | float)
    return value
