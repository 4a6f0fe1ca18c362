"""What a language needs to tell the rules: its sentences, and how it counts and names things."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from importlib.resources import files

import msgspec


class Language(msgspec.Struct, frozen=True, kw_only=True):
    """One language of the rulebook; a translation is one more file of sentences and the few words of grammar below.

    `sentences` by rule choice; how they are written stands at the top of `english.toml`.

    `number` writes a whole number in words; `form` is the place of the noun's form that fits it. `face` names so many
    dice of a face by its number. `one_of` is the singular of a table's own plural ("pacos"). `round_called` makes the
    name of a special round from the table's call ("Palifico!"). `either` joins what may be chosen from.
    """

    code: str
    sentences: Mapping[str, str]
    number: Callable[[int], str]
    form: Callable[[int], int]
    face: Callable[[int, int], str]
    one_of: Callable[[str], str]
    round_called: Callable[[str], str]
    either: Callable[[list[str]], str]


def read_sentences(file: str) -> Mapping[str, str]:
    """The sentences of a catalogue beside this module, all its tables in one."""
    tables = tomllib.loads(files(__package__).joinpath(file).read_text(encoding="utf-8"))
    return {key: sentence for table in tables.values() for key, sentence in table.items()}
