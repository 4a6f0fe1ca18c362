"""The match on disk: its record grows by one write an action, and who sits where is kept beside it.

A record that was broken off in the middle of a write, or of what follows an action, loses that action and no more.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from liarsdice import __version__
from liarsdice.core.errors import RecordError, UnavailableError
from liarsdice.core.events import Event, MatchStarted
from liarsdice.core.record import Record, begins_action, read_record, write_record

if sys.platform != "win32":
    import fcntl

ENDED = b'{"type":"match_ended"'


class Seats(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who sits where: the human's seat, each seat's bot ("" for the human), and the seed of dice and bots."""

    you: int
    bots: tuple[str, ...]
    seed: str


class Save:
    """A record file that is open for more events. Only one program at a time may hold it."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor
        _lock(path, descriptor)

    @classmethod
    def create(cls, path: Path, seats: Seats, begin: MatchStarted) -> Save:
        """A new record. Raises `UnavailableError` where one is there already, or none can be written."""
        save = cls(path, _open(path, os.O_RDWR | os.O_CREAT))
        if os.fstat(save._descriptor).st_size:
            save.close()
            raise UnavailableError(
                f"{path} is there already and stays as it is (go on with it: liarsdice play --resume {path})"
            )
        try:
            _write_seats(path, seats)
            save._write(write_record((begin,), __version__).encode())
        except UnavailableError:
            save.close()
            raise
        return save

    @classmethod
    def resume(cls, path: Path) -> tuple[Save, Record]:
        """A record that goes on, cut back to its last whole action if it was broken off."""
        save = cls(path, _open(path, os.O_RDWR))
        try:
            raw = path.read_bytes()
            record, kept = whole_actions(raw)
            if kept < len(raw):
                os.ftruncate(save._descriptor, kept)
        except (OSError, RecordError) as error:
            save.close()
            raise RecordError(f"{path} cannot go on: {error}") from error
        return save, record

    def append(self, events: Sequence[Event]) -> None:
        """Keep what one action led to."""
        self._write(b"".join(msgspec.json.encode(event) + b"\n" for event in events))

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._descriptor)

    def _write(self, raw: bytes) -> None:
        os.lseek(self._descriptor, 0, os.SEEK_END)
        try:
            written = os.write(self._descriptor, raw)
        except OSError as error:
            raise UnavailableError(f"cannot write {self.path}: {error.strerror or error}") from error
        if written < len(raw):
            raise UnavailableError(f"cannot write {self.path}: no room left for {len(raw)} bytes")


def whole_actions(raw: bytes) -> tuple[Record, int]:
    """The record that bytes hold up to the last whole action, and how many bytes that is.

    Raises `RecordError` where more than the last action is broken.
    """
    lines = raw.splitlines(keepends=True)
    if lines and not lines[-1].endswith(b"\n"):
        lines.pop()
    try:
        return read_record(b"".join(lines)), sum(map(len, lines))
    except RecordError:
        lines = lines[: _last_begin(lines)]
        return read_record(b"".join(lines)), sum(map(len, lines))


def _last_begin(lines: Sequence[bytes]) -> int:
    for place in range(len(lines) - 1, 1, -1):
        try:
            event = msgspec.json.decode(lines[place], type=Event)
        except msgspec.DecodeError:
            continue
        if begins_action(event):
            return place
    return len(lines)


def read_seats(path: Path, record: Record) -> Seats | None:
    """Who sits where, as it was kept beside a record; None where that is lost or belongs to another match."""
    try:
        seats = msgspec.json.decode(_seats_path(path).read_bytes(), type=Seats)
    except (OSError, msgspec.DecodeError):
        return None
    fits = len(seats.bots) == len(record.state.names) and 0 <= seats.you < len(seats.bots)
    return seats if fits else None


def new_path(game: str) -> Path:
    """A file of its own for a match that the player gave none."""
    folder = state_folder()
    stem = "-".join("".join(letter if letter.isalnum() else " " for letter in game.lower().replace("'", "")).split())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return numbered(folder / f"{time.strftime('%Y-%m-%d-%H%M%S')}-{stem or 'match'}.jsonl")
    except OSError as error:
        raise UnavailableError(f"cannot keep matches in {folder}: {error.strerror or error}") from error


def numbered(path: Path) -> Path:
    """A path, or the first like it with a number that is still free."""
    free, count = path, 1
    while free.exists():
        count += 1
        free = path.with_name(f"{path.stem}-{count}{path.suffix}")
    return free


def latest_unfinished() -> Path:
    """The match that was broken off last, of those that can be read. Raises `UnavailableError` when there is none."""
    found = {path: since for path in state_folder().glob("*.jsonl") if (since := _waits_since_ns(path)) is not None}
    if not found:
        raise UnavailableError(f"no match waits in {state_folder()} (start one: liarsdice play)")
    return max(found, key=lambda path: found[path])


def state_folder() -> Path:
    """Where matches are kept that the player gave no file."""
    home = os.environ.get("XDG_STATE_HOME")
    return (Path(home) if home else Path.home() / ".local" / "state") / "liarsdice" / "matches"


def _waits_since_ns(path: Path) -> int | None:
    """When a match was broken off; None where it is over, or the file holds none."""
    try:
        lines = path.read_bytes().splitlines()
        return None if not lines or lines[-1].startswith(ENDED) else path.stat().st_mtime_ns
    except OSError:
        return None


def _write_seats(path: Path, seats: Seats) -> None:
    beside = _seats_path(path)
    try:
        beside.write_bytes(msgspec.json.format(msgspec.json.encode(seats)) + b"\n")
    except OSError as error:
        raise UnavailableError(f"cannot write {beside}: {error.strerror or error}") from error


def _seats_path(path: Path) -> Path:
    return path.with_name(path.name + ".seats")


def _open(path: Path, flags: int) -> int:
    try:
        return os.open(path, flags, 0o600)
    except OSError as error:
        raise UnavailableError(f"cannot open {path}: {error.strerror or error}") from error


def _lock(path: Path, descriptor: int) -> None:
    if sys.platform == "win32":
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise UnavailableError(f"{path} is being played already, in another window") from error
