"""`liarsdice rules`: lists, shows, compares and checks rulesets; `liarsdice scenarios` runs their golden games."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from liarsdice.cli.arguments import add_command, language_option, read_file
from liarsdice.cli.stdio import render_table
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.validate import find_warnings
from liarsdice.core.sources import PRESET_GROUP, plugins

if TYPE_CHECKING:
    from liarsdice.testing.scenarios import Failure

app = typer.Typer(help="Read, compare and check rules.", no_args_is_help=True)

COLUMNS = 80

RulesArgument = Annotated[
    str, typer.Argument(help="A preset such as perudo or classic+aces, or a .toml or .json file.")
]


LanguageOption = Annotated[str, language_option("the rulebook")]


class RulesFormat(StrEnum):
    """The output formats of a ruleset: a rulebook to read, or all rule choices as data."""

    TEXT = "text"
    MD = "md"
    HTML = "html"
    TOML = "toml"
    JSON = "json"


@app.command("list")
def list_(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORDS]...", help="List games with all these words in their name, country, source or rules."
        ),
    ] = None,
) -> None:
    """List the presets, and the rule sheets that other people wrote."""
    from rich.table import Table

    from liarsdice.core.rules.presets import preset, preset_names, sheets

    terminal = sys.stdout.isatty()
    table = Table(box=None, pad_edge=False, header_style="bold" if terminal else "")
    if words:
        from liarsdice.server.rules.rules_api import find_games

        search = " ".join(words)
        found = find_games(search, "en")
        if not found:
            raise UnavailableError(
                f"no game has {search!r} in its name, country, source or rules: give fewer words, or none to list all"
            )
        table.add_column("name", no_wrap=True)
        for column in "country", "source":
            table.add_column(column, overflow="fold")
        for game in found:
            table.add_row(game.name, ", ".join(game.countries), game.source)
        print(render_table(table))
        return
    for column in "name", "aliases", "options":
        table.add_column(column, no_wrap=True)
    table.add_column("title", max_width=15 if terminal else None)
    table.add_column("source", overflow="fold")
    between = "\n" if terminal else " "
    for name in (*preset_names(), *sheets()):
        entry = preset(name)
        options = between.join(f"+{option}" for option in entry.options)
        table.add_row(name, between.join(entry.aliases), options, entry.title, entry.source)
    for name, package in plugins(PRESET_GROUP).items():
        table.add_row(name, "", "", "", package)
    print(render_table(table))


@app.command()
def show(
    name: RulesArgument,
    format_: Annotated[
        RulesFormat, typer.Option("--format", help="text, md and html give a rulebook, toml and json all rule choices.")
    ] = RulesFormat.TEXT,
    language: LanguageOption = "en",
) -> None:
    """Show the rulebook of a preset or of a file of house rules."""
    from liarsdice.core.rules.ruleset_io import find_rules

    print(format_rules(find_rules(name), format_, language).rstrip("\n"))


def format_rules(rules: Ruleset, format_: RulesFormat, language: str) -> str:
    """Return rules in one of the formats. The data formats are the same in every language."""
    from liarsdice.core.rules.ruleset_io import to_json, to_toml
    from liarsdice.core.text.rulebook import find_language, rulebook, to_html, to_markdown, to_text

    code = find_language(language).code
    match format_:
        case RulesFormat.TEXT:
            return to_text(rulebook(rules, code))
        case RulesFormat.MD:
            return to_markdown(rulebook(rules, code))
        case RulesFormat.HTML:
            return to_html(rulebook(rules, code))
        case RulesFormat.TOML:
            return to_toml(rules)
        case RulesFormat.JSON:
            return to_json(rules)


@app.command()
def diff(
    old: Annotated[str, typer.Argument(help="A preset or a file.")],
    new: Annotated[str, typer.Argument(help="Another preset or file.")],
) -> None:
    """Compare two rulesets: their rule choices, and the sentences of their rulebooks."""
    from liarsdice.core.rules.ruleset_io import find_rules

    print(*differences(find_rules(old), find_rules(new)), sep="\n")


def differences(old: Ruleset, new: Ruleset) -> list[str]:
    """Return lines with the choices that differ as `path: old -> new`, then the sentences removed (-) and added (+)."""
    from liarsdice.core.text.rulebook import changed_fields, rulebook

    changes = changed_fields(old, new)
    if not changes:
        return ["no differences"]
    lines = [f"{path}: {before} -> {after}" for path, before, after in changes]
    before, after = rulebook(old), rulebook(new)
    for sign, book, other_book in (("-", before, after), ("+", after, before)):
        common = {sentence.text for sentence in other_book.sentences()}
        lines.append("")
        for sentence in book.sentences():
            if sentence.text not in common:
                lines += textwrap.wrap(
                    sentence.text,
                    COLUMNS - 2,
                    initial_indent=f"{sign} ",
                    subsequent_indent="  ",
                    break_on_hyphens=False,
                )
    charts = [[section.chart for section in book.sections] for book in (before, after)]
    return [*lines, "", "the bid chart changes"] if charts[0] != charts[1] else lines


@app.command()
def check(file: Annotated[str, typer.Argument(help="A .toml or .json file of rules, or a preset.")]) -> None:
    """Check rules: print every problem, or OK and any warnings. The exit status is 1 if the rules cannot be played."""
    from liarsdice.core.rules.ruleset_io import find_file_problems, find_rules, is_file_name

    try:
        problems = find_file_problems(Path(file)) if is_file_name(file) else ()
    except MalformedError as error:
        problems = (str(error),)
    for problem in problems:
        print(f"{file}: {problem}")
    if problems:
        raise typer.Exit(1)
    rules = find_rules(file)
    print(f"{file}: OK")
    for warning in find_warnings(rules):
        print(f"{file}: warning: {warning}")


class LabOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Measure what rules do to a match: who gains from opening, how long it is, how often exact calls are right.

    The champion plays at every seat. With --change, the rules are also measured with these changes, on the same seeds.
    After Ctrl-C, the result is that of the matches played so far.
    """

    name: RulesArgument
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--change", metavar="KEY=VALUE", help="A changed rule, such as exact_call=none; several are made together."
        ),
    ] = None
    seats: Annotated[int, typer.Option(min=2, help="The number of players.")] = 4
    matches: Annotated[int, typer.Option(min=50, max=1_000_000, help="The number of matches under each rules.")] = 1000
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same matches.")] = 0
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False


add_command(app, "lab", LabOptions, "liarsdice.cli.rules.rules_lab:run")


MAX_FILE_BYTES = 16 * 1024 * 1024


def run_scenarios(files: list[str]) -> int:
    """Print a line for each failure and the totals. Returns 0 if all cases passed, otherwise 1."""
    passed = failed = 0
    for file, content in [(file, read_file(file, MAX_FILE_BYTES)) for file in files]:
        for failures in _failures_by_case(file, content):
            for failure in failures:
                print(failure)
            passed, failed = (passed, failed + 1) if failures else (passed + 1, failed)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def _failures_by_case(file: str, content: bytes) -> Iterator[list[Failure]]:
    """Yield the failures of each case of a file. A line that cannot be read is a case with one failure."""
    from liarsdice.testing.scenarios import Failure, read_cases, run_case

    for number, line in enumerate(content.splitlines(), start=1):
        try:
            cases = read_cases(line.decode())
        except (MalformedError, UnicodeDecodeError) as error:
            problem = str(error).removeprefix("line 1: ")
            if isinstance(error, UnicodeDecodeError):
                problem = f"no text in UTF-8: {error.reason}"
            yield [Failure(f"{file} line {number}", "the case can be read", "the scenario format", problem)]
        else:
            yield from map(run_case, cases)
