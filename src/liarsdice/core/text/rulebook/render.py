"""The rulebook and the bid chart as plain text, Markdown and HTML; labels come from users, so all text is escaped."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from html import escape

from liarsdice.core.text.rulebook.build import Rulebook, Section
from liarsdice.core.text.rulebook.chart_text import Chart

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
