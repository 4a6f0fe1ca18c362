"""The rulebook in Spanish: how it counts and names things. Its sentences stand in `spanish.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from liarsdice.core.text.rulebook.language import Language

NUMBERS = (
    *("cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez"),
    *("once", "doce", "trece", "catorce", "quince", "dieciséis", "diecisiete", "dieciocho", "diecinueve", "veinte"),
)
FACES = ("unos", "doses", "treses", "cuatros", "cincos", "seises", "sietes", "ochos", "nueves", "dieces")

FEMININE = frozenset({"cruz", "flor", "llave", "luz", "mano", "nube", "serpiente", "torre", "vez"})
MASCULINE = frozenset({"as", "cometa", "día", "mapa", "pirata", "planeta"})
"""Nouns whose ending tells the wrong gender, among those that a table may call a face by."""

IRREGULAR = {"aces": "ace"}
"""Plurals of another language that look like one of this."""

PREPOSITIONS = frozenset({"con", "de", "del", "en", "sin"})
STRESSED = re.compile(r"([aeiou][a-zñ]*)([aiou])nes$")
STRESS = {"a": "á", "i": "í", "o": "ó", "u": "ú"}


def number(count: int) -> str:
    """A number in words up to twenty, in digits beyond.

    >>> number(5), number(16), number(21)
    ('cinco', 'dieciséis', '21')
    """
    return NUMBERS[count] if 0 <= count < len(NUMBERS) else str(count)


def form(count: int) -> int:
    """0 for the singular, 1 for the plural."""
    return 0 if count == 1 else 1


def counted(count: int, noun: str) -> str:
    """So many of something; a single one agrees with its noun.

    >>> counted(5, "dados"), counted(1, "dado"), counted(1, "estrella")
    ('cinco dados', 'un dado', 'una estrella')
    """
    return f"{('un', 'una')[gender(noun)] if count == 1 else number(count)} {noun}"


def gender(noun: str) -> int:
    """0 for a masculine noun, singular or plural, 1 for a feminine one; foreign words are masculine.

    >>> [gender(noun) for noun in ("ases", "pacos", "stars", "estrellas", "cruces", "caras 12")]
    [0, 0, 0, 1, 1, 1]
    """
    head = noun.lower().partition(" ")[0]
    known = {head, _singular(head)}
    return int(bool(known & FEMININE) or (head.endswith(("a", "as")) and not known & MASCULINE))


def face(value: int, count: int) -> str:
    """So many dice of a face, without the number of them.

    >>> face(6, 1), face(6, 2), face(12, 1), face(12, 2)
    ('seis', 'seises', 'cara 12', 'caras 12')
    """
    if value <= len(FACES):
        return NUMBERS[value] if count == 1 else FACES[value - 1]
    return f"{'cara' if count == 1 else 'caras'} {value}"


def one_of(plural: str) -> str:
    """One of what the table calls by a plural; what a preposition begins stays as it is.

    >>> [one_of(plural) for plural in ("pacos", "ases", "comodines", "cruces", "dados locos", "caras de payasos")]
    ['paco', 'as', 'comodín', 'cruz', 'dado loco', 'cara de payasos']
    """
    words = plural.split()
    end = next((place for place, word in enumerate(words) if word.lower() in PREPOSITIONS), len(words))
    return " ".join([*map(_singular, words[:end]), *words[end:]])


def _singular(word: str) -> str:
    if word in IRREGULAR:
        return IRREGULAR[word]
    if STRESSED.search(word):
        return STRESSED.sub(lambda ending: f"{ending[1]}{STRESS[ending[2]]}n", word)
    if re.search(r"[aeiouáéíóú]ces$", word):
        return f"{word[:-3]}z"
    if re.search(r"[aeiouáéíóú][dlnrsxy]es$", word):
        return word[:-2]
    return word.removesuffix("s")


def round_called(call: str) -> str:
    """A round by the call that announces it.

    >>> round_called("Palifico!"), round_called("¡Ronda loca!")
    ('ronda «Palifico»', 'ronda loca')
    """
    name = call.strip("¡!. ") or call
    return f"r{name[1:]}" if name.lower().startswith("ronda") else f"ronda «{name}»"


def listed(words: Iterable[str], joint: str = "y") -> str:
    """Words in a row, as speech joins them: "y" is "e" before its own sound, and "o" is "u".

    >>> listed(["Ana", "Beto", "Inés"]), listed(["siete treses", "ocho doses"], "o")
    ('Ana, Beto e Inés', 'siete treses u ocho doses')
    """
    *row, last = words
    return f"{', '.join(row)} {_before(joint, last)} {last}" if row else last


def _before(joint: str, word: str) -> str:
    if joint == "y" and re.match(r"h?[ií](?![aeou])", word, re.IGNORECASE):
        return "e"
    return "u" if joint == "o" and re.match(r"h?[oó]|8|11(?!\d)", word, re.IGNORECASE) else joint


def either(choices: list[str]) -> str:
    """What may be chosen from.

    >>> either(["seis cuatros", "cinco cincos", "un seis"])
    'seis cuatros, cinco cincos o un seis'
    """
    return listed(choices, "o")


def neither(choices: list[str]) -> str:
    """What may not be chosen, after a "no".

    >>> neither(["cuatro cincos", "cinco treses"])
    'cuatro cincos ni cinco treses'
    """
    return listed(choices, "ni")


SPANISH = Language(
    code="es",
    name="español",
    catalogue="spanish.toml",
    number=number,
    form=form,
    counted=counted,
    gender=gender,
    face=face,
    one_of=one_of,
    round_called=round_called,
    either=either,
    neither=neither,
)
