"""The rulebook: the rules of any ruleset as prose, with a bid chart, in several languages and formats.

Start with `build.py`; the sentences are in `english.toml` and `spanish.toml`.
"""

from liarsdice.core.text.rulebook.build import (
    LANGUAGES,
    Rulebook,
    Section,
    Sentence,
    changed_fields,
    chart_as_markdown,
    chart_as_text,
    field_text,
    find_language,
    rulebook,
    to_html,
    to_markdown,
    to_text,
)
from liarsdice.core.text.rulebook.chart_text import Chart, lowest_bids_text, make_chart
from liarsdice.core.text.rulebook.english import ENGLISH
from liarsdice.core.text.rulebook.language import Language

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "Chart",
    "Language",
    "Rulebook",
    "Section",
    "Sentence",
    "changed_fields",
    "chart_as_markdown",
    "chart_as_text",
    "field_text",
    "find_language",
    "lowest_bids_text",
    "make_chart",
    "rulebook",
    "to_html",
    "to_markdown",
    "to_text",
]
