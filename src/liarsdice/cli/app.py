"""The `liarsdice` command: the names and options of its commands. Each imports its module when it runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from liarsdice.cli.arguments import language_option, with_setting_options
from liarsdice.cli.bots import describe, explain
from liarsdice.cli.puzzles.commands import puzzles_app
from liarsdice.cli.rules import chart, odds, rules
from liarsdice.cli.server import admin, mcp_server
from liarsdice.cli.solve.commands import solve_app, strategy_app
from liarsdice.cli.stdio import EXIT_ERROR, handle_stream_errors, print_error
from liarsdice.core.errors import LiarsDiceError
from liarsdice.core.sources import COMMAND_GROUP, load_plugin, plugins
from liarsdice.runtime.blas_threads import use_one_thread
from liarsdice.version import __version__

COMMAND_ORDER = (
    "play",
    "serve",
    "rules",
    "chart",
    "odds",
    "explain",
    "solve",
    "strategy",
    "bots",
    "replay",
    "review",
    "coach",
    "puzzles",
    "verify",
    "mcp",
    "admin",
    "scenarios",
)
"""The commands in the order of the help: those for players come first, those of plugins follow."""


class CommandGroup(TyperGroup):
    """The commands in the order of `COMMAND_ORDER`, and then those of plugins.

    A plugin is a `typer.Typer`: an entry point of the group `liarsdice.commands`. One that cannot be loaded is told on
    stderr, and the other commands work.
    """

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401  passed through to typer
        super().__init__(**settings)
        self.commands = {name: self.commands[name] for name in COMMAND_ORDER}
        for plugin in plugins(COMMAND_GROUP):
            try:
                group = typer.main.get_group(load_plugin(COMMAND_GROUP, plugin))
            except LiarsDiceError as error:
                print_error(error)
            else:
                for name, command in group.commands.items():
                    self.commands.setdefault(name, command)


app = typer.Typer(
    cls=CommandGroup,
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
    """Handle the options before the command's name."""


@app.command()
def play(  # noqa: PLR0917  typer calls it by name
    file: Annotated[Path | None, typer.Argument(help="With --resume: the record of the match to continue.")] = None,
    rules: Annotated[
        str | None,
        typer.Option(
            help="A preset such as perudo or classic+aces, or a file of house rules. Without it, the full screen"
            " asks; line by line, the rules are classic+aces+palifico+calza."
        ),
    ] = None,
    seats: Annotated[int | None, typer.Option(min=2, help="The number of players, including you.")] = None,
    bots: Annotated[
        str | None,
        typer.Option(
            help="The bots to play against, such as inference,threshold:0.4; `liarsdice bots` describes them. With"
            " --resume: the bots that take over the bots' seats."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed and the same moves give the same match.")] = None,
    record: Annotated[Path | None, typer.Option(help="Write the match to this new file while it is played.")] = None,
    name: Annotated[str, typer.Option(help="Your name in the record. On the screen you are always You.")] = "Player",
    resume: Annotated[bool, typer.Option("--resume", help="Continue a match that was interrupted.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Play line by line instead of full screen.")] = False,
    fast: Annotated[bool, typer.Option("--fast", help="Do not pause between the bots' moves.")] = False,
) -> None:
    """Play against bots: full screen in a terminal, line by line in a pipe.

    Every match is saved with all dice in plain text: in the file of --record, or else in
    $XDG_STATE_HOME/liarsdice/matches (by default ~/.local/state/liarsdice/matches).
    """
    from liarsdice.cli.play.command import run
    from liarsdice.cli.play.session import PlayOptions

    options = PlayOptions(
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


@app.command()
@with_setting_options
def serve(
    *,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    **flags: str | None,
) -> None:
    """Run the server, to play in the browser with friends and bots."""
    use_one_thread()
    from liarsdice.cli.server.serve import run

    run(flags, os.environ, open_page=open_page)


app.add_typer(rules.app, name="rules")
app.command()(chart.chart)
app.command()(odds.odds)


app.add_typer(solve_app, name="solve")
app.add_typer(strategy_app, name="strategy")


app.command()(explain)


@app.command()
def bots() -> None:
    """Describe the bots."""
    raise typer.Exit(describe())


@app.command()
def replay(
    file: Annotated[str, typer.Argument(help="A match record, such as `liarsdice play` writes.")],
    seat: Annotated[
        str | None, typer.Option(help="Show only what this player saw: a name, or the number of a seat from 1.")
    ] = None,
    language: Annotated[str, language_option("the sentences")] = "en",
    plain: Annotated[bool, typer.Option("--plain", help="Print everything at once, without waiting for keys.")] = False,
    line: Annotated[bool, typer.Option("--line", help="Print the whole match on one line.")] = False,
) -> None:
    """Replay a recorded match step by step."""
    from liarsdice.cli.matches.replay import run

    raise typer.Exit(run(file, seat=seat, language=language, plain=plain, line=line))


@app.command()
def review(
    file: Annotated[str, typer.Argument(help="The record of a finished match, such as `liarsdice play` writes.")],
    seat: Annotated[
        str | None,
        typer.Option(help="List only the decisions of this player: a name, or the number of a seat from 1."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="List every decision, not only the dearest ones.")] = False,
    spoiler_free: Annotated[
        bool, typer.Option("--spoiler-free", help="Leave out who won, luck and turning points.")
    ] = False,
    deals: Annotated[
        int, typer.Option(help="The number of deals that are played out for each decision, 30 to 100,000.")
    ] = 240,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same review.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False,
) -> None:
    """Review a recorded match: what each decision cost, going by what the player could see.

    The champion plays every round on after each move that it considers, against hands that fit the bids. A cost is the
    share of the match that a move gave away, with its 95% interval.
    """
    use_one_thread()
    from liarsdice.cli.matches.review import ReviewOptions, run

    raise typer.Exit(run(ReviewOptions(file, seat, every, spoiler_free, deals, seed, as_json)))


@app.command()
def coach(
    files: Annotated[
        list[str], typer.Argument(help="The records of finished matches, such as `liarsdice play` writes.")
    ],
    seat: Annotated[str, typer.Option(help="Whose habits: a name, or the number of a seat from 1.")] = "Player",
    deals: Annotated[
        int, typer.Option(help="The number of deals that are played out for each decision, 30 to 100,000.")
    ] = 120,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False,
) -> None:
    """Find habits over many matches: what you do more or less often than the champion, and what it costs you.

    Each decision is reviewed as `liarsdice review` does it. A habit shows after 200 decisions of its kind. Matches that
    are not over, by rules that are not simulated, or without that player, are left out.
    """
    use_one_thread()
    from liarsdice.cli.matches.coach import CoachOptions, run

    raise typer.Exit(run(CoachOptions(tuple(files), seat, deals, as_json)))


app.add_typer(puzzles_app, name="puzzles")


@app.command()
def verify(
    files: Annotated[list[str], typer.Argument(help="The records of matches that were played on a server.")],
    key: Annotated[
        str, typer.Option(metavar="HEX", help="The public key of the server, from its address /api/key.")
    ] = "",
    keys: Annotated[
        str,
        typer.Option(metavar="FILE", help="A file of public keys, one on each line, one of which must have signed."),
    ] = "",
    promise: Annotated[
        str, typer.Option(metavar="HEX", help="The promise of the match that the table showed before the first dice.")
    ] = "",
    commitment: Annotated[
        str, typer.Option(metavar="HEX", help="Your own commitment, which the table showed with the promise.")
    ] = "",
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail if no player's seed is in the dice: the server alone made them.")
    ] = False,
) -> None:
    """Verify that the dice of a recorded match follow from its seeds, and that nothing was changed.

    With several records, no seed may occur in two of them.
    """
    from liarsdice.cli.matches.verify import run

    raise typer.Exit(run(files, key=key, key_list=keys, promise=promise, commitment=commitment, strict=strict))


app.add_typer(admin.admin_app, name="admin")
app.command()(mcp_server.mcp)


@app.command()
def scenarios(
    files: Annotated[list[str], typer.Argument(help="Files of scenarios or ruleset cases, as JSON lines.")],
) -> None:
    """Run golden scenario files and ruleset case files through the engine."""
    raise typer.Exit(rules.run_scenarios(files))


def main() -> None:
    """Run the command line. A `LiarsDiceError` becomes one line on stderr and exit status 2."""
    with handle_stream_errors():
        try:
            app()
        except LiarsDiceError as error:
            print_error(error)
            sys.exit(EXIT_ERROR)
