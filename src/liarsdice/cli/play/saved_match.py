"""Saved matches: the record grows by one write for each action, and a file beside it holds the seats.

If a record ends in the middle of a write or of the events of an action, resuming removes that action only and the
player is told. A record that contradicts the rules is refused and not changed.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from liarsdice.bots.external.user_bots import is_user_bot, load_bot
from liarsdice.bots.protocol import Bot
from liarsdice.bots.registry import make_bot
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import LiarsDiceError, MalformedError, RecordError, UnavailableError
from liarsdice.core.events import Event, MatchStarted
from liarsdice.core.records.record import MAX_RECORD_BYTES, Record, write_record
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.incomplete_record import complete_actions
from liarsdice.play.player_names import look_alike, normalize_name
from liarsdice.runtime.atomic_files import append_whole, try_lock, write_new_file
from liarsdice.version import __version__

if sys.platform != "win32":
    import pwd

MAX_SEATS_BYTES = 64 * 1024


class Seats(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The human's seat, the bot of each seat ("" for the human), and the seed of the dice and the bots."""

    you: int
    bots: tuple[str, ...]
    seed: str


class SavedMatch:
    """A record file that is open for appending. A lock ensures that only one program has it open."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor
        if not try_lock(descriptor):
            os.close(descriptor)
            raise UnavailableError(f"{path} is already being played in another window")

    @classmethod
    def create(cls, path: Path, seats: Seats, match_started: MatchStarted) -> SavedMatch:
        """Write a new record and its seats file.

        Raises `UnavailableError` if one of them exists or cannot be written, and then leaves neither.
        """
        is_new = not os.path.lexists(path)
        saved_match = cls(path, _open(path, os.O_RDWR | os.O_CREAT))
        try:
            _require_empty(path, saved_match._descriptor)
            _write_seats(path, seats)
            try:
                saved_match._write(write_record((match_started,), __version__).encode())
            except UnavailableError:
                _seats_path(path).unlink(missing_ok=True)
                raise
        except UnavailableError:
            saved_match.close()
            if is_new:
                path.unlink(missing_ok=True)
            raise
        return saved_match

    @classmethod
    def resume(cls, path: Path) -> tuple[SavedMatch, Record, str | None]:
        """Open a record to continue it. Returns the open file, the record and a notice for the player, or None.

        An incomplete end is cut off the file, and the notice says so. Raises `RecordError` if the record cannot be
        continued, and `UnavailableError` if its match is over or the file cannot be opened.
        """
        saved_match = cls(path, _open(path, os.O_RDWR))
        try:
            with open(saved_match._descriptor, "rb", closefd=False) as file:
                record, length, rest = complete_actions(file.read(MAX_RECORD_BYTES + 1))
            _require_unfinished(path, record)
            if rest is not None:
                os.ftruncate(saved_match._descriptor, length)
        except (OSError, RecordError) as error:
            saved_match.close()
            raise RecordError(f"{path} cannot be continued: {error}") from error
        except UnavailableError:
            saved_match.close()
            raise
        return saved_match, record, None if rest is None else f"cut from the end of {path}: {rest}"

    def append(self, events: Sequence[Event]) -> None:
        """Append the events of one action in one write. Raises `UnavailableError` if the disk is full."""
        self._write(b"".join(msgspec.json.encode(event) + b"\n" for event in events))

    def close(self) -> None:
        """Close the file and release its lock."""
        os.close(self._descriptor)

    def _write(self, raw: bytes) -> None:
        try:
            append_whole(self._descriptor, raw)
        except OSError as error:
            raise UnavailableError(f"cannot write {self.path}: {error.strerror or error}") from error


def read_seats(path: Path, record: Record) -> Seats | None:
    """Return the seats from the file beside a record, or None if it is missing or does not fit the record."""
    seats_path = _seats_path(path)
    try:
        if not seats_path.is_file():
            return None
        with seats_path.open("rb") as file:
            raw = file.read(MAX_SEATS_BYTES + 1)
        seats = msgspec.json.decode(raw, type=Seats)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return seats if len(raw) <= MAX_SEATS_BYTES and _fits(seats, len(record.state.names)) else None


def _fits(seats: Seats, count: int) -> bool:
    """Whether the human has a seat, and every other seat a built-in bot that exists or a user's bot."""
    if len(seats.bots) != count or not 0 <= seats.you < count or seats.bots[seats.you]:
        return False
    try:
        for seat, spec in enumerate(seats.bots):
            if seat != seats.you and not is_user_bot(spec):
                make_bot(spec)
    except LiarsDiceError:
        return False
    return True


def new_path(game: str) -> Path:
    """Return a new path in the state folder for a match of a game with this title.

    Raises `UnavailableError` if the folder cannot be made.
    """
    folder = state_folder()
    stem = "-".join("".join(letter if letter.isalnum() else " " for letter in game.lower().replace("'", "")).split())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return unused_path(folder / f"{time.strftime('%Y-%m-%d-%H%M%S')}-{stem or 'match'}.jsonl")
    except OSError as error:
        raise UnavailableError(f"cannot save matches in {folder}: {error.strerror or error}") from error


def unused_path(path: Path) -> Path:
    """Return the path if no match is saved there, or else the first numbered variant that is free."""
    candidate, count = path, 1
    while os.path.lexists(candidate) or os.path.lexists(_seats_path(candidate)):
        count += 1
        candidate = path.with_name(f"{path.stem}-{count}{path.suffix}")
    return candidate


def latest_unfinished() -> Path:
    """Return the unfinished match that was changed last. Raises `UnavailableError` if there is none."""
    for path in sorted(state_folder().glob("*.jsonl"), key=_changed_ns, reverse=True):
        if _is_unfinished(path):
            return path
    raise UnavailableError(f"there is no unfinished match in {state_folder()} (start one: liarsdice play)")


def _changed_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _is_unfinished(path: Path) -> bool:
    """Whether a file holds a match that can be continued."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            record, _, _ = complete_actions(file.read(MAX_RECORD_BYTES + 1))
    except (OSError, RecordError):
        return False
    return record.state.phase is not Phase.OVER


def state_folder() -> Path:
    """Return the folder of matches without a file of their own, by the XDG base directory specification."""
    state_home = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (state_home if state_home.is_absolute() else _home_folder() / ".local" / "state") / "liarsdice" / "matches"


def _home_folder() -> Path:
    """Return the user's home folder, from the password database if the environment names none."""
    if sys.platform == "win32" or Path(os.environ.get("HOME", "")).is_absolute():
        return Path.home()
    try:
        home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        home = Path()
    if not home.is_absolute():
        raise UnavailableError("there is no home folder to save matches in (name a file: liarsdice play --record FILE)")
    return home


def _write_seats(path: Path, seats: Seats) -> None:
    """Write the seats to a new file beside the record, completely or not at all."""
    seats_path = _seats_path(path)
    try:
        write_new_file(seats_path, msgspec.json.format(msgspec.json.encode(seats)) + b"\n")
    except OSError as error:
        raise UnavailableError(f"cannot write {seats_path}: {error.strerror or error}") from error


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
        raise UnavailableError(f"{path} is not a regular file, so no match can be saved in it")
    return descriptor


def _require_empty(path: Path, descriptor: int) -> None:
    if os.fstat(descriptor).st_size:
        raise UnavailableError(
            f"{path} already exists and is not overwritten (to continue it: liarsdice play --resume {path})"
        )


def _require_unfinished(path: Path, record: Record) -> None:
    if record.state.phase is Phase.OVER:
        raise UnavailableError(f"the match in {path} is over (start a new one: liarsdice play)")


DEFAULT_NAME = "Player"
"""The human's name in records if no other is given."""

BOT_NAMES = (
    *("Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ivy", "Joe"),
    *("Kay", "Lu", "Mia", "Nia", "Oz", "Pam", "Ray", "Sue", "Tom", "Una"),
)

DEFAULT_BOTS = ("inference", "threshold", "threshold:0.4")
"""The bots of a match without --bots, repeated until every seat is taken."""

DEFAULT_SEAT_COUNT = 4


def assign_seats(
    rules: Ruleset, player_name: str, specs: Sequence[str], seats: int | None, seed: str
) -> tuple[Seats, list[str]]:
    """Return the seats and the names: the human in the first seat and a bot in each other one.

    `specs` are repeated or cut until every bot's seat has one. Without `seats`, their number is that of `specs` and
    one. Raises `InvalidNameError`, `MalformedError` if the human is called "you", and `UnavailableError` if there are
    too few names.
    """
    player_name = normalize_name(player_name)
    if look_alike(player_name, "you"):
        raise MalformedError(f"a player cannot be called {player_name!r} (choose another name)")
    seat_count = seats or (len(specs) + 1 if specs else _default_seat_count(rules))
    if seat_count > len(BOT_NAMES):
        raise UnavailableError(f"a table has at most {len(BOT_NAMES)} seats, not {seat_count}")
    bot_specs = specs or DEFAULT_BOTS
    for spec in bot_specs:
        load_bot(spec)  # refuses an unknown bot before anything is written
    bot_names = [name for name in BOT_NAMES if not look_alike(name, player_name)][: seat_count - 1]
    bots = [bot_specs[index % len(bot_specs)] for index in range(len(bot_names))]
    return Seats(0, ("", *bots), seed), [player_name, *bot_names]


def default_seats(names: Sequence[str], seed: str) -> Seats:
    """Return the seats of a record whose seats file is lost: the human in the first seat and the default bots."""
    bots = (DEFAULT_BOTS[seat % len(DEFAULT_BOTS)] for seat in range(1, len(names)))
    return Seats(0, ("", *bots), seed)


def replace_bots(seats: Seats, specs: Sequence[str]) -> Seats:
    """Return the same seats with other bots, repeated until every bot's seat has one."""
    for spec in specs:
        load_bot(spec)
    bot_seats = [seat for seat, spec in enumerate(seats.bots) if spec]
    new_specs = {seat: specs[index % len(specs)] for index, seat in enumerate(bot_seats)}
    return msgspec.structs.replace(seats, bots=tuple(new_specs.get(seat, "") for seat in range(len(seats.bots))))


def make_bots(seats: Seats, event_count: int) -> dict[int, Bot]:
    """Return the bots by seat. Their random choices depend on the seed and on the number of events so far."""
    return {seat: load_bot(spec, f"{seats.seed}/{seat}/{event_count}") for seat, spec in enumerate(seats.bots) if spec}


def _default_seat_count(rules: Ruleset) -> int:
    max_players = rules.players.max
    return max(rules.players.min, DEFAULT_SEAT_COUNT if max_players is None else min(DEFAULT_SEAT_COUNT, max_players))
