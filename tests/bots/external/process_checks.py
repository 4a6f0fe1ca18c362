"""Checks that processes have ended, by their ids in `/proc`."""

import os
import time
from pathlib import Path

FAULTY_BOT = Path(__file__).parent / "faulty_bot.py"
PATIENCE_S = 60


def has_ended(pid: int) -> bool:
    """Return whether a process has ended and was reaped, waiting for it up to `PATIENCE_S`."""
    deadline_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline_s:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if state_of(pid) == "Z" and parent_of(pid) != os.getpid():
            return True  # a zombie that is not ours: init has to reap it
        time.sleep(0.01)
    return False


def state_of(pid: int) -> str:
    return stat_of(pid)[0]


def parent_of(pid: int) -> int:
    return int(stat_of(pid)[1])


def stat_of(pid: int) -> list[str]:
    """Return the fields of `/proc/PID/stat` from the process state on."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return ["", "-1"]


def noted_pids(notes: Path) -> list[int]:
    """Return the process ids in the notes of `faulty_bot.py`."""
    return [int(line[4:]) for line in notes.read_text(encoding="utf-8").splitlines() if line.startswith("pid ")]
