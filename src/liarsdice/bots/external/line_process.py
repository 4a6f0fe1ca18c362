"""A process that answers lines with lines, each within a time limit, and of which nothing is left in the end."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
import weakref
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from liarsdice.bots.external.messages import LONGEST_LINE
from liarsdice.bots.protocol import GaveUpError

KEPT_STDERR = 300
"""Bytes of what a process last wrote to standard error, to be quoted when it fails."""

END_WITHIN_S = 1.0
CHUNK = 64 * 1024

_running: set[subprocess.Popen[bytes]] = set()


class Process:
    """A running command, in a session of its own, so that Ctrl-C is not for it and its own processes end with it.

    Raises `GaveUpError` where it cannot be started.
    """

    def __init__(self, words: Sequence[str]) -> None:
        try:
            self._popen = subprocess.Popen(  # noqa: S603  the command is the user's own, and no shell reads it
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise GaveUpError(f"it could not be started: {error}") from error
        _running.add(self._popen)
        self._end = weakref.finalize(self, _kill, self._popen)
        self._received = self._said = b""
        self._open = selectors.DefaultSelector()
        for pipe in self._pipes:
            os.set_blocking(pipe.fileno(), False)
        self._open.register(self._pipes[1], selectors.EVENT_READ)
        self._open.register(self._pipes[2], selectors.EVENT_READ)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._popen.pid

    @property
    def _pipes(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        found = self._popen.stdin, self._popen.stdout, self._popen.stderr
        assert found[0] is not None
        assert found[1] is not None
        assert found[2] is not None
        return found[0], found[1], found[2]

    def ask(self, line: bytes, limit_s: float) -> bytes:
        """Write a line and wait for one, without its end. Raises `GaveUpError` where there is none in time."""
        until_s = time.monotonic() + limit_s
        left = self._write(line)
        while left or b"\n" not in self._received:
            if len(self._received) >= LONGEST_LINE:
                break
            if self._pipes[1] not in self._open.get_map():
                raise GaveUpError(f"{self._ending()}{self._quoted()}")
            if time.monotonic() >= until_s:
                raise GaveUpError(f"it gave no answer within {limit_s:g} s{self._quoted()}")
            left = self._wait(until_s, left)
        answer, _, self._received = self._received.partition(b"\n")
        if len(answer) >= LONGEST_LINE:
            raise GaveUpError(f"its answer is longer than {LONGEST_LINE} bytes{self._quoted()}")
        return answer

    def quoting(self, reason: str) -> GaveUpError:
        """An error for this reason, with what the process last wrote to standard error."""
        return GaveUpError(reason + self._quoted())

    def end(self, farewell: bytes = b"") -> None:
        """Say a last word, give the process a second to end by itself, and end it with all that it started."""
        stdin, *_ = self._pipes
        until_s = time.monotonic() + (END_WITHIN_S if farewell else 0)
        left = self._write(farewell)
        while left and self._open.get_map() and time.monotonic() < until_s:
            left = self._wait(until_s, left)
        with suppress(KeyError):
            self._open.unregister(stdin)
        with suppress(OSError):
            stdin.close()
        while self._open.get_map() and time.monotonic() < until_s:
            self._wait(until_s, b"")
        self._open.close()
        self._end()

    def _wait(self, until_s: float, left: bytes) -> bytes:
        """Read what comes, and write on; what is still to be written."""
        stdin, stdout, _ = self._pipes
        for key, _events in self._open.select(max(until_s - time.monotonic(), 0)):
            if key.fileobj is stdin:
                left = self._write(left)
                continue
            came = os.read(key.fd, CHUNK)
            if not came:
                self._open.unregister(key.fileobj)
            elif key.fileobj is stdout:
                self._received = (self._received + came)[: 2 * LONGEST_LINE]
            else:
                self._said = (self._said + came)[-KEPT_STDERR:]
        return left

    def _write(self, line: bytes) -> bytes:
        """Write as much as the process takes now; the rest. What nobody reads any more is as good as written."""
        stdin, *_ = self._pipes
        try:
            rest = line[os.write(stdin.fileno(), line) :] if line else b""
        except BlockingIOError:
            rest = line
        except OSError:
            rest = b""
        listens = stdin in self._open.get_map()
        if rest and not listens:
            self._open.register(stdin, selectors.EVENT_WRITE)
        elif listens and not rest:
            self._open.unregister(stdin)
        return rest

    def _ending(self) -> str:
        """How it ended, or that it only closed its output."""
        try:
            status = self._popen.wait(END_WITHIN_S)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        if status >= 0:
            return f"it ended with status {status}"
        names = {one.value: one.name for one in signal.Signals}
        return f"it was ended by {names.get(-status, f'signal {-status}')}"

    def _quoted(self) -> str:
        until_s = time.monotonic() + END_WITHIN_S / 10
        while self._pipes[2] in self._open.get_map() and self._open.select(0) and time.monotonic() < until_s:
            self._wait(until_s, b"")
        said = self._said.decode(errors="replace").strip()
        return f" (it wrote: {said})" if said else ""


def end_all() -> None:
    """End every process that this one started, and theirs, at once: for who ends without a clean-up."""
    for process in tuple(_running):
        _kill_group(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it started, and let go of it. Also when the program ends, whatever the reason."""
    _kill_group(process)
    process.wait()
    _running.discard(process)
    for pipe in (process.stdin, process.stdout, process.stderr):
        with suppress(OSError):
            if pipe is not None:
                pipe.close()


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):  # they have all ended
        os.killpg(process.pid, signal.SIGKILL)
