"""English: numbers, nouns and lists. The sentences of the rulebook are in `english.toml`."""

import re
from collections.abc import Iterable

from liarsdice.core.rules.validate import FACES, NUMBERS
from liarsdice.core.text.rulebook.language import Language

VOWEL_SOUND = re.compile(r"(?!one\b|once\b|eu|uni|us[aei])[aeiou]", re.IGNORECASE)
"""The start of a word that follows "an"."""


def number(count: int) -> str:
    """Return a whole number in words up to twenty, in digits above.

    >>> number(5), number(21)
    ('five', '21')
    """
    return NUMBERS[count] if 0 <= count < len(NUMBERS) else str(count)


def plural_form(count: int) -> int:
    """Return 0 for the singular, 1 for the plural form."""
    return 0 if count == 1 else 1


def count_noun(count: int, noun: str) -> str:
    """Return a number of something, from a noun in the fitting form.

    >>> count_noun(5, "dice")
    'five dice'
    """
    return f"{number(count)} {noun}"


def face_noun(value: int, count: int) -> str:
    """Return the name of `count` dice of a face, without the count.

    >>> face_noun(6, 1), face_noun(6, 2), face_noun(12, 2)
    ('six', 'sixes', '12s')
    """
    if value <= len(FACES):
        return NUMBERS[value] if count == 1 else FACES[value - 1]
    return str(value) if count == 1 else f"{value}s"


def singular(plural: str) -> str:
    """Return the singular of a plural label.

    >>> singular("pacos"), singular("sixes"), singular("sheep")
    ('paco', 'six', 'sheep')
    """
    if plural.endswith(("xes", "sses", "shes", "ches")):
        return plural[:-2]
    return plural[:-1] if plural.endswith("s") and not plural.endswith("ss") else plural


def article_form(noun: str) -> int:
    """Return 0 for a noun that follows "a", 1 for one that follows "an".

    >>> [article_form(noun) for noun in ("Palifico round", "Obligo round", "One Die Round", "unique round")]
    [0, 1, 0, 0]
    """
    return int(VOWEL_SOUND.match(noun) is not None)


def special_round_name(label: str) -> str:
    """Return the name of a special round, from the label that announces it.

    >>> special_round_name("Palifico!"), special_round_name("Mustache Round!")
    ('Palifico round', 'Mustache Round')
    """
    name = label.rstrip("!. ") or label
    return name if name.lower().endswith("round") else f"{name} round"


def join_words(words: Iterable[str], conjunction: str = "and") -> str:
    """Return words as a list in a sentence.

    >>> join_words(["Ann", "Bo", "Cy"])
    'Ann, Bo and Cy'
    """
    items = list(words)
    return f" {conjunction} ".join(filter(None, (", ".join(items[:-1]), *items[-1:])))


def join_and(words: list[str]) -> str:
    """Return words as a list in a sentence.

    >>> join_and(["Ann", "Bo", "Cy"])
    'Ann, Bo and Cy'
    """
    return join_words(words)


def join_or(choices: list[str]) -> str:
    """Return alternatives as a list in a sentence.

    >>> join_or(["six fours", "five fives", "one six"])
    'six fours, five fives or one six'
    """
    return join_words(choices, "or")


ENGLISH = Language(
    code="en",
    name="English",
    catalogue="english.toml",
    number=number,
    plural_form=plural_form,
    one=("one",),
    quotes=("“", "”"),
    die_forms=("die", "dice"),
    life_forms=("life", "lives"),
    count_noun=count_noun,
    face_noun=face_noun,
    singular=singular,
    special_round_name=special_round_name,
    article_form=article_form,
    join_and=join_and,
    join_or=join_or,
    join_nor=join_or,
)
