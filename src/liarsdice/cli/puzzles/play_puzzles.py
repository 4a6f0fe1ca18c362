"""`liarsdice puzzles` in the terminal: the puzzle of the day, then others, and the days in a row that were right."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

import msgspec

from liarsdice.analysis.puzzles.puzzle import (
    MAX_FILE_BYTES,
    OfferedMove,
    Puzzle,
    Theme,
    daily_number,
    filter_puzzles,
    packaged_puzzles,
    read_puzzles,
)
from liarsdice.cli.arguments import read_file
from liarsdice.cli.puzzles.puzzle_scores import PuzzleScores, read_scores, scores_path, write_scores
from liarsdice.cli.puzzles.puzzle_text import answer_lines, question_lines
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.presets import preset


class PuzzleOptions(msgspec.Struct, frozen=True):
    """The options of the command. `theme`, `rules`: None for all puzzles; `file`: None for those of the package."""

    theme: str | None
    rules: str | None
    file: Path | None


def run(options: PuzzleOptions, today: date | None = None) -> int:
    """Ask puzzles until the player stops or the input ends. Returns 0.

    `today`: the date whose puzzle comes first (default: that of the clock). Raises `UnavailableError` for an unknown
    theme or preset, and if no puzzle is left.
    """
    day = today or date.today()  # noqa: DTZ011  the player's own day
    every = (
        packaged_puzzles()
        if options.file is None
        else read_puzzles(read_file(str(options.file), MAX_FILE_BYTES)).puzzles
    )
    theme = None if options.theme is None else _find_theme(options.theme)
    rules = None if options.rules is None else preset(options.rules).name
    puzzles = filter_puzzles(every, theme, rules)
    if not puzzles:
        raise UnavailableError("there is no such puzzle (make some: liarsdice puzzles make)")
    path = scores_path()
    scores = read_scores(path)
    if theme is None and rules is None:
        number = daily_number(day, len(every))
        title = f"Puzzle of {day.isoformat()}, no. {number + 1} of {len(every)}"
        if day.isoformat() in scores.days:
            print(f"You have played today's puzzle. {scores.streak_sentence(day)}")
        else:
            right = _ask(every[number], title)
            if right is None:
                return 0
            scores = scores.with_day(day, every[number].key, right=right)
            write_scores(path, scores)
            print(scores.streak_sentence(day))
    else:
        print(f"{len(puzzles)} puzzles")
    return _ask_others(puzzles, scores, path)


def _ask_others(puzzles: list[Puzzle], scores: PuzzleScores, path: Path) -> int:
    """Ask the puzzles that have not been played yet, one after the other."""
    for place, puzzle in enumerate(puzzles, start=1):
        if puzzle.key in scores.first_tries:
            continue
        print()
        if _read("Enter: another puzzle, q: quit ") is None:
            return 0
        print()
        right = _ask(puzzle, f"Puzzle {place} of {len(puzzles)}")
        if right is None:
            return 0
        scores = scores.with_try(puzzle.key, right=right)
        write_scores(path, scores)
    print("You have played all of these puzzles.")
    return 0


def _ask(puzzle: Puzzle, title: str) -> bool | None:
    """Ask a puzzle and print the answer. Returns whether the player was right, None if they stopped."""
    print(*question_lines(puzzle, title), sep="\n")
    chosen = _read_choice(puzzle)
    if chosen is None:
        return None
    print()
    print(*answer_lines(puzzle, chosen), sep="\n")
    return chosen == puzzle.moves[0]


def _read_choice(puzzle: Puzzle) -> OfferedMove | None:
    count = len(puzzle.choices)
    while (text := _read(f"1 to {count}, q: quit ")) is not None:
        if text.isascii() and text.isdigit() and 1 <= int(text) <= count:
            return puzzle.choices[int(text) - 1]
    return None


def _read(prompt: str) -> str | None:
    """Return a line of the input without spaces, None at its end and for q."""
    try:
        text = input(prompt).strip().lower()
    except (EOFError, KeyboardInterrupt):
        print()
        return None
    if not sys.stdin.isatty():
        print()
    return None if text in {"q", "quit"} else text


def _find_theme(name: str) -> Theme:
    try:
        return Theme(name.strip().lower())
    except ValueError as error:
        raise UnavailableError(f"no theme is called {name!r:.40} (there are: {', '.join(map(str, Theme))})") from error
