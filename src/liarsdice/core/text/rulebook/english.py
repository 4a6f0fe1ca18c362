"""The rulebook in English: how it counts and names things. Its sentences stand in `english.toml`."""

from __future__ import annotations

from collections.abc import Iterable

from liarsdice.core.text.rulebook.language import Language

NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
FACES = ("ones", "twos", "threes", "fours", "fives", "sixes")


def number(count: int) -> str:
    """A number in words up to twenty, in digits beyond.

    >>> number(5), number(21)
    ('five', '21')
    """
    return NUMBERS[count] if 0 <= count < len(NUMBERS) else str(count)


def form(count: int) -> int:
    """0 for the singular, 1 for the plural."""
    return 0 if count == 1 else 1


def counted(count: int, noun: str) -> str:
    """So many of something.

    >>> counted(5, "dice")
    'five dice'
    """
    return f"{number(count)} {noun}"


def face(value: int, count: int) -> str:
    """So many dice of a face, without the number of them.

    >>> face(6, 1), face(6, 2), face(8, 2)
    ('six', 'sixes', '8s')
    """
    if value <= len(FACES):
        return NUMBERS[value] if count == 1 else FACES[value - 1]
    return str(value) if count == 1 else f"{value}s"


def one_of(plural: str) -> str:
    """One of what the table calls by a plural.

    >>> one_of("pacos"), one_of("sixes"), one_of("sheep")
    ('paco', 'six', 'sheep')
    """
    if plural.endswith(("xes", "sses", "shes", "ches")):
        return plural[:-2]
    return plural[:-1] if plural.endswith("s") and not plural.endswith("ss") else plural


def round_called(call: str) -> str:
    """A round by the call that announces it.

    >>> round_called("Palifico!"), round_called("Mustache Round!")
    ('Palifico round', 'Mustache Round')
    """
    name = call.rstrip("!. ") or call
    return name if name.lower().endswith("round") else f"{name} round"


def listed(words: Iterable[str], joint: str = "and") -> str:
    """Words in a row, as speech joins them.

    >>> listed(["Ann", "Bo", "Cy"])
    'Ann, Bo and Cy'
    """
    row = list(words)
    return f" {joint} ".join(filter(None, (", ".join(row[:-1]), *row[-1:])))


def either(choices: list[str]) -> str:
    """What may be chosen from.

    >>> either(["six fours", "five fives", "one six"])
    'six fours, five fives or one six'
    """
    return listed(choices, "or")


ENGLISH = Language(
    code="en",
    name="English",
    catalogue="english.toml",
    number=number,
    form=form,
    counted=counted,
    face=face,
    one_of=one_of,
    round_called=round_called,
    either=either,
    neither=either,
)
