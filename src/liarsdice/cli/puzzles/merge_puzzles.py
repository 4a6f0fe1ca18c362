"""`liarsdice puzzles merge`: makes one file of several, each puzzle once, and counts them by rules and theme."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from liarsdice.analysis.puzzles.puzzle import (
    MAX_FILE_BYTES,
    Puzzle,
    Theme,
    merge_puzzles,
    read_puzzles,
    write_puzzles,
)
from liarsdice.cli.arguments import read_file
from liarsdice.cli.stdio import align_columns
from liarsdice.runtime.atomic_files import write_atomically


def run(output: Path, files: Sequence[Path]) -> int:
    """Write the merged file and print how many puzzles it has; returns 0.

    Raises `UnavailableError` if a file cannot be read or written, or the files do not fit together, and
    `MalformedError` if one of them is no file of puzzles.
    """
    parts = [read_puzzles(read_file(str(file), MAX_FILE_BYTES)) for file in files]
    merged = merge_puzzles(parts)
    raw = write_puzzles(merged)
    write_atomically(output, raw)
    print("\n".join(align_columns(_counts(merged.puzzles))))
    print(f"{output}: {len(merged.puzzles)} puzzles, {len(raw):,} bytes")
    return 0


def _counts(puzzles: Sequence[Puzzle]) -> list[tuple[str, ...]]:
    """Return how many puzzles each ruleset has, in all and by theme, as rows of a table."""
    counts = Counter((puzzle.rules, puzzle.theme) for puzzle in puzzles)
    rows: list[tuple[str, ...]] = [("rules", *(theme.value for theme in Theme), "all")]
    for rules in sorted({puzzle.rules for puzzle in puzzles}):
        numbers = [counts[rules, theme] for theme in Theme]
        rows.append((rules, *map(str, numbers), str(sum(numbers))))
    return rows
