"""A contest on disk: JSON lines, a header and then a line for each finished deal, so that a killed run goes on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import msgspec

from liarsdice.analysis.arena import Arena, Deal
from liarsdice.bots.external.user_bots import files_of
from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError
from liarsdice.runtime.atomic_files import append, lock

FORMAT = 1
DIFFERENCES_TOLD = 3
COUNTS = range(1 << 53)
"""Whatever may be counted: no more than a float counts exactly."""
SIZES = range(512)
"""Sizes of times as `latency` counts them: from a microsecond to ages."""


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="liarsdice_arena", tag_field="record"):
    """The first line: everything that makes the result what it is.

    `engine`: the version that plays. `files`: the SHA-256 of the files that bots of one's own are made of.
    """

    format: int
    engine: str
    contest: Arena
    files: dict[str, str]


class Kept:
    """The file of a contest, held until it is closed. `deals` are those that it holds, by number.

    Raises `UnavailableError` where it can't be read or written, another program holds it, or it belongs to another
    contest, which it names, and `MalformedError` where it is no such file. A line that a kill tore is cut off.
    """

    def __init__(self, path: Path, contest: Arena, engine: str) -> None:
        self.path = path
        self.deals: dict[int, Deal] = {}
        header = Header(FORMAT, engine, contest, files_of(contest.bots))
        try:
            if path.exists() and not (path.is_file() or path.is_dir()):
                raise UnavailableError(f"cannot keep deals in {path}: it is a device or a pipe, and not a file")
            self._file = path.open("a+b", buffering=0)
            try:
                self._begin(header)
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
        """Let go of the file."""
        self._file.close()

    def keep(self, deal: Deal) -> None:
        """Write a deal down."""
        try:
            self._add(deal)
        except OSError as error:
            raise UnavailableError(f"cannot write {self.path}: {error.strerror or error}") from error
        self.deals[deal.number] = deal

    def _begin(self, header: Header) -> None:
        if not lock(self._file.fileno()):
            raise UnavailableError(
                f"another program keeps deals in {self.path} already; wait until it ends, or name another file"
            )
        self._file.seek(0)
        raw = self._file.read()
        whole = raw.rfind(b"\n") + 1
        if whole:
            self._read(raw[:whole].splitlines(), header)
        elif raw and not _line(header).startswith(raw):
            raise MalformedError(f"{self.path} is no arena's file; it stays as it is")
        self._file.truncate(whole)
        if not whole:
            self._add(header)

    def _add(self, line: Header | Deal) -> None:
        append(self._file.fileno(), _line(line))

    def _read(self, lines: list[bytes], wanted: Header) -> None:
        try:
            header = msgspec.json.decode(lines[0], type=Header)
        except (msgspec.DecodeError, UnicodeDecodeError, LiarsDiceError) as error:
            raise MalformedError(f"{self.path} is no arena's file; it stays as it is ({error})") from error
        differing = [*_differences("", msgspec.to_builtins(header), msgspec.to_builtins(wanted))]
        if differing:
            told = "; ".join(differing[:DIFFERENCES_TOLD])
            more = len(differing) - DIFFERENCES_TOLD
            also = f"; and {more} more" if more > 0 else ""
            raise UnavailableError(f"{self.path} holds another contest: {told}{also} (name another file)")
        for number, line in enumerate(lines[1:], start=2):
            try:
                deal = msgspec.json.decode(line, type=Deal)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise MalformedError(f"{self.path}, line {number}: {error}") from error
            wrong = _misfit(wanted.contest, deal)
            if wrong:
                raise MalformedError(f"{self.path}, line {number}: {wrong}")
            self.deals.setdefault(deal.number, deal)


def _line(told: Header | Deal) -> bytes:
    return msgspec.json.encode(told) + b"\n"


def _misfit(contest: Arena, deal: Deal) -> str | None:
    """Why a deal that can be read is none of this contest; what adds deals up may rely on what is tested here."""
    if deal.number < 0 or tuple(match.seating for match in deal.matches) != contest.seatings(deal.number):
        return f"the bots of deal {deal.number} sat otherwise"
    for match in deal.matches:
        if match.places != tuple(1 + sum(other < place for other in match.places) for place in match.places):
            return f"the places {match.places} are none of a match"
        if not len(match.places) == len(match.faults) == contest.seats:
            return f"a match of {contest.seats} has as many places and numbers of faults"
        if not match.rounds or not all(count in COUNTS for count in (match.rounds, *match.faults)):
            return "its rounds or faults cannot be so many"
    sizes_and_counts = [one for times in deal.times for one in times.items()]
    if len(deal.times) != len(contest.bots) or not all(s in SIZES and count in COUNTS for s, count in sizes_and_counts):
        return f"the times are not those of {len(contest.bots)} bots"
    return None if deal.seconds > 0 else f"a deal takes longer than {deal.seconds:g} s"


def _differences(path: str, theirs: Any, ours: Any) -> Iterator[str]:  # noqa: ANN401  JSON of any shape
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in ours.keys() | theirs.keys() if theirs.keys() != ours.keys() else ours:
            yield from _differences(f"{path}.{key}" if path else str(key), theirs.get(key), ours.get(key))
    elif theirs != ours:
        yield f"{path.removeprefix('contest.')} is {theirs!r} there and {ours!r} here"
