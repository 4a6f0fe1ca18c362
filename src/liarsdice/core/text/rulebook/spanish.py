"""Spanish: numbers, nouns, articles and lists. The sentences of the rulebook are in `spanish.toml`."""

import re
from collections.abc import Iterable

from liarsdice.core.text.rulebook.language import Language

NUMBERS = (
    *("cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez"),
    *("once", "doce", "trece", "catorce", "quince", "dieciséis", "diecisiete", "dieciocho", "diecinueve", "veinte"),
)
ONE = ("un", "una")
"""The number one before a masculine and before a feminine noun."""

FACES = ("unos", "doses", "treses", "cuatros", "cincos", "seises", "sietes", "ochos", "nueves", "dieces")

FEMININE = frozenset({"cruz", "flor", "llave", "luz", "mano", "nube", "serpiente", "torre", "vez"})
MASCULINE = frozenset({"as", "cometa", "día", "mapa", "pirata", "planeta"})
"""Nouns whose ending suggests the other gender, of those that may name a face."""

IRREGULAR = {"aces": "ace"}
"""English plurals that look like Spanish ones."""

PREPOSITIONS = frozenset({"con", "de", "del", "en", "sin"})
STRESSED = re.compile(r"([aeiou][a-zñ]*)([aiou])nes$")
STRESS = {"a": "á", "i": "í", "o": "ó", "u": "ú"}


def number(count: int) -> str:
    """Return a whole number in words up to twenty, in digits above.

    >>> number(5), number(16), number(21)
    ('cinco', 'dieciséis', '21')
    """
    return NUMBERS[count] if 0 <= count < len(NUMBERS) else str(count)


def plural_form(count: int) -> int:
    """Return 0 for the singular, 1 for the plural form."""
    return 0 if count == 1 else 1


def count_noun(count: int, noun: str) -> str:
    """Return a number of something, from a noun in the fitting form; "un" and "una" agree with the noun.

    >>> count_noun(5, "dados"), count_noun(1, "dado"), count_noun(1, "estrella")
    ('cinco dados', 'un dado', 'una estrella')
    """
    return f"{ONE[gender(noun)] if count == 1 else number(count)} {noun}"


def gender(noun: str) -> int:
    """Return 0 for a masculine noun, singular or plural, 1 for a feminine one; foreign words are masculine.

    >>> [gender(noun) for noun in ("ases", "pacos", "stars", "estrellas", "cruces", "caras 12")]
    [0, 0, 0, 1, 1, 1]
    """
    head = noun.lower().partition(" ")[0]
    known = {head, _singular_word(head)}
    return int(bool(known & FEMININE) or (head.endswith(("a", "as")) and not known & MASCULINE))


def face_noun(value: int, count: int) -> str:
    """Return the name of `count` dice of a face, without the count.

    >>> face_noun(6, 1), face_noun(6, 2), face_noun(12, 1), face_noun(12, 2)
    ('seis', 'seises', 'cara 12', 'caras 12')
    """
    if value <= len(FACES):
        return NUMBERS[value] if count == 1 else FACES[value - 1]
    return f"{'cara' if count == 1 else 'caras'} {value}"


def singular(plural: str) -> str:
    """Return the singular of a plural label; words from the first preposition on stay as they are.

    >>> [singular(plural) for plural in ("pacos", "ases", "comodines", "cruces", "dados locos", "caras de payasos")]
    ['paco', 'as', 'comodín', 'cruz', 'dado loco', 'cara de payasos']
    """
    words = plural.split()
    end = next((index for index, word in enumerate(words) if word.lower() in PREPOSITIONS), len(words))
    return " ".join([*map(_singular_word, words[:end]), *words[end:]])


def _singular_word(word: str) -> str:
    if word in IRREGULAR:
        return IRREGULAR[word]
    if STRESSED.search(word):
        return STRESSED.sub(lambda ending: f"{ending[1]}{STRESS[ending[2]]}n", word)
    if re.search(r"[aeiouáéíóú]ces$", word):
        return f"{word[:-3]}z"
    if re.search(r"[aeiouáéíóú][dlnrsxy]es$", word):
        return word[:-2]
    return word.removesuffix("s")


def special_round_name(label: str) -> str:
    """Return the name of a special round, from the label that announces it.

    >>> special_round_name("Palifico!"), special_round_name("¡Ronda loca!")
    ('ronda «Palifico»', 'ronda loca')
    """
    name = label.strip("¡!. ") or label
    return f"r{name[1:]}" if name.lower().startswith("ronda") else f"ronda «{name}»"


def join_words(words: Iterable[str], conjunction: str = "y") -> str:
    """Return words as a list in a sentence: "y" becomes "e" before the sound i, and "o" becomes "u" before the sound o.

    >>> join_words(["Ana", "Beto", "Inés"]), join_words(["siete treses", "ocho doses"], "o")
    ('Ana, Beto e Inés', 'siete treses u ocho doses')
    """
    *others, last = words
    return f"{', '.join(others)} {_conjunction_before(conjunction, last)} {last}" if others else last


def _conjunction_before(conjunction: str, word: str) -> str:
    if conjunction == "y" and re.match(r"h?[ií](?![aeou])", word, re.IGNORECASE):
        return "e"
    return "u" if conjunction == "o" and re.match(r"h?[oó]|8|11(?!\d)", word, re.IGNORECASE) else conjunction


def join_and(words: list[str]) -> str:
    """Return words as a list in a sentence.

    >>> join_and(["Ana", "Beto", "Inés"])
    'Ana, Beto e Inés'
    """
    return join_words(words)


def join_or(choices: list[str]) -> str:
    """Join alternatives with “o”.

    >>> join_or(["seis cuatros", "cinco cincos", "un seis"])
    'seis cuatros, cinco cincos o un seis'
    """
    return join_words(choices, "o")


def join_nor(choices: list[str]) -> str:
    """Join alternatives after a negation with “ni”.

    >>> join_nor(["cuatro cincos", "cinco treses"])
    'cuatro cincos ni cinco treses'
    """
    return join_words(choices, "ni")


SPANISH = Language(
    code="es",
    name="español",
    catalogue="spanish.toml",
    number=number,
    plural_form=plural_form,
    quotes=("«", "»"),
    die_forms=("dado", "dados"),
    life_forms=("vida", "vidas"),
    one=ONE,
    count_noun=count_noun,
    gender=gender,
    article_form=gender,
    face_noun=face_noun,
    singular=singular,
    special_round_name=special_round_name,
    join_and=join_and,
    join_or=join_or,
    join_nor=join_nor,
)
