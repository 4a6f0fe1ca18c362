"""The messages between this program and a bot, one JSON object a line, and the subprocess that answers them.

It answers each line with a line, within a time limit, and never outlives this process.
"""

import atexit
import os
import selectors
import signal
import subprocess
import time
import weakref
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, TypeAlias

import msgspec

from liarsdice.bots.protocol import BotError
from liarsdice.core.actions import Move
from liarsdice.core.engine.view import View
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.runtime.processes import MAX_WAIT_S, defer_signals

PROTOCOL_VERSION = 1
MAX_LINE_BYTES = 64 * 1024
"""The longest answer in bytes, its line end included."""


class HelloToBot(msgspec.Struct, frozen=True, tag="hello"):
    """You play a match in this seat. The match may be in progress already, if your process was restarted.

    `protocol` is the version of these messages, `move_limit_s` the time limit of each answer in seconds. A bot that
    takes all its random numbers from `seed` plays the same again in the same match.
    """

    protocol: int
    seat: int
    names: tuple[str, ...]
    ruleset: Ruleset
    move_limit_s: float
    seed: str


class ActionRequest(msgspec.Struct, frozen=True, tag="view"):
    """What you see now. Answer with an `action` of the same `number`, which counts the requests to this process."""

    number: int
    view: View


class ResultMessage(msgspec.Struct, frozen=True, tag="result"):
    """The match is over, and these seats have won. Sent before `goodbye`, unless the match was broken off."""

    winners: tuple[int, ...]
    view: View


class Goodbye(msgspec.Struct, frozen=True, tag="goodbye"):
    """There are no more requests. Exit within a second; after that your process is killed."""


class HelloFromBot(msgspec.Struct, frozen=True, tag="hello"):
    """I am ready, and use this version of the messages."""

    protocol: int


class ActionReply(msgspec.Struct, frozen=True, tag="action"):
    """My move: one of those that the view lists, or null out of turn, which lets the bid stand."""

    number: int
    action: Move | None = None


MessageToBot: TypeAlias = HelloToBot | ActionRequest | ResultMessage | Goodbye
MessageFromBot: TypeAlias = HelloFromBot | ActionReply

TO_BOT_DECODER: msgspec.json.Decoder[MessageToBot] = msgspec.json.Decoder(MessageToBot)
FROM_BOT_DECODER: msgspec.json.Decoder[MessageFromBot] = msgspec.json.Decoder(MessageFromBot)


def encode_line(message: MessageToBot | MessageFromBot) -> bytes:
    """Return a message as one line of JSON."""
    return msgspec.json.encode(message) + b"\n"


KEPT_STDERR_BYTES = 300
"""How much of the end of standard error is kept, to be quoted when the process fails."""

END_WITHIN_S = 1.0
CHUNK_BYTES = 64 * 1024

_running: set[subprocess.Popen[bytes]] = set()


class LineProcess:
    """A running command that exchanges lines over its standard input and output.

    The command has a session of its own: Ctrl-C does not reach it, and the processes that it starts are killed with it.
    Raises `BotError` if it cannot be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        try:
            with defer_signals():  # an exception inside Popen would lose the process
                self._popen = subprocess.Popen(  # noqa: S603  the user gave the command, and no shell interprets it
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    bufsize=0,
                    start_new_session=True,
                )
                _running.add(self._popen)
                self._finalizer = weakref.finalize(self, _kill, self._popen)
        except (OSError, ValueError) as error:
            raise BotError(f"it could not be started: {error}") from error
        self._stdout = self._stderr = b""  # received and not yet used
        self._selector = selectors.DefaultSelector()
        for pipe in self._pipes:
            os.set_blocking(pipe.fileno(), False)
        self._selector.register(self._pipes[1], selectors.EVENT_READ)
        self._selector.register(self._pipes[2], selectors.EVENT_READ)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._popen.pid

    @property
    def _pipes(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        """Standard input, output and error."""
        popen = self._popen
        assert popen.stdin is not None
        assert popen.stdout is not None
        assert popen.stderr is not None
        return popen.stdin, popen.stdout, popen.stderr

    def request(self, line: bytes, limit_s: float) -> bytes:
        """Write a line and return the next line of the process, without its line end.

        Raises `BotError` if the process exits, closes its output, takes longer than `limit_s` or writes a line longer
        than `MAX_LINE_BYTES`.
        """
        deadline_s = time.monotonic() + limit_s
        unwritten = self._write(line)
        while unwritten or b"\n" not in self._stdout:
            if len(self._stdout) >= MAX_LINE_BYTES:
                break
            if self._pipes[1] not in self._selector.get_map():
                raise self.error_with_stderr(self._exit_reason())
            if time.monotonic() >= deadline_s:
                raise self.error_with_stderr(f"it gave no answer within {limit_s:g} s")
            unwritten = self._transfer(deadline_s, unwritten)
        answer, _, self._stdout = self._stdout.partition(b"\n")
        if len(answer) >= MAX_LINE_BYTES:
            raise self.error_with_stderr(f"its answer is longer than {MAX_LINE_BYTES} bytes")
        return answer

    def error_with_stderr(self, reason: str) -> BotError:
        """Return an error with this reason and the end of what the process wrote to standard error."""
        deadline_s = time.monotonic() + END_WITHIN_S / 10
        stderr = self._pipes[2]
        while stderr in self._selector.get_map() and self._selector.select(0) and time.monotonic() < deadline_s:
            self._transfer(deadline_s, b"")
        text = self._stderr.decode(errors="replace").strip()
        return BotError(f"{reason} (it wrote: {text})" if text else reason)

    def end(self, last_lines: bytes = b"") -> None:
        """Write the last lines, wait up to `END_WITHIN_S` for the process to exit, and kill its session.

        Without last lines it is killed at once.
        """
        stdin, *_ = self._pipes
        deadline_s = time.monotonic() + (END_WITHIN_S if last_lines else 0)
        unwritten = self._write(last_lines)
        while unwritten and self._selector.get_map() and time.monotonic() < deadline_s:
            unwritten = self._transfer(deadline_s, unwritten)
        with suppress(KeyError):
            self._selector.unregister(stdin)
        with suppress(OSError):
            stdin.close()
        while self._selector.get_map() and time.monotonic() < deadline_s:
            self._transfer(deadline_s, b"")
        self._selector.close()
        self._finalizer()

    def _transfer(self, deadline_s: float, unwritten: bytes) -> bytes:
        """Wait until a pipe is ready, read and write what is possible, and return what is still to be written."""
        stdin, stdout, _ = self._pipes
        for key, _events in self._selector.select(min(max(deadline_s - time.monotonic(), 0), MAX_WAIT_S)):
            if key.fileobj is stdin:
                unwritten = self._write(unwritten)
                continue
            chunk = os.read(key.fd, CHUNK_BYTES)
            if not chunk:
                self._selector.unregister(key.fileobj)
            elif key.fileobj is stdout:
                self._stdout = (self._stdout + chunk)[: 2 * MAX_LINE_BYTES]
            else:
                self._stderr = (self._stderr + chunk)[-KEPT_STDERR_BYTES:]
        return unwritten

    def _write(self, data: bytes) -> bytes:
        """Write as much as the pipe takes now, and return the rest; nothing is left if the reader has gone."""
        stdin, *_ = self._pipes
        try:
            rest = data[os.write(stdin.fileno(), data) :] if data else b""
        except BlockingIOError:
            rest = data
        except OSError:
            rest = b""
        registered = stdin in self._selector.get_map()
        if rest and not registered:
            self._selector.register(stdin, selectors.EVENT_WRITE)
        elif registered and not rest:
            self._selector.unregister(stdin)
        return rest

    def _exit_reason(self) -> str:
        """Say how the process ended, or that it only closed its output."""
        try:
            status = self._popen.wait(END_WITHIN_S)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        if status >= 0:
            return f"it ended with status {status}"
        names = {number.value: number.name for number in signal.Signals}
        return f"it was ended by {names.get(-status, f'signal {-status}')}"


@atexit.register  # for what `_kill` did not end because a signal interrupted it
def kill_all() -> None:
    """Kill every process that this one has started, with their own: for an exit without clean-up."""
    for process in tuple(_running):
        _kill_group(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process with its session and release its resources. Also runs at exit, through `weakref.finalize`."""
    _kill_group(process)
    process.wait()
    _running.discard(process)
    for pipe in (process.stdin, process.stdout, process.stderr):
        with suppress(OSError):
            if pipe is not None:
                pipe.close()


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):  # all of them have exited
        os.killpg(process.pid, signal.SIGKILL)
