"""`liarsdice puzzles make` and `merge`: files of puzzles that are found in matches between bots."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from liarsdice.analysis.puzzles.find import JUDGE, PuzzleFinder
from liarsdice.analysis.puzzles.puzzle import (
    MAX_FILE_BYTES,
    PUZZLES_FORMAT,
    Puzzle,
    PuzzleFile,
    PuzzleHeader,
    Theme,
    merge_puzzles,
    read_puzzles,
    write_puzzle_line,
    write_puzzles,
)
from liarsdice.cli.arguments import read_file
from liarsdice.cli.puzzles.commands import MakeOptions, MergeOptions
from liarsdice.cli.stdio import EXIT_INTERRUPTED, align_columns
from liarsdice.core.errors import UnavailableError, counted
from liarsdice.core.rules.presets import preset
from liarsdice.runtime.atomic_files import append_whole, check_writable, write_atomically
from liarsdice.runtime.processes import TerminatedError, stoppable
from liarsdice.solve.strategy.strategy_file import read_strategies


def run(options: MakeOptions) -> int:
    """Append puzzles to the file until it holds enough.

    Returns 0, or 128 and the number of the signal that stopped it. Raises `UnavailableError` for an unknown preset or
    a file that cannot be written or holds puzzles of another seed, and `MalformedError` for another kind of file.
    """
    names = [preset(name).name for name in options.rules.split(",")]
    check_writable(options.output)
    solved = [read_strategies(path) for path in options.solved or ()]
    finder = PuzzleFinder(names, options.seed, options.deals, solved, only_solved=options.only_solved)
    known = _open_file(options, names)  # from here on there is a file
    keys = {puzzle.situation for puzzle in known.puzzles}
    match = max((puzzle.match for puzzle in known.puzzles), default=0)  # it may have more puzzles than were wanted
    found = len(known.puzzles)
    try:
        with stoppable() as raise_if_stopped:
            while found < options.count:
                new = [puzzle for puzzle in finder.puzzles(match) if puzzle.situation not in keys]
                raise_if_stopped()
                new = new[: options.count - found]
                _append(options.output, b"".join(map(write_puzzle_line, new)))
                keys.update(puzzle.situation for puzzle in new)
                found += len(new)
                match += 1
                if sys.stderr.isatty():
                    print(
                        f"\r{counted(match, 'match', 'matches')}, {counted(found, 'puzzle')}",
                        end="",
                        file=sys.stderr,
                        flush=True,
                    )
    except TerminatedError as order:
        return order.status
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    print(f"{options.output}: {counted(found, 'puzzle')}")
    return 0


def _open_file(options: MakeOptions, names: Sequence[str]) -> PuzzleFile:
    """Return the puzzles that the file has; a new file gets a header."""
    if options.output.exists():
        known = read_puzzles(read_file(str(options.output), MAX_FILE_BYTES))
        if known.header.judge != JUDGE or any(puzzle.seed != options.seed for puzzle in known.puzzles):
            raise UnavailableError(
                f"{options.output} holds puzzles of another seed or judge than {options.seed}, {JUDGE}"
            )
        return known
    header = PuzzleHeader(PUZZLES_FORMAT, JUDGE, {name: preset(name).ruleset for name in names})
    _append(options.output, write_puzzle_line(header))
    return PuzzleFile(header, ())


def _append(path: Path, lines: bytes) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
        try:
            append_whole(descriptor, lines)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise UnavailableError(f"cannot write {path}: {error.strerror or error}") from error


def merge_files(options: MergeOptions) -> int:
    """Write the merged file and print how many puzzles it has; returns 0.

    Raises `UnavailableError` if a file cannot be read or written, or the files do not fit together, and
    `MalformedError` if one of them is no file of puzzles.
    """
    parts = [read_puzzles(read_file(str(file), MAX_FILE_BYTES)) for file in options.files]
    merged = merge_puzzles(parts)
    raw = write_puzzles(merged)
    write_atomically(options.output, raw)
    print("\n".join(align_columns(_counts(merged.puzzles))))
    print(f"{options.output}: {counted(len(merged.puzzles), 'puzzle')}, {len(raw):,} bytes")
    return 0


def _counts(puzzles: Sequence[Puzzle]) -> list[tuple[str, ...]]:
    """Return how many puzzles each ruleset has, in all and by theme, as rows of a table."""
    counts = Counter((puzzle.rules, puzzle.theme) for puzzle in puzzles)
    rows: list[tuple[str, ...]] = [("rules", *(theme.value for theme in Theme), "all")]
    for rules in sorted({puzzle.rules for puzzle in puzzles}):
        numbers = [counts[rules, theme] for theme in Theme]
        rows.append((rules, *map(str, numbers), str(sum(numbers))))
    return rows
