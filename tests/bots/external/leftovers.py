"""What is left of processes that were started: nothing, one hopes."""

from __future__ import annotations

import os
import time
from pathlib import Path

ROGUE = Path(__file__).parent / "rogue.py"
PATIENCE_S = 20


def gone(pid: int) -> bool:
    """Whether a process has ended and left nothing, not even its status; one that was just killed may take a moment."""
    until_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < until_s:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if state_of(pid) == "Z" and parent_of(pid) != os.getpid():
            return True  # an orphan's orphan, for init to bury
        time.sleep(0.01)
    return False


def state_of(pid: int) -> str:
    return stat_of(pid)[0]


def parent_of(pid: int) -> int:
    return int(stat_of(pid)[1])


def stat_of(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return ["", "-1"]


def pids(notes: Path) -> list[int]:
    return [int(line[4:]) for line in notes.read_text(encoding="utf-8").splitlines() if line.startswith("pid ")]
