"""What a program does whose standard streams are closed, full, or no longer read by anybody."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Literal, TextIO

CANNOT_TELL = 1
"""The exit status of a program that could not read or write what it should."""


@contextmanager
def standing() -> Iterator[None]:
    """Run with whole streams; where they fail, one line on stderr (none where the reader has left) and status 1.

    Closed input is at its end, and what goes to a closed stderr is lost; without an output nothing begins.
    """
    lacks_output = sys.stdout is None
    sys.stdin = sys.stdin or _nowhere("r")
    sys.stdout = sys.stdout or _nowhere("w")
    sys.stderr = sys.stderr or _nowhere("w")
    if lacks_output:
        complain("standard output is closed")
        sys.exit(CANNOT_TELL)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a sign that the terminal cannot show is no reason to stop
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
    except BrokenPipeError:
        _let_go()
        sys.exit(CANNOT_TELL)
    except OSError as error:
        _let_go()
        complain(f"cannot read or write: {error.strerror or error}")
        sys.exit(CANNOT_TELL)


def complain(message: object) -> None:
    """Say on stderr what went wrong, if anything can be said there."""
    with suppress(OSError):
        print(f"liarsdice: {message}", file=sys.stderr, flush=True)


def _nowhere(mode: Literal["r", "w"]) -> TextIO:
    return Path(os.devnull).open(mode, encoding="utf-8")


def _let_go() -> None:
    """Lose what the streams still hold, so that the exit does not try to write it once more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
