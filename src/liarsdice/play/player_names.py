"""Checks and compares names that people type: visible characters only, and no two names that look the same.

A name is enforced by the PRECIS profile for nicknames (RFC 8266) and compared by its skeleton (Unicode Technical
Standard 39), so that the same rules hold for every script.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import groupby

from precis_i18n import get_profile

from liarsdice.core.engine.engine import JOINED_EMOJI, MAX_NAME_LENGTH
from liarsdice.core.errors import MalformedError

MAX_TYPED_LENGTH = 4 * MAX_NAME_LENGTH
"""The most characters of a name as it is typed, and in compatibility form.

Letters may come apart from their marks, and spaces may be collapsed. The profile takes about 10 µs for each character.
"""

MAX_MARKS = 2
"""The most combining marks on one character, after those that have a composed form are composed."""

EMOJI_SELECTORS = dict.fromkeys(map(ord, "\ufe0e\ufe0f"))
"""Keyboards add a variation selector to some emoji. As a table for `str.translate` that removes it."""

BLANK_SYMBOLS = frozenset("\u2800\U0001d159\u2d7f\U0001107f\U00016fe4\ufffc")
"""Characters that Unicode counts as visible and that have no ink.

An empty Braille pattern, a null note head, the joiners of Tifinagh and Brahmi, the filler of Khitan, and the character
that stands for an object.
"""

DIRECTIONS = {"L": "left to right", "R": "right to left", "AL": "right to left", "EN": "number", "AN": "number"}
"""The bidirectional classes of Unicode that have a direction. Other characters take that of their surroundings."""

SECOND_DOT = re.compile("(?<=[ij])\u0307")
"""A dot above a letter that has one, in which case only one is drawn."""

STAND_IN_EMOJI = "\U0001f9e9"
"""Stands for each joined emoji while the profile works on a name, which would refuse the joiners in it."""

ONE_EMOJI = re.compile(f"{JOINED_EMOJI.pattern}|{STAND_IN_EMOJI}")

JOINER = "\u200d"
LEFT_TO_RIGHT_MARK = "\u200e"
_NICKNAME = get_profile("NicknameCasePreserved")


ROLE_MARKS = frozenset("✓✔✅☑🗸🗹√🤖👑🛡")
ROLE_WORDS = (
    *("host", "bot", "robot", "server", "admin", "administrator", "moderator", "verified", "official", "system"),
    *("anfitrión", "anfitriona", "servidor", "administrador", "administradora", "moderador", "moderadora"),
    *("verificado", "verificada", "oficial", "sistema"),
)
"""Marks and words with which a name would claim a role that the page shows in its own ways, in every language."""

LETTER_PAIRS = {"vv": "w", "cl": "d"}
"""Pairs of letters that look like one and have no entry in Unicode's table, as "rn" has."""

SEPARATORS = ("Z", "P", "Sk", "Sm")
"""The categories of Unicode of spaces, punctuation, accents that stand alone, and signs such as "~"."""

STYLED_LETTER = re.compile("(?:LATIN|LATIN .*|SYMBOL) LETTER (?:SMALL CAPITAL )?([A-Z])$")
"""The name of a character that is a Latin letter in another style and has no compatibility form."""


class InvalidNameError(MalformedError):
    """A name that is empty or too long, or contains characters that nobody can see or too many marks."""


class ReservedNameError(MalformedError):
    """A name that claims to be the host, a bot or the server."""


def normalize_name(text: str, subject: str = "a player's name") -> str:
    r"""Return a name in its normal form: compatibility characters replaced (NFKC), spaces collapsed and trimmed.

    An emoji that is joined of several is one character. Raises `InvalidNameError` if the name is empty then, longer
    than `MAX_NAME_LENGTH` characters, contains invisible or unprintable characters, or has more than `MAX_MARKS`
    combining marks on one character.

    >>> normalize_name("  \uff21nn\xa0 Lee ")
    'Ann Lee'
    """
    text = text.translate(EMOJI_SELECTORS)
    emoji = iter(ONE_EMOJI.findall(text))
    text = ONE_EMOJI.sub(STAND_IN_EMOJI, text)
    try:
        name = "" if _is_long(text) else _NICKNAME.enforce(text)
    except UnicodeEncodeError:
        name = ""
    if (
        not 0 < len(name) <= MAX_NAME_LENGTH
        or not name.isprintable()
        or BLANK_SYMBOLS & {*name}
        or is_stacked(name, MAX_MARKS)
    ):
        raise InvalidNameError(
            f"{subject} has 1 to {MAX_NAME_LENGTH} printable characters, all of them visible, and at most {MAX_MARKS}"
            " combining marks on each; type it again without the others"
        )
    return ONE_EMOJI.sub(lambda _: next(emoji), name)


def player_name(text: str, *, program: bool = False) -> str:
    """Return the name of a player in its normal form. A `program` may call itself a bot.

    Raises `InvalidNameError` as `normalize_name`, and `ReservedNameError` for a name with one of `ROLE_WORDS`, or one
    that looks like it, or of `ROLE_MARKS`.
    """
    name = normalize_name(text)
    forms = _plain_forms(name, *re.split(r"[\W_]+", name))
    allowed = _plain_forms("bot", "robot") if program else frozenset[str]()
    if ROLE_MARKS & {*name} or forms & (_role_forms() - allowed):
        raise ReservedNameError(f"{name} claims a role, such as host, bot or server; choose another name")
    return name


def _plain_forms(*words: str) -> frozenset[str]:
    """Return the compact skeletons of words without accents: of each word as it is, and in lower case."""
    skeletons = [skeleton(form).casefold() for word in words for form in (word, word.casefold())]
    return frozenset(
        _compact("".join(character for character in form if unicodedata.category(character) != "Mn"))
        for form in skeletons
    )


@cache
def _role_forms() -> frozenset[str]:
    return _plain_forms(*ROLE_WORDS)


def look_alike(first: str, second: str) -> bool:
    r"""Return whether two normalized names look the same or differ only in case, style, spaces and signs.

    >>> look_alike("Ann", "\u0410nn"), look_alike("Ann Lee", "AnnLee"), look_alike("Ann", "Anna")
    (True, True, False)
    """
    return any(
        same_form([first]) == same_form([second])
        or same_form(_directed_parts(first)) == same_form(_directed_parts(second))
        for same_form in (_folded_skeletons, _skeletons_of_folded)
    )


def _folded_skeletons(parts: list[str]) -> list[str]:
    return sorted(_compact(skeleton(part).casefold()) for part in parts)


def _skeletons_of_folded(parts: list[str]) -> list[str]:
    return sorted(_compact(skeleton(part.casefold())) for part in parts)


def _compact(form: str) -> str:
    """Return a form without spaces, punctuation and plain signs, with one letter for each of `LETTER_PAIRS`.

    Letters that are drawn in another style, such as small capitals and white ones on black, are plain letters in it.
    """
    kept = "".join(character for character in form if not unicodedata.category(character).startswith(SEPARATORS))
    letters = "".join(map(_plain_letter, kept or form))
    for pair, letter in LETTER_PAIRS.items():
        letters = letters.replace(pair, skeleton(letter))
    return letters


@cache
def _plain_letter(character: str) -> str:
    """Return the skeleton of the Latin letter that a character draws in another style; other characters as they are."""
    styled = None if character.isascii() else STYLED_LETTER.search(unicodedata.name(character, ""))
    return skeleton(styled[1].lower()) if styled else character


def skeleton(name: str) -> str:
    """Return the skeleton of a normalized name (Unicode Technical Standard 39, section 4).

    Names with the same skeleton look the same. A skeleton is for comparison only; it is not meant to be read.

    >>> skeleton("Tim"), skeleton("Ian") == skeleton("lan")
    ('Tirn', True)
    """
    prototypes = _prototypes()
    characters = unicodedata.normalize("NFD", name.replace(JOINER, ""))
    similar = unicodedata.normalize("NFD", "".join(prototypes.get(character, character) for character in characters))
    return SECOND_DOT.sub("", similar)


def _directed_parts(name: str) -> list[str]:
    """Return the parts of a name that are written in one direction each, without what has no direction of its own.

    Where letters are written from right to left, a reader can't tell which part comes first: the same parts in another
    order look the same. A name without such letters, or with one part, is returned whole.
    """
    directions = [(DIRECTIONS.get(unicodedata.bidirectional(character)), character) for character in name]
    directed = [(direction, character) for direction, character in directions if direction is not None]
    parts = ["".join(character for _, character in run) for _, run in groupby(directed, key=lambda pair: pair[0])]
    return parts if len(parts) > 1 and any(direction == "right to left" for direction, _ in directed) else [name]


def _is_long(text: str) -> bool:
    """Return whether a text is so long that it is no name. Some characters stand for up to 18 others."""
    return len(text) > MAX_TYPED_LENGTH or len(unicodedata.normalize("NFKC", text)) > MAX_TYPED_LENGTH


def is_stacked(text: str, most: int) -> bool:
    """Return whether a text begins with a combining mark, or has more than `most` of them in a row."""
    marks = [unicodedata.category(character) in {"Mn", "Me"} for character in text]
    return marks[0] or any(is_mark and len(list(run)) > most for is_mark, run in groupby(marks))


@cache
def _prototypes() -> dict[str, str]:
    """Return the prototype of each character that can be confused with another.

    The library lists each pair of Unicode's table in both directions. A prototype is a sequence, or the character with
    the most pairs; in a class of two characters, the first of them. Right-to-left characters stand between marks.
    """
    from confusable_homoglyphs.confusables import confusables_data  # noqa: PLC0415  it reads a large file

    pairs = {
        text.strip(LEFT_TO_RIGHT_MARK): [pair["c"].strip(LEFT_TO_RIGHT_MARK) for pair in similar]
        for text, similar in confusables_data.items()
    }
    nearest = {
        character: similar[0]
        for character, similar in pairs.items()
        if len(character) == len(similar) == 1
        and (len(similar[0]) > 1 or len(pairs[similar[0]]) > 1 or similar[0] < character)
    }
    return {
        character: "".join(nearest.get(part, part) for part in unicodedata.normalize("NFD", prototype))
        for character, prototype in nearest.items()
    }
