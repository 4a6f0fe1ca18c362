"""The `liarsdice` command: what its commands are called. Each imports what it needs when it runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from liarsdice import __version__
from liarsdice.cli import stdio as streams
from liarsdice.cli.bots import arena, explain
from liarsdice.cli.bots import train as training
from liarsdice.cli.exit_status import REFUSED
from liarsdice.cli.rules import chart, odds, rules
from liarsdice.cli.solve import solve_commands as solving
from liarsdice.core.errors import LiarsDiceError
from liarsdice.server.settings import SETTINGS

ORDER = (
    "play",
    "serve",
    "rules",
    "chart",
    "odds",
    "explain",
    "solve",
    "strategy",
    "simulate",
    "arena",
    "train",
    "bots",
    "replay",
    "verify",
    "scenarios",
)
"""The commands as the help lists them: what players want first."""


class InOrder(TyperGroup):
    """Commands in our order; typer's own puts those that have commands of their own last."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401  whatever typer knows of a group
        super().__init__(**settings)
        self.commands = dict(sorted(self.commands.items(), key=lambda command: ORDER.index(command[0])))


app = typer.Typer(
    cls=InOrder,
    help="Liar's Dice, every way it is played.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _print_version(value: bool) -> None:
    if value:
        print(__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version),
    ] = False,
) -> None:
    """What comes before the command's name."""


@app.command()
def play(  # noqa: PLR0917  typer calls it by name
    file: Annotated[Path | None, typer.Argument(help="With --resume: the record to go on with.")] = None,
    rules: Annotated[
        str | None,
        typer.Option(
            help="A preset such as perudo or classic+aces, or a file of house rules. Without it you choose from a"
            " list; line by line it is classic+aces+palifico+calza."
        ),
    ] = None,
    seats: Annotated[int | None, typer.Option(min=2, help="How many sit at the table, you among them.")] = None,
    bots: Annotated[
        str | None,
        typer.Option(
            help="Who plays against you, such as inference,threshold:0.4; `liarsdice bots` says what each does. With"
            " --resume: who takes the bots' seats."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed and the same play give the same match.")] = None,
    record: Annotated[Path | None, typer.Option(help="Write the match to this new file as it happens.")] = None,
    name: Annotated[
        str, typer.Option(help="Your name in the record; at your own table you are always You.")
    ] = "Player",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the match that was broken off.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Line by line instead of full screen.")] = False,
    fast: Annotated[bool, typer.Option("--fast", help="Don't wait between the bots' moves.")] = False,
) -> None:
    """Play against bots, full screen in a terminal and line by line in a pipe.

    Every match is kept, with all dice to be read: in the file --record, or else in $XDG_STATE_HOME/liarsdice/matches
    (without that variable, in ~/.local/state/liarsdice/matches).
    """
    from liarsdice.cli.play.command import run
    from liarsdice.cli.play.session import Options

    options = Options(
        rules=rules,
        seats=seats,
        bots=bots,
        seed=seed,
        record=record,
        name=name,
        resume=resume,
        file=file,
        plain=plain,
        fast=fast,
    )
    raise typer.Exit(run(options))


def _setting(name: str) -> Any:  # noqa: ANN401  what typer calls an option
    one = next(setting for setting in SETTINGS if setting.name == name)
    default = f" [default: {one.default}]" if one.default else ""
    return typer.Option(one.flag, help=f"{one.help}{default} [env: {one.variable}]")


@app.command()
def serve(
    host: Annotated[str | None, _setting("host")] = None,
    port: Annotated[str | None, _setting("port")] = None,
    database: Annotated[str | None, _setting("database")] = None,
    pace: Annotated[str | None, _setting("pace")] = None,
    tables_per_minute: Annotated[str | None, _setting("tables_per_minute")] = None,
    connections_per_minute: Annotated[str | None, _setting("connections_per_minute")] = None,
    log_level: Annotated[str | None, _setting("log_level")] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Serve the table in the browser, for you, your friends and bots."""
    from liarsdice.cli.server.serve import run

    flags = {
        "host": host,
        "port": port,
        "database": database,
        "pace": pace,
        "tables_per_minute": tables_per_minute,
        "connections_per_minute": connections_per_minute,
        "log_level": log_level,
    }
    run(flags, os.environ, open_page=open_page)


app.add_typer(rules.app, name="rules")
app.command()(chart.chart)
app.command()(odds.odds)


app.add_typer(solving.solve_app, name="solve")
app.add_typer(solving.strategy_app, name="strategy")


@app.command()
def simulate(
    rules: Annotated[str, typer.Option(help="A ruleset's name, or a TOML or JSON file of house rules.")] = "perudo",
    bots: Annotated[
        str,
        typer.Option(
            help="Bots with commas between them: champion, sharp, regular, novice, random, threshold:0.4, greedy:0.4,"
            " inference:0.4; `liarsdice bots` says what they do, and how to name one of your own."
        ),
    ] = "inference,threshold",
    seats: Annotated[
        int | None, typer.Option(help="Players at the table; the bots are repeated in their order until it is full.")
    ] = None,
    matches: Annotated[int, typer.Option(help="How many matches to play, at most 10,000,000.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed plays the same matches.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False,
) -> None:
    """Let bots play each other, and count who wins."""
    from liarsdice.cli.bots.simulate import Options, run

    raise typer.Exit(run(Options(rules, bots, matches, seed, seats, as_json)))


app.command()(arena.arena)
app.command()(training.train)
app.command()(explain.explain)


@app.command()
def bots() -> None:
    """Tell what each bot does."""
    from liarsdice.cli.bots.bots import run

    raise typer.Exit(run())


@app.command()
def replay(
    file: Annotated[str, typer.Argument(help="A match record, as liarsdice play writes it.")],
    seat: Annotated[
        str | None, typer.Option(help="Tell only what this player saw: a name, or a number from 1 in seat order.")
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="All at once, without waiting for a key.")] = False,
    line: Annotated[bool, typer.Option("--line", help="The whole match on one line.")] = False,
) -> None:
    """Tell a recorded match again, step by step."""
    from liarsdice.cli.matches.replay import run

    raise typer.Exit(run(file, seat=seat, plain=plain, line=line))


@app.command()
def verify(file: Annotated[str, typer.Argument(help="The record of a match that was played on a server.")]) -> None:
    """Check that nobody chose the dice of a match."""
    from liarsdice.cli.matches.verify import run

    raise typer.Exit(run(file))


@app.command()
def scenarios(files: Annotated[list[str], typer.Argument(help="JSON lines of scenarios or ruleset cases.")]) -> None:
    """Run golden scenario files and ruleset case files through the engine."""
    from liarsdice.cli.rules.scenarios import run

    raise typer.Exit(run(files))


def main() -> None:
    """Run the command line; errors of ours are one line on stderr and exit status 2."""
    with streams.standing():
        try:
            app()
        except LiarsDiceError as error:
            streams.complain(error)
            sys.exit(REFUSED)
