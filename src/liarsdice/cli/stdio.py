"""Standard streams that may be closed, full or unread, exit statuses, and what commands print alike.

That is the progress of a solver, durations, aligned columns and tables.
"""

from __future__ import annotations

import math
import os
import select
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO

from liarsdice.core.errors import counted
from liarsdice.core.text.characters import fit_text, text_width
from liarsdice.solve.cfr.method import Bounds

if TYPE_CHECKING:
    from rich.table import Table


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


MAX_EXPONENT = 10
"""The highest power of the iterations that a forecast uses; a flat trend would give an endless one."""

TREND_RATIO = 2.0
"""The trend is that since the bounds with at most 1/`TREND_RATIO` of the iterations."""


class SolveProgress:
    """Prints the bounds on one line of stderr, and forecasts from their trend when they reach the target.

    `began_s`: the time of `time.perf_counter` from which the limit of `seconds` counts.
    """

    def __init__(self, target: float | None, iterations: int | None, seconds: float | None, began_s: float) -> None:
        self._target = target
        self._iterations = iterations
        self._seconds = seconds
        self._began_s = began_s
        self._history: list[Bounds] = []

    def show(self, bounds: Bounds) -> None:
        """Add bounds to the history and rewrite the line."""
        self._history.append(bounds)
        remaining_s = self.remaining_s(time.perf_counter() - self._began_s)
        remaining = "" if remaining_s is None else f", about {format_duration(remaining_s)} left"
        line = f"{counted(bounds.iterations, 'iteration'):>19}, exploitability {bounds.exploitability:.2e}{remaining}"
        print(f"\r{line:<78}", end="", file=sys.stderr, flush=True)

    def remaining_s(self, elapsed_s: float) -> float | None:
        """Return the seconds that remain after `elapsed_s` seconds until the first limit, or None if unknown."""
        latest = self._history[-1]
        last_iterations = [] if self._iterations is None else [float(self._iterations)]
        target_iterations = self._iterations_to_target()
        if target_iterations is not None:
            last_iterations.append(target_iterations)
        remaining = [elapsed_s * (last / latest.iterations - 1) for last in last_iterations]
        if self._seconds is not None:
            remaining.append(self._seconds - elapsed_s)
        return max(min(remaining), 0) if remaining else None

    def _iterations_to_target(self) -> float | None:
        """Return the iterations at the target if exploitability keeps falling as a power of them, else None."""
        latest = self._history[-1]
        earlier = next(
            (bounds for bounds in reversed(self._history) if bounds.iterations * TREND_RATIO <= latest.iterations), None
        )
        if self._target is None or earlier is None or not 0 < latest.exploitability < earlier.exploitability:
            return None
        slope = math.log(earlier.exploitability / latest.exploitability) / math.log(
            latest.iterations / earlier.iterations
        )
        growth: float = max(latest.exploitability / self._target, 1.0) ** min(1 / slope, MAX_EXPONENT)
        return latest.iterations * growth

    @staticmethod
    def end() -> None:
        """End the line."""
        print(file=sys.stderr)


def format_duration(seconds: float) -> str:
    """Return a duration as text, in seconds, minutes or hours.

    >>> format_duration(7.2), format_duration(100), format_duration(8000)
    ('8 s', '1 min 40 s', '2 h 13 min')
    """
    whole = math.ceil(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def format_minute(at_ms: int) -> str:
    """Return a time in milliseconds since 1970 as text, in UTC and to the minute.

    >>> format_minute(1_790_000_000_000)
    '2026-09-21 14:13'
    """
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d %H:%M}"


def align_columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return the rows as lines with aligned columns: the first one to the left, the others to the right.

    >>> align_columns([("bot", "wins"), ("random", "7")])
    ['bot     wins', 'random     7']
    """
    widths = [max(map(text_width, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            [fit_text(row[0], widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]


UNLIMITED_WIDTH = 10_000


def render_table(table: Table, width: int | None = None) -> str:
    """Return a rich table as text without trailing spaces.

    On a terminal it is `width` columns wide (None: as wide as the terminal). For a pipe or a file, each row is one
    line, so that another program finds every word whole.
    """
    from rich.console import Console

    console = Console(width=width if sys.stdout.isatty() else UNLIMITED_WIDTH, highlight=False)
    with console.capture() as captured:
        console.print(table)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())
