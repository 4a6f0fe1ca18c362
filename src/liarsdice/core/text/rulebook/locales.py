"""The languages of the texts; a new language is listed here.

It is a module of its own because it imports every language, and the languages import nothing from each other.
"""

from __future__ import annotations

from liarsdice.core.errors import UnavailableError
from liarsdice.core.text.rulebook.english import ENGLISH
from liarsdice.core.text.rulebook.language import Language
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
        raise UnavailableError(f"the texts are not written in {code!r} (languages: {', '.join(LANGUAGES)})")
    return language
