"""`liarsdice puzzles`: the puzzle of the day, puzzles by theme and rules, and new ones from matches between bots."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from liarsdice.runtime.blas_threads import use_one_thread

puzzles_app = typer.Typer(help="Play puzzles: what would you do?", invoke_without_command=True)

DEFAULT_RULES = "perudo,basic,classic+aces+palifico+calza,perudo,mustache,chart,bluff,red-dead"


@puzzles_app.callback()
def play(
    context: typer.Context,
    theme: Annotated[
        str | None,
        typer.Option(help="Only puzzles about: challenge, raise, bluff, exact, special or opening."),
    ] = None,
    rules: Annotated[str | None, typer.Option(help="Only puzzles of this preset, such as perudo.")] = None,
    file: Annotated[
        Path | None, typer.Option(help="A file of `liarsdice puzzles make` instead of those shipped.")
    ] = None,
) -> None:
    """Play the puzzle of the day, and then others: find the best move, going by what you can see.

    Every puzzle is from a match between bots. Its best move is at least 8 points (hundredths of a match) better than
    each other one that is offered. The days in a row on which you found it are kept in
    $XDG_STATE_HOME/liarsdice/puzzles.json (by default ~/.local/state/liarsdice/puzzles.json).
    """
    if context.invoked_subcommand is None:
        from liarsdice.cli.puzzles.play import PuzzleOptions, run

        raise typer.Exit(run(PuzzleOptions(theme, rules, file)))


@puzzles_app.command()
def make(
    output: Annotated[Path, typer.Option("-o", "--output", help="The file; if it exists, the search goes on in it.")],
    count: Annotated[int, typer.Option(min=1, max=100_000, help="How many puzzles the file is to have.")] = 20,
    rules: Annotated[
        str, typer.Option(help="Presets separated by commas, for one match each in turn.")
    ] = DEFAULT_RULES,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same puzzles.")] = 0,
    deals: Annotated[int, typer.Option(min=100, max=100_000, help="The number of deals that certify a puzzle.")] = 600,
    solved: Annotated[
        list[Path] | None,
        typer.Option(
            help="A file of `liarsdice solve match`, which certifies the decisions of its rounds; repeatable."
        ),
    ] = None,
    only_solved: Annotated[
        bool, typer.Option("--only-solved", help="Only decisions of solved rounds, in matches of two players.")
    ] = False,
) -> None:
    """Find puzzles in matches between bots, and write them to a file.

    After Ctrl-C the file holds the puzzles found so far, and the same command continues.
    """
    use_one_thread()
    from liarsdice.cli.puzzles.make import MakeOptions, run

    raise typer.Exit(run(MakeOptions(output, count, rules, seed, deals, tuple(solved or ()), only_solved)))


@puzzles_app.command()
def merge(
    files: Annotated[list[Path], typer.Argument(help="Files of `liarsdice puzzles make`.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The file that is written; it may be one of FILES.")],
) -> None:
    """Merge files of puzzles into one, in which no two puzzles look alike, and count them by rules and theme.

    The order of the files does not matter.
    """
    from liarsdice.cli.puzzles.make import merge_files

    raise typer.Exit(merge_files(output, files))
