"""`liarsdice rules`: what rules there are, how they are played, how two differ, and whether a file of them holds."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from liarsdice.core.rules.ruleset import Ruleset

app = typer.Typer(help="Read, compare and check rules.", no_args_is_help=True)

COLUMNS = 80

Name = Annotated[str, typer.Argument(help="A preset such as perudo or classic+aces, or a .toml or .json file.")]


Spoken = Annotated[str, typer.Option(metavar="CODE", help="The language of the rulebook: en or es.")]


class Format(StrEnum):
    """What rules can be shown as: a rulebook to read, or all their choices as data."""

    TEXT = "text"
    MD = "md"
    HTML = "html"
    TOML = "toml"
    JSON = "json"


@app.command("list")
def list_() -> None:
    """List the rules that have a name."""
    import sys

    from rich.console import Console
    from rich.table import Table

    from liarsdice.core.rules.presets import names, preset

    terminal = sys.stdout.isatty()
    console = Console(width=None if terminal else COLUMNS, highlight=False)
    table = Table(box=None, pad_edge=False, header_style="bold" if terminal else "")
    table.add_column("name", no_wrap=True)
    for column, widest in (("aliases", 9), ("options", 9), ("title", 15), ("source", None)):
        table.add_column(column, max_width=widest, overflow="fold")
    for name in names():
        found = preset(name)
        options = " ".join(f"+{option}" for option in found.options)
        table.add_row(name, " ".join(found.aliases), options, found.title, found.source)
    with console.capture() as captured:
        console.print(table)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))


@app.command()
def show(
    name: Name,
    format_: Annotated[
        Format, typer.Option("--format", help="text, md and html are a rulebook, toml and json all choices as data.")
    ] = Format.TEXT,
    language: Spoken = "en",
) -> None:
    """Show the rulebook of a preset or a file, complete enough to play from."""
    from liarsdice.core.rules.ruleset_io import find_rules

    print(shown(find_rules(name), format_, language).rstrip("\n"))


def shown(rules: Ruleset, format_: Format, language: str) -> str:
    """Rules in one of the formats; data are the same in every language."""
    from liarsdice.core.rules.ruleset_io import to_json, to_toml
    from liarsdice.core.text.rulebook import find_language, rulebook, to_html, to_markdown, to_text

    code = find_language(language).code
    match format_:
        case Format.TEXT:
            return to_text(rulebook(rules, code))
        case Format.MD:
            return to_markdown(rulebook(rules, code))
        case Format.HTML:
            return to_html(rulebook(rules, code))
        case Format.TOML:
            return to_toml(rules)
        case Format.JSON:
            return to_json(rules)


@app.command()
def diff(
    old: Annotated[str, typer.Argument(help="A preset or a file.")],
    new: Annotated[str, typer.Argument(help="Another preset or file.")],
) -> None:
    """Tell how two rules differ: choice by choice, and in the sentences of their rulebooks."""
    from liarsdice.core.rules.ruleset_io import find_rules

    for line in differences(find_rules(old), find_rules(new)):
        print(line)


def differences(old: Ruleset, new: Ruleset) -> list[str]:
    """The choices that differ as `path: old -> new`, then the sentences that go (-) and come (+)."""
    import textwrap

    from liarsdice.core.text.rulebook import changed_choices, rulebook

    changes = changed_choices(old, new)
    if not changes:
        return ["no differences"]
    lines = [f"{path}: {before} -> {after}" for path, before, after in changes]
    before, after = rulebook(old), rulebook(new)
    for sign, kept, others in (("-", before, after), ("+", after, before)):
        known = {sentence.text for sentence in others.sentences()}
        lines.append("")
        for sentence in kept.sentences():
            if sentence.text not in known:
                lines += textwrap.wrap(
                    sentence.text,
                    COLUMNS - 2,
                    initial_indent=f"{sign} ",
                    subsequent_indent="  ",
                    break_on_hyphens=False,
                )
    charts = [[section.chart for section in book.sections] for book in (before, after)]
    return [*lines, "", "the claim chart changes"] if charts[0] != charts[1] else lines


@app.command()
def check(file: Annotated[str, typer.Argument(help="A .toml or .json file of rules, or a preset.")]) -> None:
    """Check rules: every problem on a line, or OK and what looks odd; exit status 1 where they cannot be played."""
    from liarsdice.core.errors import MalformedError
    from liarsdice.core.rules.ruleset_io import find_rules, is_file_name, problems_in
    from liarsdice.core.rules.validate import warnings

    try:
        problems = problems_in(file) if is_file_name(file) else ()
    except MalformedError as error:
        problems = (str(error),)
    for problem in problems:
        print(f"{file}: {problem}")
    if problems:
        raise typer.Exit(1)
    rules = find_rules(file)
    print(f"{file}: OK")
    for warning in warnings(rules):
        print(f"{file}: warning: {warning}")
