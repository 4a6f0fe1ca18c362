"""The `liarsdice` command: the names and options of its commands. Each imports its module when it runs."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from liarsdice.cli.arguments import (
    CoachOptions,
    PlayOptions,
    ReviewOptions,
    add_command,
    language_option,
    use_one_thread,
    with_setting_options,
)
from liarsdice.cli.bots import describe, explain
from liarsdice.cli.puzzles.commands import puzzles_app
from liarsdice.cli.rules import chart, odds, rules
from liarsdice.cli.server import admin, mcp_server
from liarsdice.cli.solve.commands import solve_app, strategy_app
from liarsdice.cli.stdio import EXIT_ERROR, handle_stream_errors, print_error
from liarsdice.core.errors import LiarsDiceError
from liarsdice.core.sources import COMMAND_GROUP, load_plugin, plugins
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

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401  typer does not export the type of its contexts
        """As in typer, but a value that an option cannot have is refused in words that say what to write."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = what_to_write(error) or error.message
            raise


def what_to_write(error: typer.BadParameter) -> str:
    """Return what to write instead of a value that is refused, "" if the error does not come from its conversion."""
    problems: list[dict[str, Any]] = getattr(error.__cause__, "errors", list)()  # of pydantic, which typer uses
    if not problems:
        return ""
    problem, kind = problems[0], problems[0]["type"].partition("_")[0]
    noun = {"int": "a whole number", "float": "a number"}.get(kind)
    limits = problem.get("ctx", {})
    if noun:
        return f"write {noun}, not {problem['input']!r:.80}"
    for limit, words in ("ge", "a number from {} up"), ("le", "a number up to {}"):
        if limit in limits:
            bound = f"{limits[limit]:,}".removesuffix(".0")
            return f"write {words.format(bound)}, not {problem['input']}"
    return str(limits["error"]) if "error" in limits else ""


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


add_command(app, "play", PlayOptions, "liarsdice.cli.play.command:run")


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


add_command(app, "review", ReviewOptions, "liarsdice.cli.matches.review:run", one_thread=True)


add_command(app, "coach", CoachOptions, "liarsdice.cli.matches.coach:run", one_thread=True)


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
