"""`liarsdice puzzles`: the puzzle of the day, puzzles by theme and rules, and new ones from matches between bots."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from liarsdice.cli.arguments import add_command

puzzles_app = typer.Typer(help="Play puzzles: what would you do?", invoke_without_command=True)

DEFAULT_RULES = "perudo,basic,classic+aces+palifico+calza,perudo,mustache,chart,bluff,red-dead"


class PuzzleOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Play the puzzle of the day, and then others: find the best move, going by what you can see.

    Every puzzle is from a match between bots. Its best move is certainly better than each other one that is offered.
    The days in a row on which you found it are kept in
    $XDG_STATE_HOME/liarsdice/puzzles.json (by default ~/.local/state/liarsdice/puzzles.json).
    """

    theme: Annotated[
        str | None,
        typer.Option(help="Only puzzles about: challenge, raise, bluff, exact, special or opening."),
    ] = None
    rules: Annotated[str | None, typer.Option(help="Only puzzles of this preset, such as perudo.")] = None
    file: Annotated[Path | None, typer.Option(help="A file of `liarsdice puzzles make` instead of those shipped.")] = (
        None
    )


add_command(puzzles_app, None, PuzzleOptions, "liarsdice.cli.puzzles.play:run")


class MakeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Find puzzles in matches between bots, and write them to a file.

    After Ctrl-C the file holds the puzzles found so far, and the same command continues.
    """

    output: Annotated[Path, typer.Option("-o", "--output", help="The file; if it exists, the search goes on in it.")]
    count: Annotated[int, typer.Option(min=1, max=100_000, help="How many puzzles the file is to have.")] = 20
    rules: Annotated[str, typer.Option(help="Presets separated by commas, for one match each in turn.")] = DEFAULT_RULES
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same puzzles.")] = 0
    deals: Annotated[int, typer.Option(min=100, max=100_000, help="The number of deals that certify a puzzle.")] = 600
    solved: Annotated[
        list[Path] | None,
        typer.Option(
            help="A file of `liarsdice solve match`, which certifies the decisions of its rounds; repeatable."
        ),
    ] = None
    only_solved: Annotated[
        bool, typer.Option("--only-solved", help="Only decisions of solved rounds, in matches of two players.")
    ] = False


add_command(puzzles_app, "make", MakeOptions, "liarsdice.cli.puzzles.make:run", one_thread=True)


class MergeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Merge files of puzzles into one, in which no two puzzles look alike, and count them by rules and theme.

    The order of the files does not matter.
    """

    files: Annotated[list[Path], typer.Argument(help="Files of `liarsdice puzzles make`.")]
    output: Annotated[Path, typer.Option("-o", "--output", help="The file that is written; it may be one of FILES.")]


add_command(puzzles_app, "merge", MergeOptions, "liarsdice.cli.puzzles.make:merge_files")
