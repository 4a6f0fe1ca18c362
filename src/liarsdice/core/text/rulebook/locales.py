"""The languages that the rulebook is written in; a new one is named here."""

from __future__ import annotations

from liarsdice.core.errors import UnavailableError
from liarsdice.core.text.rulebook.english import ENGLISH
from liarsdice.core.text.rulebook.language import Language
from liarsdice.core.text.rulebook.spanish import SPANISH

LANGUAGES: dict[str, Language] = {language.code: language for language in (ENGLISH, SPANISH)}
"""Every language that the rulebook is written in, by its code."""


def find_language(code: str) -> Language:
    """The language of a code. Raises `UnavailableError` for one that the rulebook is not written in.

    >>> find_language("es").number(3)
    'tres'
    """
    found = LANGUAGES.get(code)
    if found is None:
        raise UnavailableError(f"the rulebook is not written in {code!r} (languages: {', '.join(LANGUAGES)})")
    return found
