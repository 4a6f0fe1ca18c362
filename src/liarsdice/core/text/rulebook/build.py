"""The rulebook of a ruleset: sections of sentences, each of which knows the rule choices that it was written from."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

import msgspec

from liarsdice.core.rules.ruleset import ExactCall, Penalty, Ruleset, SpecialRound, patched
from liarsdice.core.text.rulebook.chart_text import Chart, claim_chart
from liarsdice.core.text.rulebook.clauses import OUTLINE, Line
from liarsdice.core.text.rulebook.field_tracking import at, leaves, watched
from liarsdice.core.text.rulebook.language import Language
from liarsdice.core.text.rulebook.locales import find_language
from liarsdice.core.text.rulebook.placeholders import Scene, clean, fill


class Sentence(msgspec.Struct, frozen=True):
    """One sentence: its key in the catalogue, its text, and the paths of the fields that it depends on."""

    key: str
    text: str
    reads: frozenset[str]


class Section(msgspec.Struct, frozen=True):
    """A heading and what stands under it."""

    key: str
    title: str
    sentences: tuple[Sentence, ...]
    chart: Chart | None = None


class Rulebook(msgspec.Struct, frozen=True):
    """All that a player needs to know, in a player's order."""

    language: str
    title: Sentence
    sections: tuple[Section, ...]

    def sentences(self) -> tuple[Sentence, ...]:
        """The title and every sentence, in order."""
        return (self.title, *(sentence for section in self.sections for sentence in section.sentences))


def rulebook(rules: Ruleset, language: str = "en") -> Rulebook:
    """Write the rulebook of a ruleset. Raises `UnavailableError` for a language that it is not written in.

    >>> from liarsdice.core.rules.presets import preset
    >>> rulebook(preset("perudo").ruleset).sections[-1].sentences[0].text
    'Anyone with no dice left is out. The last player with dice wins.'
    >>> rulebook(preset("perudo").ruleset, "es").sections[-1].title
    'El final de la partida'
    """
    words = find_language(language)
    asked: set[str] = set()
    (title,) = _told(Line("title", variant=lambda _: ""), rules, words, asked)
    sections = [
        Section(
            key,
            words.sentences[f"section.{key}"],
            tuple(sentence for line in lines for sentence in _told(line, rules, words, asked)),
            claim_chart(rules, words) if key == "bids" else None,
        )
        for key, lines in OUTLINE.items()
    ]
    told = frozenset(title.reads).union(*(sentence.reads for section in sections for sentence in section.sentences))
    idle = tuple(_idle(rules, words, told, frozenset(asked)))
    if idle:
        sections.append(Section("idle", words.sentences["section.idle"], idle))
    return Rulebook(language, title, tuple(sections))


def said_of(rules: Ruleset, path: str, language: str = "en") -> str:
    """What the rulebook says of one rule choice; nothing where it has no line of its own or does not apply.

    >>> said_of(Ruleset(), "turn.direction")
    'Turns go clockwise, to the left.'
    """
    told = (
        _told(line, rules, find_language(language), set())
        for lines in OUTLINE.values()
        for line in lines
        if line.path == path
    )
    return " ".join(sentence.text for sentences in told for sentence in sentences)


def _told(line: Line, rules: Ruleset, words: Language, asked_of: set[str]) -> Iterator[Sentence]:
    """The sentences of a line: none where it does not apply, one for each item where the field is a list.

    All that was read to find out goes into `asked_of`.
    """
    seen: set[str] = set()
    asked = watched(rules, seen)
    applies = line.applies(asked)
    asked_of.update(seen)
    if not applies:
        return
    value = line.variant(asked) if line.variant else at(asked, line.path)
    for item in (value or (None,)) if isinstance(value, tuple) else (value,):
        key = _key(words, line.path, item)
        items: dict[str, int | str] = {"item.dice": item.dice} if isinstance(item, Penalty) else {}
        text = fill(words.sentences[key], Scene(asked, words, items))
        yield Sentence(key, text, frozenset(seen))


def _key(words: Language, path: str, value: object) -> str:
    """Where the catalogue keeps the sentence for a value of a rule choice."""
    keys = (f"{path}={token(value)}", f"{path}=#", path)
    return next(key for key in keys if key in words.sentences)


def token(value: object) -> str:
    """A value as the catalogue writes it.

    >>> token(True), token(None), token(3)
    ('true', 'none', '3')
    """
    match value:
        case None:
            return "none"
        case bool():
            return "true" if value else "false"
        case Enum():
            return str(value.value)
        case Penalty():
            return str(value.trigger)
        case _:
            return str(value)


def _idle(rules: Ruleset, words: Language, told: frozenset[str], asked: frozenset[str]) -> Iterator[Sentence]:
    """Fields that are not at their defaults, but of which no sentence tells.

    That depends on all that was read for the sentences and for leaving some of them out.
    """
    for path, value in leaves(rules).items():
        if path not in told and value != DEFAULTS[path]:
            scene = Scene(rules, words, {"item.path": path, "item.value": token(value)})
            yield Sentence(f"idle.{path}", fill(words.sentences["idle"], scene, capital=False), told | asked | {path})


DEFAULTS = leaves(patched(Ruleset(), exact_call=ExactCall(), special_round=SpecialRound(), guards__max_rounds=1000))
"""The value of every field that nobody has chosen, the fields of the optional parts among them."""
DEFAULTS["guards.max_rounds"] = None
OPTIONAL_PARTS = ("exact_call", "special_round")


def changed_choices(old: Ruleset, new: Ruleset) -> list[tuple[str, str, str]]:
    """The path of every field that differs, with its value in both; a field of a part that is not there is "-".

    >>> changed_choices(Ruleset(), patched(Ruleset(), dice__faces=8))
    [('dice.faces', '6', '8')]
    """
    before, after = leaves(old), leaves(new)
    return [
        (path, _plain(before, path), _plain(after, path))
        for path in dict.fromkeys((*before, *after))
        if (path in before) != (path in after) or before.get(path) != after.get(path)
    ]


def _plain(values: dict[str, object], path: str) -> str:
    value = values.get(path, "-")
    match value:
        case tuple():
            items = [f"{item.trigger} {item.dice}" if isinstance(item, Penalty) else str(item) for item in value]
            return f"[{', '.join(items)}]"
        case True if path in OPTIONAL_PARTS:
            return "yes"
        case _:
            return clean(token(value))
