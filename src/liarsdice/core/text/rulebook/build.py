"""The rulebook of a ruleset: sections of sentences, each with the fields that it depends on.

It is written as plain text, Markdown and HTML; labels come from users, so all text is escaped.
"""

import re
import textwrap
from collections.abc import Iterator, Sequence
from enum import Enum
from html import escape

import msgspec

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.overlay import DEFAULTS, OPTIONAL_PARTS, field_value, flatten
from liarsdice.core.rules.parts import Penalty, RuleChoices
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.rulebook.chart_text import Chart, rulebook_chart
from liarsdice.core.text.rulebook.clauses import CLAUSES, Clause
from liarsdice.core.text.rulebook.english import ENGLISH
from liarsdice.core.text.rulebook.language import Language, TextContext, fill, printable, track_reads
from liarsdice.core.text.rulebook.spanish import SPANISH

LANGUAGES: dict[str, Language] = {language.code: language for language in (ENGLISH, SPANISH)}
"""Every language, by code."""


def find_language(code: str) -> Language:
    """Return the language with a code. Raises `UnavailableError` if there are no texts in it.

    >>> find_language("es").number(3)
    'tres'
    """
    language = LANGUAGES.get(code)
    if language is None:
        raise UnavailableError(f"the texts are not written in {code!r:.80} (languages: {', '.join(LANGUAGES)})")
    return language


TITLE = Clause("title", variant=lambda _: "")


class Sentence(msgspec.Struct, frozen=True):
    """One sentence: its key in the catalogue, its text, and the paths of the fields that it depends on."""

    key: str
    text: str
    reads: frozenset[str]


class Section(msgspec.Struct, frozen=True):
    """A section of the rulebook: its heading, its sentences, and for the bids a chart."""

    key: str
    title: str
    sentences: tuple[Sentence, ...]
    chart: Chart | None = None


class Rulebook(msgspec.Struct, frozen=True):
    """Everything a player needs to know, in a player's order."""

    language: str
    title: Sentence
    sections: tuple[Section, ...]

    def __repr__(self) -> str:
        return f"<Rulebook: {self.title.text}, {len(self.sentences())} sentences, language {self.language!r}>"

    def sentences(self) -> tuple[Sentence, ...]:
        """Return the title and every sentence, in order."""
        return (self.title, *(sentence for section in self.sections for sentence in section.sentences))


def rulebook(rules: Ruleset, language: str = "en") -> Rulebook:
    """Build the rulebook of a ruleset in the language with this code.

    Raises `UnavailableError` if the rulebook does not exist in the language.

    >>> from liarsdice.core.rules.presets import preset
    >>> rulebook(preset("perudo").ruleset).sections[-1].sentences[0].text
    'A player with no dice left is out. The last player with dice wins.'
    >>> rulebook(preset("perudo").ruleset, "es").sections[-1].title
    'El final de la partida'
    """
    spoken = find_language(language)
    all_reads: set[str] = set()
    (title,) = _stated(TITLE, rules, spoken, all_reads)
    sections = [
        Section(
            key,
            spoken.sentences[f"section.{key}"],
            tuple(sentence for clause in clauses for sentence in _stated(clause, rules, spoken, all_reads)),
            rulebook_chart(rules, spoken) if key == "bids" else None,
        )
        for key, clauses in CLAUSES.items()
    ]
    mentioned = title.reads.union(*(sentence.reads for section in sections for sentence in section.sentences))
    without_effect = tuple(_without_effect(rules, spoken, mentioned, frozenset(all_reads)))
    if without_effect:
        sections.append(Section("idle", spoken.sentences["section.idle"], without_effect))
    return Rulebook(language, title, tuple(sections))


def field_text(rules: RuleChoices, path: str, language: str = "en") -> str:
    """Return the sentences that state a field, or "" if the field does not apply or has no sentence of its own.

    >>> field_text(Ruleset(), "turn.direction")
    'Play passes clockwise, to the left.'
    """
    spoken = find_language(language)
    clauses = (clause for clauses in CLAUSES.values() for clause in clauses if clause.path == path)
    return " ".join(
        sentence.text
        for clause in clauses
        if clause.applies(rules)
        for sentence in _sentences(clause, rules, spoken, set())
    )


def _stated(clause: Clause, rules: RuleChoices, language: Language, all_reads: set[str]) -> Iterator[Sentence]:
    """Yield the sentences of a clause, none if the rules do not state it.

    Adds every field that was read to find out to `all_reads`.
    """
    reads: set[str] = set()
    stated = clause.is_stated(track_reads(rules, reads))
    all_reads.update(reads)
    if stated:
        yield from _sentences(clause, rules, language, reads)


def _sentences(clause: Clause, rules: RuleChoices, language: Language, reads: set[str]) -> Iterator[Sentence]:
    """Yield the sentences of a clause that applies: one, or one for each item of a field that is a list."""
    tracked = track_reads(rules, reads)
    value = clause.variant(tracked) if clause.variant else field_value(tracked, clause.path)
    for item in (value or (None,)) if isinstance(value, tuple) else (value,):
        key = next(key for key in _sentence_keys(clause.path, item) if key in language.sentences)
        items = _penalty_items(item, language) if isinstance(item, Penalty) else {}
        text = fill(language.sentences[key], TextContext(tracked, language, items))
        yield Sentence(key, text, frozenset(reads))


def _sentence_keys(path: str, value: object) -> tuple[str, ...]:
    """Return the keys under which a catalogue may hold the sentence for a value of a field, the most specific first."""
    return (f"{path}={catalogue_value(value)}", f"{path}=#", path)


def catalogue_value(value: object) -> str:
    """Return a value in the spelling of the catalogue's keys.

    >>> catalogue_value(True), catalogue_value(None), catalogue_value(3)
    ('true', 'none', '3')
    """
    match value:
        case None:
            return "none"
        case bool():
            return "true" if value else "false"
        case Enum():
            return str(value.value)
        case Penalty():
            return f"{value.trigger}.named" if value.offence else str(value.trigger)
        case _:
            return str(value)


def _without_effect(
    rules: RuleChoices, language: Language, mentioned: frozenset[str], all_reads: frozenset[str]
) -> Iterator[Sentence]:
    """Yield a sentence for every field that is not at its default and that no other sentence mentions.

    Such a sentence depends on the field and on every field that was read for the other sentences.
    """
    for path, value in flatten(rules).items():
        if path in mentioned or value == DEFAULTS[path]:
            continue
        reads = {path, *mentioned, *all_reads}
        tracked = track_reads(rules, reads)
        keys = (f"idle.{path}", *_sentence_keys(path, value))
        key = next(key for key in keys if key in language.sentences)
        rule = fill(language.sentences[key], TextContext(tracked, language))
        text = fill(language.sentences["idle"], TextContext(tracked, language, {"item.rule": rule}))
        yield Sentence(f"idle.{path}", text, frozenset(reads))


def changed_fields(old: Ruleset, new: Ruleset) -> list[tuple[str, str, str]]:
    """Return the path of every field that differs, with its value in both; "-" if the rules lack the part.

    >>> from liarsdice.core.rules.overlay import patched
    >>> changed_fields(Ruleset(), patched(Ruleset(), dice__faces=8))
    [('dice.faces', '6', '8')]
    """
    before, after = flatten(old), flatten(new)
    return [
        (path, _printable_value(before, path), _printable_value(after, path))
        for path in dict.fromkeys((*before, *after))
        if (path in before) != (path in after) or before.get(path) != after.get(path)
    ]


def _penalty_items(penalty: Penalty, language: Language) -> dict[str, int | str]:
    start, end = language.quotes
    return {"item.dice": penalty.dice, "item.offence": f"{start}{printable(penalty.offence or '')}{end}"}


def _printable_value(values: dict[str, object], path: str) -> str:
    value = values.get(path, "-")
    match value:
        case tuple():
            items = [_penalty_words(item) if isinstance(item, Penalty) else str(item) for item in value]
            return f"[{', '.join(items)}]"
        case True if path in OPTIONAL_PARTS:
            return "yes"
        case _:
            return printable(catalogue_value(value))


def _penalty_words(penalty: Penalty) -> str:
    """Return a penalty in a list of changes: what it is for, and what it costs."""
    named = f" ({penalty.offence})" if penalty.offence else ""
    return f"{penalty.trigger}{named} {penalty.dice}"


WIDTH = 78
MARKDOWN_SIGNS = re.compile(r"([\\`*_\[\]<>|&~#])")
BID_GAP = "  "
STYLE = """\
body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
figcaption { font-style: italic; }
tr { border-bottom: 1px solid #8886; }
th, td { padding: .15rem .6rem; text-align: left; font-weight: normal; }
thead th { font-weight: bold; }
figure { margin: 0; overflow-x: auto; }
:root { color-scheme: light dark; }"""


def to_text(book: Rulebook) -> str:
    """Return the rulebook for a terminal or a printer, at most 78 columns wide."""
    parts = [_underlined(book.title.text, "=")]
    for section in book.sections:
        sentences = "\n".join(_wrapped(sentence.text, "- ", "  ") for sentence in section.sentences)
        parts.append(f"{_underlined(section.title, '-')}\n{sentences}")
        if section.chart:
            parts.append(textwrap.indent(chart_as_text(section.chart, WIDTH - 2).rstrip("\n"), "  "))
    return "\n\n".join(parts) + "\n"


def to_markdown(book: Rulebook) -> str:
    """Return the rulebook as Markdown."""
    parts = [f"# {_markdown(book.title.text)}"]
    for section in book.sections:
        parts.append(f"## {_markdown(section.title)}")
        parts.append("\n".join(f"- {_markdown(sentence.text)}" for sentence in section.sentences))
        if section.chart:
            parts.append(chart_as_markdown(section.chart).rstrip("\n"))
    return "\n\n".join(parts) + "\n"


def to_html(book: Rulebook) -> str:
    """Return the rulebook as a complete HTML page; each sentence has its key in the attribute `data-rule`."""
    title = escape(book.title.text)
    sections = "\n".join(_html_section(section) for section in book.sections)
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(book.language)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{title}</h1>\n{sections}\n</main>\n</body>\n</html>\n"
    )


def chart_as_text(chart: Chart, width: int = WIDTH) -> str:
    """Return a bid chart as plain text with aligned columns; its sentences are wrapped at `width` characters."""
    lines = [_wrapped(chart.caption, "", "", width), ""]
    if len(chart.head) == 1:
        size = max((len(bid) for row in chart.rows for bid in row[0].split()), default=0)
        for row in chart.rows:
            line = BID_GAP.join(bid.ljust(size) for bid in row[0].split()).rstrip()
            lines += textwrap.wrap(line, width, subsequent_indent=BID_GAP) if len(line) > width else [line]
    else:
        table = (chart.head, *chart.rows)
        widths = [max(len(row[column]) for row in table) for column in range(len(chart.head))]
        for first, *rest in table:
            cells = [first.ljust(widths[0]), *(cell.rjust(size) for cell, size in zip(rest, widths[1:], strict=True))]
            lines.append(BID_GAP.join(cells))
    if chart.remarks:
        lines += ["", *(_wrapped(remark, "", "", width) for remark in chart.remarks)]
    return "\n".join(lines) + "\n"


def chart_as_markdown(chart: Chart) -> str:
    """Return a bid chart as a Markdown table."""
    aligned = ["---", *("---:" for _ in chart.head[1:])]
    rows = [[_markdown(cell) for cell in row] for row in (chart.head, *chart.rows)]
    lines = ["| " + " | ".join(row) + " |" for row in (rows[0], aligned, *rows[1:])]
    remarks = [f"\n{_markdown(remark)}" for remark in chart.remarks]
    return "\n".join([_markdown(chart.caption), "", *lines, *remarks]) + "\n"


def _html_section(section: Section) -> str:
    sentences = "\n".join(
        f'<li data-rule="{escape(sentence.key)}">{escape(sentence.text)}</li>' for sentence in section.sentences
    )
    chart = f"\n{_html_chart(section.chart)}" if section.chart else ""
    return (
        f'<section aria-labelledby="{section.key}">\n<h2 id="{section.key}">{escape(section.title)}</h2>\n'
        f"<ul>\n{sentences}\n</ul>{chart}\n</section>"
    )


def _html_chart(chart: Chart) -> str:
    is_ladder = len(chart.head) == 1
    table = [row[0].split() for row in chart.rows] if is_ladder else chart.rows
    colspan = f' colspan="{max(map(len, table), default=1)}"' if is_ladder else ""
    head = "".join(f'<th scope="col"{colspan}>{escape(cell)}</th>' for cell in chart.head)
    rows = "\n".join(f"<tr>{_html_row_head(row[0], is_ladder=is_ladder)}{_html_cells(row[1:])}</tr>" for row in table)
    remarks = "".join(f"<p>{escape(remark)}</p>\n" for remark in chart.remarks)
    return (
        f"<figure>\n<figcaption>{escape(chart.caption)}</figcaption>\n<table>\n<thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{rows}\n</tbody>\n</table>\n{remarks}</figure>"
    )


def _html_row_head(cell: str, *, is_ladder: bool) -> str:
    return _html_cells([cell]) if is_ladder else f'<th scope="row">{escape(cell)}</th>'


def _html_cells(cells: Sequence[str]) -> str:
    return "".join(f"<td>{escape(cell)}</td>" for cell in cells)


def _markdown(text: str) -> str:
    return MARKDOWN_SIGNS.sub(r"\\\1", text)


def _underlined(title: str, character: str) -> str:
    lines = textwrap.wrap(title, WIDTH) or [""]
    return "\n".join([*lines, character * max(len(line) for line in lines)])


def _wrapped(text: str, indent: str, later_indent: str, width: int = WIDTH) -> str:
    return "\n".join(
        textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=later_indent, break_on_hyphens=False)
    )
