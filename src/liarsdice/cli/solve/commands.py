"""`liarsdice solve` and `liarsdice strategy`: their options. Each command imports its module when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from liarsdice.cli.arguments import add_command

solve_app = typer.Typer(
    help="Solve a round or a whole match of two players, or many of them.", invoke_without_command=True
)
strategy_app = typer.Typer(help="Show, plot or export a solved strategy.", no_args_is_help=True)

DiceOption = Annotated[str, typer.Option(help="The dice of the player who opens and of the other player, such as 2v1.")]
RulesOption = Annotated[str, typer.Option(help="A preset such as perudo or classic+aces, or a .toml or .json file.")]
FacesOption = Annotated[int | None, typer.Option(help="The number of faces of a die (default: that of the rules).")]
MethodOption = Annotated[str, typer.Option(help="The algorithm: dcfr, cfr+ or pcfr+.")]
ThreadsOption = Annotated[int, typer.Option(min=1, help="The number of threads for large rounds.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")]
FileArgument = Annotated[Path, typer.Argument(help="A file that `liarsdice solve -o FILE` wrote.")]
RoundOption = Annotated[
    str | None, typer.Option(help="The round of a match, such as 2v1: the dice of the player who opens come first.")
]


class SolveRoundOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Solve one round of two players: its value, and how far the strategy is from unbeatable.

    Ctrl-C stops early and keeps the strategy so far; while the bounds are certified, it gives them up.
    """

    dice: DiceOption = "1v1"
    rules: RulesOption = "openspiel"
    faces: FacesOption = None
    method: MethodOption = "dcfr"
    target: Annotated[
        float | None, typer.Option(help="Stop at this exploitability (default: 0.001, without another limit).")
    ] = None
    iterations: Annotated[int | None, typer.Option(help="Stop after this many iterations.")] = None
    seconds: Annotated[
        float | None,
        typer.Option(
            help="Stop after this many seconds, with certified bounds if these take less than half of that. What "
            "--out writes is always certified, afterwards if need be."
        ),
    ] = None
    threads: ThreadsOption = 2
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the strategy to this file.")] = None
    as_json: JsonOption = False


add_command(solve_app, None, SolveRoundOptions, "liarsdice.cli.solve.games:run_round")


class SolveMatchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Solve a whole match of two players: the probability that the player who opens wins, for every number of dice."""

    dice: DiceOption = "2v1"
    rules: RulesOption = "perudo"
    faces: FacesOption = None
    method: MethodOption = "dcfr"
    target: Annotated[
        float,
        typer.Option(
            help="How far what each player can guarantee may be from the value of the match, which is between -1 and 1."
        ),
    ] = 1e-3
    threads: ThreadsOption = 2
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write all rounds to this file, and continue from the rounds that it holds."),
    ] = None
    as_json: JsonOption = False


add_command(solve_app, "match", SolveMatchOptions, "liarsdice.cli.solve.games:run_match")


class SolveTableOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Solve many games: every number of dice under several rules. An interrupted run continues where it stopped."""

    rules: Annotated[str, typer.Option(help="Rulesets separated by commas: presets or files of house rules.")]
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="The folder for one file of each game; a run continues from the files there."),
    ]
    up_to: Annotated[
        int, typer.Option(min=2, help="Solve all games in which both players together have at most this many dice.")
    ] = 3
    faces: FacesOption = None
    method: MethodOption = "dcfr"
    target: Annotated[float, typer.Option(help="Solve each game to this exploitability.")] = 1e-3
    matches: Annotated[bool, typer.Option("--matches", help="Solve whole matches instead of rounds.")] = False
    jobs: Annotated[int, typer.Option(min=1, help="The number of games to solve at the same time.")] = 2
    ray: Annotated[
        bool, typer.Option("--ray", help="Distribute the games with Ray, over a cluster or this machine.")
    ] = False
    as_json: JsonOption = False


add_command(solve_app, "table", SolveTableOptions, "liarsdice.cli.solve.games:run_table")


@solve_app.command("endgames")
def endgames(
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder for the file of each preset.")],
    rules: Annotated[
        str | None, typer.Option(help="Presets separated by commas (default: all that the solver knows).")
    ] = None,
    rounds: Annotated[
        str, typer.Option(help="The rounds to solve; the dice of the player who opens come first.")
    ] = "1v1,2v1,1v2",
    target: Annotated[
        float, typer.Option(help="How far what each player can guarantee may be from the value of each match.")
    ] = 1e-4,
) -> None:
    """Solve the last rounds of two-player matches under presets, for the champion bot."""
    from liarsdice.cli.solve.endgames import run

    raise typer.Exit(run(out, rules, rounds, target))


@strategy_app.command()
def show(
    file: FileArgument,
    hand: Annotated[
        str | None, typer.Option(help="The dice of the player whose turn it is, such as 2,5 (default: all hands).")
    ] = None,
    bids: Annotated[str | None, typer.Option(help="The bids of the round so far, such as 1x5,2x5.")] = None,
    dice: RoundOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show how each hand plays after some bids. Without bids, also show when each hand calls."""
    from liarsdice.cli.solve.strategy import run_show

    raise typer.Exit(run_show(file, hand=hand, bids_text=bids, dice=dice, as_json=as_json))


@strategy_app.command()
def plot(
    file: FileArgument,
    picture: Annotated[Path, typer.Argument(help="The picture file to write: .svg, .png or .pdf.")],
    dice: RoundOption = None,
) -> None:
    """Plot how each hand opens and when it calls. Needs matplotlib, which the extra `research` installs."""
    from liarsdice.cli.solve.strategy import run_plot

    raise typer.Exit(run_plot(file, picture, dice=dice))


@strategy_app.command()
def export(
    file: FileArgument,
    table: Annotated[Path, typer.Argument(help="The file to write: .csv, .json or .parquet (needs pyarrow).")],
    dice: RoundOption = None,
) -> None:
    """Write how every hand plays after all bids, as a table for other programs."""
    from liarsdice.cli.solve.strategy import run_export

    raise typer.Exit(run_export(file, table, dice=dice))
