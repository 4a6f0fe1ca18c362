"""The pages of the documentation that follow from the program. MkDocs adds them (`docs/build_hooks.py`).

The rule choices come from the structs of a ruleset, the rulebooks from the presets, the commands from the help of the
program, the figures and the strength of the bots from the results of benchmarks, and the messages from the structs that
are sent.
"""

import inspect
import os
import types
import typing
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import Enum
from functools import cache
from pathlib import Path

import msgspec
import typer
from typer.testing import CliRunner

from docs.asvs_page import checklist
from docs.bot_pages import bot_messages
from docs.figures_page import figures
from docs.server_pages import messages, settings
from docs.strength_page import strength
from liarsdice.bots.neural.features import is_supported
from liarsdice.cli.app import app
from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.core.rules.meaning import field_applies
from liarsdice.core.rules.overlay import NONE, patched
from liarsdice.core.rules.parts import ExactCall, SpecialRound
from liarsdice.core.rules.presets import BASE, preset, preset_names, sheets
from liarsdice.core.rules.presets.sheets import sheet_files
from liarsdice.core.rules.rule_costs import (
    is_learned,
    is_simulated,
    missing_condition,
    require_approximated,
    require_reviewed,
    require_solved,
)
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.rulebook import LANGUAGES, rulebook, to_markdown

TRANSLATIONS = {code: language.name for code, language in LANGUAGES.items() if code != "en"}
FULL = patched(BASE, exact_call=ExactCall(), special_round=SpecialRound(), guards__max_rounds=1000)
HEAD = ("| field | values | the default in words |", "|---|---|---|")


@cache
def pages() -> dict[str, str]:
    """Return the text of every generated page, by its path under `docs/`."""
    texts = {"rule-choices.md": rule_choices(), "presets.md": presets(), "commands.md": commands()}
    texts |= {"server-settings.md": settings(), "server-messages.md": messages()}
    texts |= {"asvs.md": checklist(), "bot-messages.md": bot_messages()}
    texts |= {"bot-strength.md": strength(), "benchmarks.md": figures(), "rule-sources.md": rule_sources()}
    texts |= {f"sheets/{file.name}": file.read_text(encoding="utf-8") for file in sheet_files()}
    for name in preset_names():
        book = to_markdown(rulebook(preset(name).ruleset)).rstrip()
        texts[f"rulebooks/{name}.md"] = f"{book}\n\n*Source: {preset(name).source}.*\n"
        for code in TRANSLATIONS:
            texts[f"rulebooks/{code}/{name}.md"] = to_markdown(rulebook(preset(name).ruleset, code))
    return texts


def rule_choices() -> str:
    """Return the page with a table of all rule choices."""
    lines = [
        "# Rule choices",
        "",
        "This page lists every rule choice of a [house-rules](house-rules.md) file. The second column lists the",
        "values, with the default in bold. The third column shows the rulebook's sentence for the default. The value",
        f'`"{NONE}"` means that there is no such rule.',
    ]
    top_level = []
    default_sentences = {sentence.key.partition("=")[0]: sentence.text for sentence in rulebook(FULL).sentences()}
    for field in msgspec.structs.fields(Ruleset):
        part = _part(field.type)
        if part is None:
            top_level.append(_row(field.encode_name, field.type, getattr(BASE, field.name), default_sentences))
            continue
        lines += ["", f"## `{field.encode_name}`", "", inspect.cleandoc(part.__doc__ or ""), ""]
        if getattr(BASE, field.name) is None:
            lines += [f'Not part of the default rules: `{field.encode_name} = "{NONE}"`.', ""]
        lines += [*HEAD]
        hints = typing.get_type_hints(part)
        lines += [
            _row(f"{field.encode_name}.{inner.encode_name}", hints[inner.name], inner.default, default_sentences)
            for inner in msgspec.structs.fields(part)
        ]
    lines += ["", "## At the top of the file", "", *HEAD, *top_level]
    lines += [
        "",
        "## What knows which rule",
        "",
        "The engine, the page, the terminal, the simple bots and the odds know all rules. The rest knows all but",
        "these. The column of the simulator holds for the [environments](environments.md), too.",
        "",
        f"| value | {' | '.join(TOOLS)} |",
        f"|---|{'---|' * len(TOOLS)}",
    ]
    rows = defaultdict[tuple[str, tuple[str, ...]], list[str]](list)
    for path, value, known in _every_value():
        if "" in known:
            rows[path, known].append(value)
    for (path, known), values in rows.items():
        lines.append(f"| `{path}` {', '.join(values)} | {' | '.join(known)} |")
    return "\n".join(lines) + "\n"


NUMBER = 2
"""A number that stands for all others."""


def _does(require: Callable[[Ruleset], None]) -> Callable[[Ruleset], bool]:
    def knows(rules: Ruleset) -> bool:
        try:
            require(rules)
        except UnavailableError:
            return False
        return True

    return knows


TOOLS: dict[str, Callable[[Ruleset], bool]] = {
    "simulator": is_simulated,
    "networks": lambda rules: is_learned(rules) and is_supported(rules),
    "solver": _does(lambda rules: require_solved(rules, "")),
    "blueprints": _does(lambda rules: require_approximated(rules, "")),
    "reviews": _does(require_reviewed),
}
"""Whether what does not know all rules knows some, by its name."""


def _every_value() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the path of every choice, each of its values but the default, and "yes" for each of `TOOLS` that knows it.

    Rules of presets that have a value may have others that are not known, so the best known rules count.
    """
    for field in msgspec.structs.fields(Ruleset):
        part = _part(field.type)
        hints = {} if part is None else typing.get_type_hints(part)
        inner = {"": (field.type, field.default)}
        if part is not None:
            inner = {one.name: (hints[one.name], one.default) for one in msgspec.structs.fields(part)}
        for name, (kind, default) in inner.items():
            path = f"{field.name}__{name}".removesuffix("__")
            field_path = path.replace("__", ".").replace("raise_", "raise")
            for value in _samples(kind):
                known = [_known(rules) for rules in _rules_with(path, field_path, value)]
                if known and value != default:
                    shown = value[0] if isinstance(value, tuple) else value
                    yield field_path, "a number" if shown == NUMBER else _shown(shown), max(known)


def _known(rules: Ruleset) -> tuple[str, ...]:
    return tuple("yes" if knows(rules) else "" for knows in TOOLS.values())


def _rules_with(path: str, field_path: str, value: object) -> Iterator[Ruleset]:
    """Yield rules with a value, in which it has a meaning."""
    for base in (BASE, FULL, *(preset(name).ruleset for name in preset_names())):
        with suppress(LiarsDiceError, TypeError):
            rules = patched(base, **{path: value})
            if field_applies(rules, field_path):
                yield rules


def _samples(kind: object) -> Iterator[object]:
    if isinstance(kind, types.UnionType):
        for option in typing.get_args(kind):
            yield from _samples(option)
    elif typing.get_origin(kind) is tuple:
        yield from ((member,) for member in _samples(typing.get_args(kind)[0]))
    elif kind is bool:
        yield from (True, False)
    elif isinstance(kind, type) and issubclass(kind, Enum):
        yield from kind
    elif kind is int:
        yield NUMBER


def _part(kind: object) -> type[msgspec.Struct] | None:
    options = typing.get_args(kind) or (kind,)
    structs = [option for option in options if isinstance(option, type) and issubclass(option, msgspec.Struct)]
    return structs[0] if structs and typing.get_origin(kind) is not tuple else None


def _row(path: str, kind: object, default: object, default_sentences: dict[str, str]) -> str:
    shown = _shown(default)
    values = [f"**{shown}**", *(value for value in _values(kind) if value != shown)]
    field = path.rpartition(".")[2]
    return f"| `{field}` | {', '.join(values)} | {default_sentences.get(path, '')} |"


def _shown(value: object) -> str:
    match value:
        case None | msgspec.UNSET:
            return f'`"{NONE}"`'
        case bool():
            return f"`{str(value).lower()}`"
        case Enum():
            return f'`"{value.value}"`'
        case str():
            return f'`"{value}"`'
        case tuple():
            return "`[]`"
        case _:
            return f"`{value}`"


def _values(kind: object) -> Iterator[str]:
    if isinstance(kind, types.UnionType):
        for option in typing.get_args(kind):
            yield from _values(option)
    elif typing.get_origin(kind) is tuple:
        yield "a list of " + ", ".join(_values(typing.get_args(kind)[0]))
    elif kind is msgspec.UnsetType:
        return
    elif kind is bool:
        yield from (_shown(True), _shown(False))
    elif isinstance(kind, type) and issubclass(kind, Enum):
        yield from (_shown(member) for member in kind)
    elif isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        hints = typing.get_type_hints(kind)
        fields = (
            f"`{field.encode_name}` ({', '.join(_values(hints[field.name]))})" for field in msgspec.structs.fields(kind)
        )
        yield "tables of " + " and ".join(fields)
    else:
        yield {int: "a number", str: "words", type(None): _shown(None)}[typing.cast("type", kind)]


def presets() -> str:
    """Return the page with a table of the presets."""
    lines = [
        "# Presets",
        "",
        "A preset is a ruleset with a name. You can play every preset, print its rulebook, and extend it in a file of",
        "[house rules](house-rules.md).",
        "",
        "| name | also | options | rulebook | source |",
        "|---|---|---|---|---|",
    ]
    for name in preset_names():
        known = preset(name)
        also = ", ".join(f"`{alias}`" for alias in known.aliases)
        options = ", ".join(f"`+{option}`" for option in known.options)
        books = [f"[{known.title}](rulebooks/{name}.md)"]
        books += [f"[{language}](rulebooks/{code}/{name}.md)" for code, language in TRANSLATIONS.items()]
        lines.append(f"| `{name}` | {also} | {options} | {', '.join(books)} | {known.source} |")
    choices = [(name, *(f"{name}+{option}" for option in preset(name).options)) for name in preset_names()]
    refused = [
        (f"`{choice}`", condition)
        for name, *options in choices
        for choice in ([name] if missing_condition(preset(name).ruleset) else [name, *options])
        if (condition := missing_condition(preset(choice).ruleset)) is not None
    ]
    lines += [
        "",
        "## What is simulated",
        "",
        "The [simulator](simulation.md), the [environments](environments.md), [training](training.md) and the values",
        "of states in [reviews](review.md) do not know all rules. They refuse these presets, with all their options,",
        "and these options of the others. Training and the values of states also refuse rules by which players shed",
        "their dice (`loss.shed_by`).",
        "",
        "| preset or option | simulated only where |",
        "|---|---|",
        *(f"| {choice} | {condition} |" for choice, condition in refused),
    ]
    return "\n".join(lines) + "\n"


def rule_sources() -> str:
    """Return the handwritten page about sources with a table of all sheets below it."""
    lines = [
        (Path(__file__).parent / "rule-sources.md").read_text(encoding="utf-8").rstrip(),
        "",
        "## Sheets from the wild",
        "",
        "Countries are those that the source is from or names, by their codes.",
        "",
        "| sheet | countries | what it plays | source |",
        "|---|---|---|---|",
    ]
    for name, sheet in sheets().items():
        about = sheet.about
        known = ", ".join((sheet.title, *about.aliases))
        says = f"{about.special['en']} Otherwise as `{sheet.extends}`."
        if about.same_as is not None:
            says = f"{about.special['en']} The rules are those of `{about.same_as}`."
        source = f"[{about.source}](https://{about.link})"
        lines.append(f"| [`{name}`](sheets/{name}.toml): {known} | {', '.join(about.countries)} | {says} | {source} |")
    return "\n".join(lines) + "\n"


def commands() -> str:
    """Return the page with the help of every command."""
    lines = ["# Commands", "", "This page shows `liarsdice --help` and the help of each command.", ""]
    for path in _paths(typer.main.get_command(app), ()):
        lines += [f"## `{' '.join(('liarsdice', *path))}`", "", "```text", _help(path), "```", ""]
    return "\n".join(lines).rstrip() + "\n"


def _paths(command: object, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    yield path
    for name, inner in getattr(command, "commands", {}).items():
        yield from _paths(inner, (*path, name))


def _help(path: tuple[str, ...]) -> str:
    os.environ["COLUMNS"] = "80"
    answer = CliRunner().invoke(app, [*path, "--help"], prog_name="liarsdice", terminal_width=80)
    return "\n".join(line.rstrip() for line in answer.output.strip().splitlines())
