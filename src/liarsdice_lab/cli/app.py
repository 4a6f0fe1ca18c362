"""The commands of the lab, which the command `liarsdice` finds as a plugin. Each imports its module when it runs."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from liarsdice.cli.arguments import add_command
from liarsdice.cli.solve.commands import DiceOption, FacesOption, JsonOption, RulesOption
from liarsdice_lab.cli import train

app = typer.Typer(rich_markup_mode=None)


class SimulateOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Let bots play against each other and count their wins."""

    rules: RulesOption = "perudo"
    bots: Annotated[
        str,
        typer.Option(
            help="Bots separated by commas: master, champion, sharp, regular, novice, random, threshold:0.4,"
            " greedy:0.4, inference:0.4. `liarsdice bots` describes them and shows how to name your own bots."
        ),
    ] = "inference,threshold"
    seats: Annotated[
        int | None,
        typer.Option(help="The number of players; the bots are repeated in order until every seat is taken."),
    ] = None
    matches: Annotated[int, typer.Option(help="The number of matches, at most 10,000,000.")] = 100
    seed: Annotated[int, typer.Option(help="The same seed gives the same matches.")] = 0
    as_json: JsonOption = False


add_command(app, "simulate", SimulateOptions, "liarsdice_lab.cli.simulate:run")


arena_app = typer.Typer(
    help="Measure bots: their strength, and how exploitable they are.",
    invoke_without_command=True,
    rich_markup_mode=None,
)


class ArenaOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Measure the strength of bots: win shares with 95% intervals, places, decision times and faults.

    With --duplicate, luck cancels out, so the intervals get narrower for the same number of matches. An interrupted
    run continues from its file.
    """

    bots: Annotated[
        str | None,
        typer.Option(help="Bots separated by commas; if there are more bots than seats, the tables mix them."),
    ] = None
    subject: Annotated[str | None, typer.Option(help="The one bot to measure, against the bots of --opponents.")] = None
    opponents: Annotated[
        str | None, typer.Option(help="The bots that --subject plays against, repeated until every seat is taken.")
    ] = None
    seats: Annotated[int | None, typer.Option(help="The number of players (default: the number of bots).")] = None
    rules: RulesOption = "perudo"
    matches: Annotated[int, typer.Option(min=1, help="The number of matches; the last deal is always finished.")] = 1000
    seed: Annotated[int, typer.Option(help="The same seed gives the same result.")] = 0
    duplicate: Annotated[
        bool, typer.Option("--duplicate", help="Play the same dice again until every bot has sat in every seat.")
    ] = False
    adjusted: Annotated[
        bool, typer.Option("--adjusted", help="Also take what chance gave each bot out of its results.")
    ] = False
    playouts: Annotated[
        int,
        typer.Option(
            min=0,
            help="How often --adjusted plays each round again, with other dice, to tell what chance gave; 0 goes by the"
            " values of positions, as it always does where bots do not name the probabilities of their moves.",
        ),
    ] = 8
    jobs: Annotated[
        int, typer.Option(min=1, help="The number of deals to play at the same time, each in a process.")
    ] = 1
    ray: Annotated[
        bool, typer.Option("--ray", help="Distribute the deals with Ray, over a cluster or this machine.")
    ] = False
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Save each finished deal in this file, and continue from the file."),
    ] = None
    as_json: JsonOption = False


add_command(arena_app, None, ArenaOptions, "liarsdice_lab.cli.arena:run")


class GateOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Play a bot at every table: all rules, numbers of seats and opponents; print where it wins less than it should.

    A table is played until its result is clear. All tables take hours. The file keeps each result, and the same command
    continues. The exit status is 1 if the bot falls short anywhere.
    """

    out: Annotated[Path, typer.Option("--out", "-o", help="The file for the results; a run continues from there.")]
    subject: Annotated[str, typer.Option(help="The bot that is measured.")] = "champion"
    rules: Annotated[
        str | None, typer.Option(help="Presets, with commas between them (default: all, and the options of sheets).")
    ] = None
    seats: Annotated[str, typer.Option(help="Numbers of seats.")] = "2,3,4,6"
    opponents: Annotated[
        str | None, typer.Option(help="Bots at the other seats, one kind at a time; mixed: by lot.")
    ] = None
    matches: Annotated[int, typer.Option(min=1, help="The most matches at a table.")] = 600
    seed: Annotated[int, typer.Option(help="The same seed gives the same result.")] = 0
    jobs: Annotated[int, typer.Option(min=1, help="The number of tables at the same time, each in a process.")] = 1


add_command(arena_app, "gate", GateOptions, "liarsdice_lab.cli.arena:run_gate")


class ExploitOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Compute how much an opponent who knows a bot's probabilities wins from it in one round: exact best responses.

    2v2 with six faces takes minutes and several gigabytes of memory. --min-reach takes seconds for 3v3.
    """

    bots: Annotated[
        list[str], typer.Argument(help="Bots that name their action probabilities, such as champion or champion@5.")
    ]
    rules: RulesOption = "perudo"
    dice: DiceOption = "1v1"
    faces: FacesOption = None
    match_stakes: Annotated[
        bool,
        typer.Option(
            "--match-stakes",
            help="Play the round for what its ends are worth in the match, from -1 for the worst to 1 for the best.",
        ),
    ] = False
    min_reach: Annotated[
        float | None,
        typer.Option(
            help="Look ahead only where the bot's own bids lead with this probability or more, such as 0.01. Who calls"
            " elsewhere wins a lower bound, who sees the bot's hand there an upper bound; for rounds with many dice."
        ),
    ] = None
    as_json: JsonOption = False


add_command(arena_app, "exploit", ExploitOptions, "liarsdice_lab.cli.arena:run_exploit")


app.add_typer(arena_app, name="arena")


class EvaluateOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Evaluate a language model: duplicate matches against bots, what its decisions cost, and its illegal moves.

    The model reads the rules and what its seat sees, and answers with a move. Luck cancels out in part, since each
    deal is played from every seat. An interrupted run continues from its folder.
    """

    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="Save results, transcripts and records in this folder; the same command continues from it.",
        ),
    ]
    endpoint: Annotated[
        str | None,
        typer.Option(metavar="URL", help="An API for chat completions, such as http://localhost:8000/v1."),
    ] = None
    command: Annotated[
        str | None,
        typer.Option(help="A program that answers each line of JSON with a line, in place of --endpoint."),
    ] = None
    model: Annotated[
        str | None, typer.Option(help="The name of the model; the endpoint needs it, and results show it.")
    ] = None
    api_key_env: Annotated[
        str, typer.Option(metavar="VAR", help="The environment variable with the API key; it is written nowhere.")
    ] = ""
    against: Annotated[str, typer.Option(help="The bots to play against, separated by commas.")] = (
        "regular,sharp,champion"
    )
    rules: RulesOption = "perudo"
    seats: Annotated[int, typer.Option(min=2, help="The number of players: the model, and copies of one opponent.")] = 2
    matches: Annotated[
        int, typer.Option(min=1, help="The number of matches for each opponent; the last deal is always finished.")
    ] = 20
    seed: Annotated[int, typer.Option(help="The same seed gives the same dice and opponents.")] = 0
    odds: Annotated[bool, typer.Option("--odds", help="Tell the model the odds of bids by its own dice.")] = False
    temperature: Annotated[float | None, typer.Option(min=0, help="Sent to the endpoint if given.")] = None
    model_seed: Annotated[int | None, typer.Option(help="The seed that is sent to the endpoint, if given.")] = None
    max_tokens: Annotated[int, typer.Option(min=1, help="The most tokens of an answer of the endpoint.")] = 2048
    parameters: Annotated[
        str,
        typer.Option(metavar="JSON", help="Further fields of each request, as an object; null leaves a field out."),
    ] = "{}"
    timeout_s: Annotated[float, typer.Option("--timeout", min=0.1, help="The time limit of one answer in seconds.")] = (
        60.0
    )
    review_deals: Annotated[
        int,
        typer.Option(
            help="The deals that the review plays out for each decision, 30 to 100,000; 0 leaves the costs out."
        ),
    ] = 240
    jobs: Annotated[int, typer.Option(min=1, help="The number of deals to play at the same time.")] = 1
    as_json: JsonOption = False


add_command(app, "evaluate", EvaluateOptions, "liarsdice_lab.cli.evaluate:run")


train.train_app.command("distill")(train.distill)
train.train_app.command("value")(train.value)
app.add_typer(train.train_app, name="train")


class TrainBlueprintOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Train approximate strategies for rounds with many dice, which are too large to be solved.

    Ctrl-C stops early and keeps the strategies so far.
    """

    out: Annotated[
        Path, typer.Option("--out", "-o", help="The folder for the run and its result; a run continues from there.")
    ]
    rules: RulesOption = "perudo"
    rounds: Annotated[str, typer.Option(help="The rounds to train; the dice of the player who opens come first.")] = (
        "2v2"
    )
    match_stakes: Annotated[
        bool,
        typer.Option(
            "--match-stakes",
            help="Train all rounds that these may lead to, too, each for what its ends are worth in the match.",
        ),
    ] = False
    faces: FacesOption = None
    seconds: Annotated[float, typer.Option(help="Train each round for so many seconds more of processor time.")] = 60.0
    iterations: Annotated[
        int | None, typer.Option(min=1, help="Train each round to so many iterations, whatever time that takes.")
    ] = None
    against: Annotated[
        str,
        typer.Option(help="Bots that the opponent may be, and how likely: threshold:0.4=0.03,champion@5=0.1."),
    ] = ""
    recall: Annotated[int, typer.Option(min=2, help="How many of the latest bids the strategies remember.")] = 2
    menu: Annotated[int, typer.Option(min=1, help="How many raises they consider, the likeliest to be true.")] = 20
    min_share: Annotated[
        float, typer.Option(min=0, max=1, help="Leave out actions below this fraction of the likeliest.")
    ] = 0.02
    levels: Annotated[
        int, typer.Option(min=2, max=256, help="How many weights an action may have; fewer make the file smaller.")
    ] = 256


add_command(train.train_app, "blueprint", TrainBlueprintOptions, "liarsdice_lab.cli.train_blueprint:run")
