"""Standard streams that may be closed, full or unread, and the exit statuses of the program."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Literal, TextIO

EXIT_STREAM_ERROR = 1
"""A standard stream cannot be read or written."""

EXIT_ERROR = 2
"""The command cannot be carried out; typer has the same status for a wrong option."""

EXIT_INTERRUPTED = 130
"""Ctrl-C stopped the command, as in shells: 128 and the number of SIGINT."""


@contextmanager
def handle_stream_errors() -> Iterator[None]:
    """Run a block with usable standard streams, and end the program with status 1 if one of them fails.

    The error is one line on stderr; there is none if the reader of a pipe has gone. A closed stdin is empty, output to
    a closed stderr is lost, and with a closed stdout the block does not run.
    """
    stdout_closed = sys.stdout is None
    sys.stdin = sys.stdin or _open_null("r")
    sys.stdout = sys.stdout or _open_null("w")
    sys.stderr = sys.stderr or _open_null("w")
    if stdout_closed:
        print_error("standard output is closed")
        sys.exit(EXIT_STREAM_ERROR)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # characters that the encoding lacks become ?
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
    except BrokenPipeError:
        _discard_output()
        sys.exit(EXIT_STREAM_ERROR)
    except OSError as error:
        _discard_output()
        print_error(f"cannot read or write: {error.strerror or error}")
        sys.exit(EXIT_STREAM_ERROR)


def is_hung_up(stream: int) -> bool:
    """Return whether the other end of a stream, such as the window of a terminal, has closed.

    `stream`: the number of its file. Where the system cannot tell, the answer is no.
    """
    if not hasattr(select, "poll"):  # Windows
        return False
    poll = select.poll()
    poll.register(stream, 0)
    return any(events & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, events in poll.poll(0))


def print_error(message: object) -> None:
    """Print a message on stderr after the program's name. A stderr that cannot be written is ignored."""
    with suppress(OSError):
        print(f"liarsdice: {message}", file=sys.stderr, flush=True)


def _open_null(mode: Literal["r", "w"]) -> TextIO:
    return Path(os.devnull).open(mode, encoding="utf-8")


def _discard_output() -> None:
    """Discard unwritten output, so that the interpreter does not try to write it again at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(null, stream.fileno())
    os.close(null)
