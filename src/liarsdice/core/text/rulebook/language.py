"""What a language needs to tell the rules: its sentences, and how it counts and names things."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files

import msgspec


def ungendered(_: str) -> int:
    """The only form that words before a noun have, in a language that knows no genders."""
    return 0


class Language(msgspec.Struct, frozen=True, kw_only=True):
    """One language of the rulebook: a file of sentences, and the few words of grammar below.

    How sentences are written stands at the top of `english.toml`, how a language is added in `CONTRIBUTING.md`.

    `name` is what its speakers call it. `number` writes a whole number in words; `form` is the place of the noun's form
    that fits it, and `counted` puts the number before that form. `gender` is the place of the article's form that fits
    a noun. `face` names so many dice of a face by its number. `one_of` is the singular of a table's own plural
    ("pacos"). `round_called` makes the name of a special round from the table's call ("Palifico!"). `either` joins what
    may be chosen from, `neither` what may not.
    """

    code: str
    name: str
    catalogue: str
    number: Callable[[int], str]
    form: Callable[[int], int]
    counted: Callable[[int, str], str]
    gender: Callable[[str], int] = ungendered
    face: Callable[[int, int], str]
    one_of: Callable[[str], str]
    round_called: Callable[[str], str]
    either: Callable[[list[str]], str]
    neither: Callable[[list[str]], str]

    @property
    def sentences(self) -> Mapping[str, str]:
        """Every sentence by its key, read when the first is asked for."""
        return read_sentences(self.catalogue)


@cache
def read_sentences(file: str) -> Mapping[str, str]:
    """The sentences of a catalogue beside this module, all its tables in one."""
    tables = tomllib.loads(files(__package__).joinpath(file).read_text(encoding="utf-8"))
    return {key: sentence for table in tables.values() for key, sentence in table.items()}
