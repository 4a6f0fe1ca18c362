"""The sentences about a match in each language, by key: `sentences/en.json` and `sentences/es.json`.

A text has `{placeholders}`. A text with plural forms is an object with the categories `one` and `other`. A key that
ends in `.you` addresses the listener. The first part of a key says who uses the text: `event` the narration, `call` the
summaries of calls, `word` both, `reason` the reasons of a review, and `terminal` the narration of what only the
terminal tells. `docs/page_words.py` writes the words files of the page from all but the last.

Numbers, faces and labels are not in these files; they come from `rulebook.language.Language`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TypeAlias

import msgspec

from liarsdice.core.text.rulebook.language import Language

Text: TypeAlias = str | dict[str, str]
"""One text, or its plural forms by category."""

PLURAL_CATEGORIES = ("one", "other")
"""The categories of plural forms, by the index that `Language.plural_form` returns."""

ADDRESSED = ".you"
"""The end of the key of a text that addresses the listener."""


@cache
def load_texts(code: str) -> Mapping[str, Text]:
    """Return all texts of a language by key."""
    file = files(__package__).joinpath("sentences", f"{code}.json")
    return msgspec.json.decode(file.read_bytes(), type=dict[str, Text])


def fill_text(language: Language, key: str, *, count: int = 0, **values: str) -> str:
    """Return the text of a key with its placeholders replaced by values; `count` selects the plural form.

    >>> from liarsdice.core.text.rulebook.english import ENGLISH
    >>> fill_text(ENGLISH, "event.gained", name="Ann", dice="one die", left="four")
    'Ann gets one die back and has four.'
    """
    text = load_texts(language.code)[key]
    if not isinstance(text, str):
        text = text[PLURAL_CATEGORIES[language.plural_form(count)]]
    return text.format_map(values)
