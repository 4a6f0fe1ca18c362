"""An arena on disk, so that a run can continue: JSON lines, a header and one line for each finished deal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, Self

import msgspec

from liarsdice.analysis.arena import Arena, DealResult
from liarsdice.bots.external.user_bots import file_digests
from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError
from liarsdice.runtime.atomic_files import append_whole, try_lock

FORMAT = 1
MAX_DIFFERENCES = 3
"""The most differences to another arena that an error names."""
COUNTS = range(1 << 53)
"""The counts that a file may hold: whole numbers that a float holds exactly."""
TIME_BUCKETS = range(512)
"""The buckets of `timing.TimeHistogram` that a file may hold."""


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="liarsdice_arena", tag_field="record"):
    """The first line: everything that the results depend on.

    `engine`: the version of this package. `files`: the SHA-256 of the files that users' bots consist of, by path.
    """

    format: int
    engine: str
    arena: Arena
    files: dict[str, str]


class ArenaFile:
    """The file of an arena, open and locked until it is closed. `deals`: the results that it holds, by number.

    An incomplete last line, as a kill leaves it, is cut off. Raises `UnavailableError` if the file cannot be read or
    written, another program has it open, or it belongs to another arena, and `MalformedError` if it is no arena file.
    """

    def __init__(self, path: Path, arena: Arena, engine: str) -> None:
        self.path = path
        self.deals: dict[int, DealResult] = {}
        header = Header(FORMAT, engine, arena, file_digests(arena.bots))
        try:
            if path.exists() and not (path.is_file() or path.is_dir()):
                raise UnavailableError(f"cannot keep deals in {path}: it is a device or a pipe, and not a file")
            self._file = path.open("a+b", buffering=0)
            try:
                self._load(header)
            except BaseException:
                self.close()
                raise
        except OSError as error:
            raise UnavailableError(f"cannot keep deals in {path}: {error.strerror or error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, which releases its lock."""
        self._file.close()

    def append(self, deal: DealResult) -> None:
        """Write a deal to the end of the file. Raises `UnavailableError` if that fails; the file is then unchanged."""
        try:
            self._write_line(deal)
        except OSError as error:
            raise UnavailableError(f"cannot write {self.path}: {error.strerror or error}") from error
        self.deals[deal.number] = deal

    def _load(self, header: Header) -> None:
        """Lock the file and read its deals, or write the header of a new one."""
        if not try_lock(self._file.fileno()):
            raise UnavailableError(
                f"another program keeps deals in {self.path} already; wait until it ends, or name another file"
            )
        self._file.seek(0)
        content = self._file.read()
        complete = content.rfind(b"\n") + 1
        if complete:
            self._read_lines(content[:complete].splitlines(), header)
        elif content and not _line(header).startswith(content):
            raise MalformedError(f"{self.path} is not an arena file; it was not changed")
        self._file.truncate(complete)
        if not complete:
            self._write_line(header)

    def _write_line(self, line: Header | DealResult) -> None:
        append_whole(self._file.fileno(), _line(line))

    def _read_lines(self, lines: list[bytes], expected: Header) -> None:
        """Check the header against the expected one, and read the deals."""
        try:
            header = msgspec.json.decode(lines[0], type=Header)
        except (msgspec.DecodeError, UnicodeDecodeError, LiarsDiceError) as error:
            raise MalformedError(f"{self.path} is not an arena file; it was not changed ({error})") from error
        different = [*differences("", msgspec.to_builtins(header), msgspec.to_builtins(expected))]
        if different:
            named = name_differences(different)
            raise UnavailableError(f"{self.path} belongs to another arena: {named} (name another file)")
        for number, line in enumerate(lines[1:], start=2):
            try:
                deal = msgspec.json.decode(line, type=DealResult)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise MalformedError(f"{self.path}, line {number}: {error}") from error
            problem = _deal_problem(expected.arena, deal)
            if problem:
                raise MalformedError(f"{self.path}, line {number}: {problem}")
            self.deals.setdefault(deal.number, deal)


def _line(content: Header | DealResult) -> bytes:
    return msgspec.json.encode(content) + b"\n"


def _deal_problem(arena: Arena, deal: DealResult) -> str | None:
    """Return why a deal cannot be one of this arena, None if it can. `summarize` relies on what is checked here."""
    if deal.number < 0 or tuple(match.seating for match in deal.matches) != arena.seatings(deal.number):
        return f"the bots of deal {deal.number} sat otherwise"
    for match in deal.matches:
        if match.places != tuple(1 + sum(other < place for other in match.places) for place in match.places):
            return f"the places {match.places} are none of a match"
        if not len(match.places) == len(match.faults) == arena.seats:
            return f"a match of {arena.seats} has as many places and numbers of faults"
        if len(match.adjustment) != arena.adjusted * arena.seats or not all(map(isfinite, match.adjustment)):
            return "a match has as many adjustments as seats if the arena is adjusted, and none otherwise"
        if match.playouts not in {0, arena.playouts}:
            return f"rounds are played again {arena.playouts} times, not {match.playouts}"
        if not match.rounds or not all(count in COUNTS for count in (match.rounds, *match.faults)):
            return "its rounds or faults cannot be so many"
    buckets_and_counts = [item for times in deal.times for item in times.items()]
    if len(deal.times) != len(arena.bots) or not all(
        bucket in TIME_BUCKETS and count in COUNTS for bucket, count in buckets_and_counts
    ):
        return f"the times are not those of {len(arena.bots)} bots"
    return None if deal.seconds > 0 else f"a deal takes longer than {deal.seconds:g} s"


def name_differences(different: Sequence[str]) -> str:
    """Return some of the differences that `differences` yields, and how many more there are."""
    more = len(different) - MAX_DIFFERENCES
    return "; ".join(different[:MAX_DIFFERENCES]) + (f"; and {more} more" if more > 0 else "")


def differences(path: str, theirs: Any, ours: Any) -> Iterator[str]:  # noqa: ANN401  JSON of any shape
    """Yield where two JSON values differ, by the dotted path of their keys."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in ours.keys() | theirs.keys() if theirs.keys() != ours.keys() else ours:
            yield from differences(f"{path}.{key}" if path else str(key), theirs.get(key), ours.get(key))
    elif theirs != ours:
        yield f"{path.removeprefix('contest.')} is {theirs!r} there and {ours!r} here"
