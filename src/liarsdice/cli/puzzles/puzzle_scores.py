"""Which puzzles a player has found, and on which days: a file in the state folder of the user."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import msgspec

from liarsdice.cli.play.saved_match import state_folder
from liarsdice.core.errors import UnavailableError
from liarsdice.runtime.atomic_files import write_atomically


class PuzzleScores(msgspec.Struct, frozen=True):
    """`days`: whether the puzzle of a date (ISO 8601) was found. `first_tries`: whether a puzzle was, by its key."""

    days: dict[str, bool] = {}
    first_tries: dict[str, bool] = {}

    def with_try(self, key: str, *, right: bool) -> PuzzleScores:
        """Return the scores with another puzzle; only the first try counts."""
        return PuzzleScores(self.days, {key: right} | self.first_tries)

    def with_day(self, day: date, key: str, *, right: bool) -> PuzzleScores:
        """Return the scores with the puzzle of a day."""
        return PuzzleScores({day.isoformat(): right} | self.days, {key: right} | self.first_tries)

    def streak(self, day: date) -> int:
        """Return on how many days in a row, up to a day or the one before it, the puzzle of the day was found.

        >>> PuzzleScores({"2026-03-01": True, "2026-03-02": True}).streak(date(2026, 3, 3))
        2
        """
        last = day if day.isoformat() in self.days else day - timedelta(days=1)
        count = 0
        while self.days.get((last - timedelta(days=count)).isoformat(), False):
            count += 1
        return count

    def streak_sentence(self, day: date) -> str:
        """Return how long the streak is, in words."""
        days = self.streak(day)
        return "No days in a row." if days == 0 else f"{days} {'day' if days == 1 else 'days'} in a row."


def scores_path() -> Path:
    """Return the file of the scores. Raises `UnavailableError` if the user has no home folder."""
    return state_folder().parent / "puzzles.json"


def read_scores(path: Path) -> PuzzleScores:
    """Return the scores in a file, none if there is no such file. Raises `UnavailableError` if it cannot be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=PuzzleScores)
    except FileNotFoundError:
        return PuzzleScores()
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnavailableError(f"cannot read {path}: {error}") from error


def write_scores(path: Path, scores: PuzzleScores) -> None:
    """Write the scores. Raises `UnavailableError` if the file cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnavailableError(f"cannot write {path}: {error.strerror or error}") from error
    write_atomically(path, msgspec.json.encode(scores))
