"""The rulebook: any ruleset as prose that a game can be played from, with its claim chart."""

from liarsdice.core.text.rulebook.build import Rulebook, Section, Sentence, changed_choices, rulebook, said_of
from liarsdice.core.text.rulebook.chart_text import Chart, chart, over_words
from liarsdice.core.text.rulebook.english import ENGLISH
from liarsdice.core.text.rulebook.language import Language
from liarsdice.core.text.rulebook.locales import LANGUAGES, find_language
from liarsdice.core.text.rulebook.render import chart_as_markdown, chart_as_text, to_html, to_markdown, to_text

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "Chart",
    "Language",
    "Rulebook",
    "Section",
    "Sentence",
    "changed_choices",
    "chart",
    "chart_as_markdown",
    "chart_as_text",
    "find_language",
    "over_words",
    "rulebook",
    "said_of",
    "to_html",
    "to_markdown",
    "to_text",
]
