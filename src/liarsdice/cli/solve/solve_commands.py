"""`liarsdice solve` and `liarsdice strategy`: their options. What they do is imported when they run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

solve_app = typer.Typer(help="Solve a round of two players, or a match, or many of them.", invoke_without_command=True)
strategy_app = typer.Typer(help="Ask a solved strategy.", no_args_is_help=True)

Dice = Annotated[str, typer.Option(help="Dice of the player who opens, and of the other one, as in 2v1.")]
Rules = Annotated[str, typer.Option(help="A ruleset's name, or a TOML or JSON file of house rules.")]
Faces = Annotated[int | None, typer.Option(help="Faces of a die, where not as many as the rules have.")]
Method = Annotated[str, typer.Option(help="dcfr, cfr+ or pcfr+.")]
Threads = Annotated[int, typer.Option(min=1, help="Learn on so many threads, where a round is large.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")]
File = Annotated[Path, typer.Argument(help="What `liarsdice solve -o FILE` wrote.")]
Which = Annotated[str | None, typer.Option(help="Which round of a match, as in 2v1, who opens first.")]


@solve_app.callback()
def solve(  # noqa: PLR0917  typer calls it by name
    context: typer.Context,
    dice: Dice = "1v1",
    rules: Rules = "openspiel",
    faces: Faces = None,
    method: Method = "dcfr",
    target: Annotated[
        float | None, typer.Option(help="Stop at this exploitability; 0.001 where nothing else says when to stop.")
    ] = None,
    iterations: Annotated[int | None, typer.Option(help="Stop after so many iterations.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after so many seconds.")] = None,
    threads: Threads = 2,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the strategy to this file.")] = None,
    as_json: Json = False,
) -> None:
    """Solve one round of two players: its value, and how far play is from unbeatable.

    Ctrl-C ends it early and keeps what was learned.
    """
    if context.invoked_subcommand is not None:
        return
    from liarsdice.cli.solve.solve_round import Options, run

    options = Options(
        rules=rules,
        dice=dice,
        faces=faces,
        method=method,
        threads=threads,
        target=target,
        iterations=iterations,
        seconds=seconds,
        out=out,
        as_json=as_json,
    )
    raise typer.Exit(run(options))


@solve_app.command("match")
def match(
    dice: Dice = "2v1",
    rules: Rules = "perudo",
    faces: Faces = None,
    method: Method = "dcfr",
    target: Annotated[
        float, typer.Option(help="How far the match's value, from -1 to 1, may be from what each player makes sure of.")
    ] = 1e-3,
    threads: Threads = 2,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write all rounds to this file, and go on from what it holds.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Solve a whole match of two players: how likely who opens wins it, from every number of dice on the way."""
    from liarsdice.cli.solve.solve_match import Options, run

    raise typer.Exit(run(Options(rules, dice, faces, method, threads, target=target, out=out, as_json=as_json)))


@solve_app.command("table")
def table(  # noqa: PLR0917  typer calls it by name
    rules: Annotated[str, typer.Option(help="Rulesets with commas between them: names, or files of house rules.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder for a file of each game, to go on from.")],
    up_to: Annotated[
        int, typer.Option(min=2, help="All numbers of dice of which both players together have so many.")
    ] = 3,
    faces: Faces = None,
    method: Method = "dcfr",
    target: Annotated[float, typer.Option(help="The exploitability of each game.")] = 1e-3,
    matches: Annotated[bool, typer.Option("--matches", help="Whole matches instead of rounds.")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Games to solve at the same time.")] = 2,
    ray: Annotated[bool, typer.Option("--ray", help="Spread the games over a Ray cluster, or this machine.")] = False,
    as_json: Json = False,
) -> None:
    """Solve many games: every number of dice, by several rules. A run that was stopped goes on where it was."""
    from liarsdice.cli.solve.solve_table import Options, run

    options = Options(
        rules=rules,
        faces=faces,
        method=method,
        up_to=up_to,
        target=target,
        matches=matches,
        out=out,
        jobs=jobs,
        ray=ray,
        as_json=as_json,
    )
    raise typer.Exit(run(options))


@solve_app.command("endgames")
def endgames(
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder for a file of each preset.")],
    target: Annotated[
        float, typer.Option(help="How far each match's value may be from what players make sure of.")
    ] = 1e-4,
) -> None:
    """Solve the last round of matches of two, a die each, by every preset: what the bot champion plays there."""
    from liarsdice.cli.solve.solve_endgames import run

    raise typer.Exit(run(out, target))


@strategy_app.command()
def show(
    file: File,
    hand: Annotated[
        str | None, typer.Option(help="The dice of the player on turn, as in 2,5; without it all hands.")
    ] = None,
    history: Annotated[str | None, typer.Option(help="The bids so far, as in 1x5,2x5.")] = None,
    dice: Which = None,
    as_json: Json = False,
) -> None:
    """Tell how hands act after some bids; without bids also when each hand calls."""
    from liarsdice.cli.solve.strategy import run_show

    raise typer.Exit(run_show(file, hand=hand, history=history, dice=dice, as_json=as_json))


@strategy_app.command()
def plot(
    file: File,
    picture: Annotated[Path, typer.Argument(help="The picture to write: .svg, .png or .pdf.")],
    dice: Which = None,
) -> None:
    """Draw how each hand opens, and when it calls. Needs matplotlib, which the extra `research` installs."""
    from liarsdice.cli.solve.strategy import run_plot

    raise typer.Exit(run_plot(file, picture, dice=dice))
