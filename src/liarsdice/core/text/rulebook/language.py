"""What texts need from a language: the sentences of the rulebook, and functions that count and name things."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files

import msgspec

LABELS = "labels"
"""The table of a catalogue that translates labels; all other tables hold sentences."""


def only_form(_: str) -> int:
    """Return 0, in a language without genders, or with the same article before every noun."""
    return 0


class Language(msgspec.Struct, frozen=True, kw_only=True):
    """One language of the rulebook and of the sentences about a match.

    The header of `english.toml` explains how sentences are written, `CONTRIBUTING.md` how a language is added.

    `code` is the language code, such as "en"; `name` is the name that its speakers use; `catalogue` is the file of
    sentences beside this module; `one` is the number one before a noun, by the index of its gender; `quotes` are the
    two marks around words that somebody says; `die_forms` and `life_forms` are two nouns, by the index that
    `plural_form` returns. The functions:

    - `number` writes a whole number in words,
    - `plural_form` gives the index of the noun form that fits a number,
    - `count_noun` puts a number before a noun that already has the fitting form,
    - `gender` gives the index of the gender of a noun, and `article_form` that of the article before it,
    - `face_noun` names a number of dice of one face, without their number,
    - `singular` makes the singular of a plural label, such as "pacos",
    - `special_round_name` names a special round by the label that announces it, such as "Palifico!",
    - `join_and` joins a list, `join_or` joins alternatives, and `join_nor` joins them after a negation.
    """

    code: str
    name: str
    catalogue: str
    number: Callable[[int], str]
    plural_form: Callable[[int], int]
    one: tuple[str, ...]
    quotes: tuple[str, str]
    die_forms: tuple[str, str]
    life_forms: tuple[str, str]
    count_noun: Callable[[int, str], str]
    gender: Callable[[str], int] = only_form
    article_form: Callable[[str], int] = only_form
    face_noun: Callable[[int, int], str]
    singular: Callable[[str], str]
    special_round_name: Callable[[str], str]
    join_and: Callable[[list[str]], str]
    join_or: Callable[[list[str]], str]
    join_nor: Callable[[list[str]], str]

    @property
    def sentences(self) -> Mapping[str, str]:
        """Every sentence of the catalogue, by key."""
        return _read_sentences(self.catalogue)

    @property
    def labels(self) -> Mapping[str, str]:
        """The translations of presets' labels, such as "Liar!"; none in the language of the presets."""
        return _read_catalogue(self.catalogue).get(LABELS, {})

    def translate_label(self, label: str) -> str:
        """Return the translation of a preset's label; a label that the catalogue lacks stays as it is."""
        return self.labels.get(label, label)


@cache
def _read_catalogue(file: str) -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files(__package__).joinpath(file).read_text(encoding="utf-8"))


@cache
def _read_sentences(file: str) -> Mapping[str, str]:
    tables = _read_catalogue(file)
    return {key: sentence for table, entries in tables.items() if table != LABELS for key, sentence in entries.items()}
