"""The commands of the lab, which the command `liarsdice` finds as a plugin. Each imports its module when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from liarsdice.cli.solve.solve_commands import FacesOption, RulesOption
from liarsdice_lab.cli import arena, evaluate, train

app = typer.Typer()


@app.command()
def simulate(
    rules: Annotated[
        str, typer.Option(help="A preset such as perudo or classic+aces, or a .toml or .json file.")
    ] = "perudo",
    bots: Annotated[
        str,
        typer.Option(
            help="Bots separated by commas: champion, sharp, regular, novice, random, threshold:0.4, greedy:0.4,"
            " inference:0.4. `liarsdice bots` describes them and shows how to name your own bots."
        ),
    ] = "inference,threshold",
    seats: Annotated[
        int | None,
        typer.Option(help="The number of players; the bots are repeated in order until every seat is taken."),
    ] = None,
    matches: Annotated[int, typer.Option(help="The number of matches, at most 10,000,000.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same matches.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False,
) -> None:
    """Let bots play against each other and count their wins."""
    from liarsdice_lab.cli.simulate import SimulateOptions, run

    raise typer.Exit(run(SimulateOptions(rules, bots, matches, seed, seats, as_json)))


app.add_typer(arena.arena_app, name="arena")
app.command()(evaluate.evaluate)
train.train_app.command("distill")(train.distill)
train.train_app.command("value")(train.value)
app.add_typer(train.train_app, name="train")


@train.train_app.command("blueprint")
def blueprint(
    *,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The folder for the run and its result; a run continues from there.")
    ],
    rules: RulesOption = "perudo",
    rounds: Annotated[
        str, typer.Option(help="The rounds to train; the dice of the player who opens come first.")
    ] = "2v2",
    faces: FacesOption = None,
    seconds: Annotated[float, typer.Option(help="Train each round for so many seconds more of processor time.")] = 60.0,
    iterations: Annotated[
        int | None, typer.Option(min=1, help="Train each round to so many iterations, whatever time that takes.")
    ] = None,
    against: Annotated[
        str,
        typer.Option(help="Bots that the opponent may be, and how likely: threshold:0.4=0.03,champion@5=0.1."),
    ] = "",
    recall: Annotated[int, typer.Option(min=2, help="How many of the latest bids the strategies remember.")] = 2,
    menu: Annotated[int, typer.Option(min=1, help="How many raises they consider, the likeliest to be true.")] = 20,
    min_share: Annotated[
        float, typer.Option(min=0, max=1, help="Leave out actions below this fraction of the likeliest.")
    ] = 0.02,
    levels: Annotated[
        int, typer.Option(min=2, max=256, help="How many weights an action may have; fewer make the file smaller.")
    ] = 256,
) -> None:
    """Train approximate strategies for rounds with many dice, which are too large to be solved.

    Ctrl-C stops early and keeps the strategies so far.
    """
    from liarsdice_lab.cli.train_blueprint import TrainBlueprintOptions, run

    options = TrainBlueprintOptions(
        rules=rules,
        rounds=rounds,
        faces=faces,
        seconds=seconds,
        iterations=iterations,
        against=against,
        recall=recall,
        menu=menu,
        min_share=min_share,
        levels=levels,
        out=out,
    )
    raise typer.Exit(run(options))
