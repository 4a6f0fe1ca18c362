"""The match on disk: its record grows by one write an action, and who sits where is kept beside it.

A record that was broken off in the middle of a write, or of what follows an action, loses that action and no more,
and the player is told. A record that contradicts the rules is refused and stays as it is.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from liarsdice import __version__
from liarsdice.bots.external.user_bots import is_own
from liarsdice.bots.registry import make_bot
from liarsdice.cli.play.recovery import whole_actions
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import LiarsDiceError, RecordError, UnavailableError
from liarsdice.core.events import Event, MatchStarted
from liarsdice.core.records.record import LONGEST_RECORD, Record, write_record
from liarsdice.runtime.atomic_files import append, lock

if sys.platform != "win32":
    import pwd

LONGEST_SEATS = 64 * 1024


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
        if not lock(descriptor):
            os.close(descriptor)
            raise UnavailableError(f"{path} is being played already, in another window")

    @classmethod
    def create(cls, path: Path, seats: Seats, begin: MatchStarted) -> Save:
        """A new record. Raises `UnavailableError` where it or its seats are there already, or cannot be written."""
        made = not os.path.lexists(path)
        save = cls(path, _open(path, os.O_RDWR | os.O_CREAT))
        try:
            _demand_empty(path, save._descriptor)
            _write_seats(path, seats)
            try:
                save._write(write_record((begin,), __version__).encode())
            except UnavailableError:
                _seats_path(path).unlink(missing_ok=True)
                raise
        except UnavailableError:
            save.close()
            if made:
                path.unlink(missing_ok=True)
            raise
        return save

    @classmethod
    def resume(cls, path: Path) -> tuple[Save, Record, str | None]:
        """A record that goes on, cut back to its last whole action if it was broken off, and what was cut."""
        save = cls(path, _open(path, os.O_RDWR))
        try:
            with open(save._descriptor, "rb", closefd=False) as file:
                record, kept, cut = whole_actions(file.read(LONGEST_RECORD + 1))
            _demand_unfinished(path, record)
            if cut is not None:
                os.ftruncate(save._descriptor, kept)
        except (OSError, RecordError) as error:
            save.close()
            raise RecordError(f"{path} cannot go on: {error}") from error
        except UnavailableError:
            save.close()
            raise
        return save, record, None if cut is None else f"cut from the end of {path}: {cut}"

    def append(self, events: Sequence[Event]) -> None:
        """Keep what one action led to."""
        self._write(b"".join(msgspec.json.encode(event) + b"\n" for event in events))

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._descriptor)

    def _write(self, raw: bytes) -> None:
        try:
            append(self._descriptor, raw)
        except OSError as error:
            raise UnavailableError(f"cannot write {self.path}: {error.strerror or error}") from error


def read_seats(path: Path, record: Record) -> Seats | None:
    """Who sits where, as it was kept beside a record; None where that is lost or does not fit the record."""
    beside = _seats_path(path)
    try:
        if not beside.is_file():
            return None
        with beside.open("rb") as file:
            raw = file.read(LONGEST_SEATS + 1)
        seats = msgspec.json.decode(raw, type=Seats)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return seats if len(raw) <= LONGEST_SEATS and _fits(seats, len(record.state.names)) else None


def _fits(seats: Seats, count: int) -> bool:
    """Whether the human has a seat, and every other seat a bot that can be made, or one of the player's own."""
    if len(seats.bots) != count or not 0 <= seats.you < count or seats.bots[seats.you]:
        return False
    try:
        for seat, spec in enumerate(seats.bots):
            if seat != seats.you and not is_own(spec):
                make_bot(spec)
    except LiarsDiceError:
        return False
    return True


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
    while os.path.lexists(free) or os.path.lexists(_seats_path(free)):
        count += 1
        free = path.with_name(f"{path.stem}-{count}{path.suffix}")
    return free


def latest_unfinished() -> Path:
    """The match that was broken off last, of those that can be read. Raises `UnavailableError` when there is none."""
    for path in sorted(state_folder().glob("*.jsonl"), key=_changed_ns, reverse=True):
        if _waits(path):
            return path
    raise UnavailableError(f"no match waits in {state_folder()} (start one: liarsdice play)")


def _changed_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _waits(path: Path) -> bool:
    """Whether a file holds a match that can go on."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            record, _, _ = whole_actions(file.read(LONGEST_RECORD + 1))
    except (OSError, RecordError):
        return False
    return record.state.phase is not Phase.OVER


def state_folder() -> Path:
    """Where matches are kept that the player gave no file."""
    named = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (named if named.is_absolute() else _home() / ".local" / "state") / "liarsdice" / "matches"


def _home() -> Path:
    """The player's home, by the password database where the environment names none."""
    if sys.platform == "win32" or Path(os.environ.get("HOME", "")).is_absolute():
        return Path.home()
    try:
        home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        home = Path()
    if not home.is_absolute():
        raise UnavailableError("you have no home to keep matches in (name a file: liarsdice play --record FILE)")
    return home


def _write_seats(path: Path, seats: Seats) -> None:
    """Write who sits where into a file that must not be there yet; no part of one is left behind."""
    beside = _seats_path(path)
    try:
        with beside.open("xb") as file:
            try:
                file.write(msgspec.json.format(msgspec.json.encode(seats)) + b"\n")
                file.flush()
            except OSError:
                beside.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise UnavailableError(f"cannot write {beside}: {error.strerror or error}") from error


def _seats_path(path: Path) -> Path:
    resolved = path.resolve()
    return resolved.with_name(resolved.name + ".seats")


def _open(path: Path, flags: int) -> int:
    try:
        descriptor = os.open(path, flags, 0o600)
    except (OSError, ValueError) as error:
        raise UnavailableError(f"cannot open {path}: {getattr(error, 'strerror', None) or error}") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UnavailableError(f"{path} is no regular file, so no match can be kept in it")
    return descriptor


def _demand_empty(path: Path, descriptor: int) -> None:
    if os.fstat(descriptor).st_size:
        raise UnavailableError(
            f"{path} is there already and stays as it is (go on with it: liarsdice play --resume {path})"
        )


def _demand_unfinished(path: Path, record: Record) -> None:
    if record.state.phase is Phase.OVER:
        raise UnavailableError(f"the match in {path} is over (start a new one: liarsdice play)")
