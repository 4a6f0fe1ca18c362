"""What texts need from a language: the sentences of the rulebook, and functions that count and name things."""

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import cast

import msgspec

from liarsdice.core.rules.bids import Bid, beats, face_order
from liarsdice.core.rules.meaning import counts_taken, has_lives, sheds, starting_lives
from liarsdice.core.rules.overlay import field_value
from liarsdice.core.rules.parts import RuleChoices

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


PLACEHOLDER = re.compile(r"\{(#?)([a-z_.]+)(?: ([^{}]+))?\}")
STAKE = "@"
"""The form of the noun of what losses cost, dice or lives, in a placeholder."""

VERB = "lost"
"""The placeholder for a verb: its forms are for what is lost, for what is counted as it is taken, and for what is shed.

Without a third form, the first stands for it.
"""

EXAMPLE_QUANTITY = 5
EXAMPLE_SPECIALS = 3


class TextContext(msgspec.Struct, frozen=True):
    """The values for the placeholders of a sentence: the rules, the language, and values of this sentence alone."""

    rules: RuleChoices
    language: Language
    items: Mapping[str, int | str] = {}


def fill(sentence: str, context: TextContext, *, capital: bool = True) -> str:
    """Return the sentence with its placeholders replaced, and with a capital at its start if `capital`."""
    text = PLACEHOLDER.sub(lambda match: _replacement(match, context), sentence)
    return text[:1].upper() + text[1:] if capital else text


def _replacement(match: re.Match[str], context: TextContext) -> str:
    as_digits, name, forms = match[1], match[2], match[3]
    if name == VERB:
        lost, taken, *shed = forms.split("|")
        return str(taken if counts_taken(context.rules) else shed[0] if shed and sheds(context.rules) else lost)
    value = context.items[name] if name in context.items else _computed_value(name, context)
    language = context.language
    if isinstance(value, str):
        word = printable(language.translate_label(value) if name.startswith("labels.") else value)
        return f"{forms.split('|')[language.article_form(word)]} {word}" if forms else word
    assert isinstance(value, int), name
    if not forms:
        return str(value) if as_digits else language.number(value)
    noun = stake_noun(context, value) if forms == STAKE else forms.split("|")[language.plural_form(value)]
    return f"{value} {noun}" if as_digits else language.count_noun(value, noun)


def _computed_value(name: str, context: TextContext) -> object:
    return PLACEHOLDERS[name](context) if name in PLACEHOLDERS else field_value(context.rules, name)


def printable(label: str) -> str:
    r"""Return a label without line breaks and control characters.

    >>> printable("Li\x1b[2Jar\n!")
    'Li [2Jar !'
    """
    return " ".join("".join(sign if sign.isprintable() else " " for sign in label).split())


def face_words(context: TextContext, face: int, count: int) -> str:
    """Return the name of `count` dice of a face, by the label of the special face if the rules have one."""
    dice, label, language = context.rules.dice, context.rules.labels.special_face, context.language
    if label is None or face != dice.special_face:
        return language.face_noun(face, count)
    plural = language.translate_label(label)
    return printable(plural if language.plural_form(count) else language.singular(plural))


def stake_noun(context: TextContext, count: int) -> str:
    """Return the noun of `count` of what losses cost: dice, or lives by the name that the rules give them."""
    rules, language = context.rules, context.language
    if not has_lives(rules):
        return language.die_forms[language.plural_form(count)]
    if not rules.labels.lives:
        return language.life_forms[language.plural_form(count)]
    plural = printable(language.translate_label(rules.labels.lives))
    return plural if language.plural_form(count) else language.singular(plural)


def bid_words(context: TextContext, bid: Bid) -> str:
    """Return a bid as players say it: "five fours", or "five fours zhai" if it is pure, or "a sum of seven"."""
    if bid.is_sum:
        total = TextContext(context.rules, context.language, {"sum": context.language.number(bid.quantity)})
        return fill(context.language.sentences["chart.sum_bid"], total, capital=False)
    words = context.language.count_noun(bid.quantity, face_words(context, bid.face, bid.quantity))
    if not bid.pure:
        return words
    said = TextContext(context.rules, context.language, {"bid": words})
    return fill(context.language.sentences["chart.pure_bid"], said, capital=False)


def ordinary_faces(rules: RuleChoices) -> tuple[int, ...]:
    """Return all faces but the special one, lowest first."""
    return tuple(face for face in range(1, rules.dice.faces + 1) if face != rules.dice.special_face)


def example_bid(rules: RuleChoices) -> Bid:
    """Return the bid that the examples start from: five fours, if the dice have fours."""
    faces = ordinary_faces(rules)
    return Bid(EXAMPLE_QUANTITY, faces[len(faces) // 2])


def example_raises(rules: RuleChoices) -> tuple[list[Bid], list[Bid]]:
    """Return bids near the example bid: first those that beat it, then those that do not."""
    old, faces = example_bid(rules), ordinary_faces(rules)
    below = [face for face in faces if face < old.face][-1:]
    above = [face for face in faces if face > old.face][:1]
    nearby = [
        *(Bid(old.quantity, face) for face in above),
        Bid(old.quantity + 1, old.face),
        *(Bid(old.quantity + 1, face) for face in below),
        *(Bid(old.quantity - 1, face) for face in above),
        *(Bid(old.quantity, face) for face in below),
    ]
    higher = [bid for bid in nearby if beats(rules, old, bid)]
    return higher, [bid for bid in nearby if bid not in higher]


def lowering_example(rules: RuleChoices) -> tuple[Bid, Bid] | None:
    """Return a bid and a later one on a higher face with far fewer dice; None if the rules do not allow that."""
    faces = ordinary_faces(rules)[-2:]
    old, new = Bid(8, faces[0]), Bid(1, faces[-1])
    return (old, new) if len(faces) == 2 and beats(rules, old, new) else None


def _lowest_bid_over(context: TextContext, old: Bid, face: int) -> Bid:
    """Return the bid with the fewest dice of `face` that beats `old`."""
    rules = context.rules
    return next(
        bid for bid in (Bid(quantity, face) for quantity in range(1, 2 * old.quantity + 2)) if beats(rules, old, bid)
    )


def _specials_over(context: TextContext, quantity: int) -> str:
    old = Bid(quantity, example_bid(context.rules).face)
    return bid_words(context, _lowest_bid_over(context, old, context.rules.dice.special_face))


def _example_specials(context: TextContext) -> Bid:
    return Bid(EXAMPLE_SPECIALS, context.rules.dice.special_face)


def _ordinary_over_specials(context: TextContext) -> str:
    return bid_words(context, _lowest_bid_over(context, _example_specials(context), example_bid(context.rules).face))


def _pure_example(context: TextContext) -> Bid:
    """Return the lowest pure bid that beats the example bid, on the face below it if there is one."""
    old, faces = example_bid(context.rules), ordinary_faces(context.rules)
    face = faces[max(faces.index(old.face) - 1, 0)]
    pure = (Bid(quantity, face, pure=True) for quantity in range(1, old.quantity + 1))
    return next(bid for bid in pure if beats(context.rules, old, bid))


def _bid_over_pure(context: TextContext) -> str:
    old = example_bid(context.rules)
    return bid_words(context, _lowest_bid_over(context, Bid(old.quantity, old.face, pure=True), old.face))


def _each_bid_words(context: TextContext, bids: list[Bid]) -> list[str]:
    return [bid_words(context, bid) for bid in bids]


def _lowering_bids(context: TextContext) -> tuple[Bid, Bid]:
    bids = lowering_example(context.rules)
    assert bids is not None
    return bids


def _quoted(context: TextContext, words: object) -> str:
    """Return words of the labels in quotes, as alternatives."""
    assert isinstance(words, tuple)
    language, (start, end) = context.language, context.language.quotes
    return language.join_or([f"{start}{printable(language.translate_label(word))}{end}" for word in words])


def _offences(context: TextContext) -> str:
    """Return what the penalty for offences is for: those that the labels name, or all that no other penalty names."""
    rules = context.rules
    if rules.labels.offences:
        return _quoted(context, rules.labels.offences)
    others = any(penalty.offence for penalty in rules.penalties)
    return context.language.sentences["penalties=offences.other" if others else "penalties=offences.any"]


def _faces_of_seats(context: TextContext) -> str:
    """Return the highest faces of the dice of the first seats: "4, 6 and 8"."""
    return context.language.join_and([str(faces) for faces in context.rules.dice.faces_by_seat or ()])


def _special_round(context: TextContext) -> str:
    label = context.language.translate_label(context.rules.labels.special_round)
    return context.language.special_round_name(printable(label))


PLACEHOLDERS: dict[str, Callable[[TextContext], int | str]] = {
    "specials": lambda context: face_words(context, context.rules.dice.special_face, 2),
    "special_round": _special_round,
    "stake": lambda context: stake_noun(context, 1),
    "stakes": lambda context: stake_noun(context, 2),
    "start": lambda context: starting_lives(context.rules) or context.rules.dice.per_player,
    "also": lambda context: _quoted(context, context.rules.labels.challenge_also),
    "offences": _offences,
    "example": lambda context: bid_words(context, example_bid(context.rules)),
    "example.count": lambda _: EXAMPLE_QUANTITY,
    "example.face": lambda context: face_words(context, example_bid(context.rules).face, EXAMPLE_QUANTITY),
    "example.higher": lambda context: context.language.join_or(
        _each_bid_words(context, example_raises(context.rules)[0])
    ),
    "example.lower": lambda context: context.language.join_nor(
        _each_bid_words(context, example_raises(context.rules)[1])
    ),
    "drop.old": lambda context: bid_words(context, _lowering_bids(context)[0]),
    "drop.new": lambda context: bid_words(context, _lowering_bids(context)[1]),
    "drop.short": lambda context: " -> ".join(map(str, _lowering_bids(context))),
    "faces.of_seats": _faces_of_seats,
    "faces.lowest": lambda context: face_words(context, face_order(context.rules)[0], 2),
    "faces.highest": lambda context: face_words(context, face_order(context.rules)[-1], 2),
    "faces.above": lambda context: context.rules.dice.faces + 1,
    "others.lowest": lambda context: face_words(context, ordinary_faces(context.rules)[0], 2),
    "others.highest": lambda context: face_words(context, ordinary_faces(context.rules)[-1], 2),
    "convert.even": lambda context: bid_words(context, Bid(EXAMPLE_QUANTITY - 1, example_bid(context.rules).face)),
    "convert.odd": lambda context: bid_words(context, example_bid(context.rules)),
    "convert.even_specials": lambda context: _specials_over(context, EXAMPLE_QUANTITY - 1),
    "convert.odd_specials": lambda context: _specials_over(context, EXAMPLE_QUANTITY),
    "convert.specials": lambda context: bid_words(context, _example_specials(context)),
    "convert.back": _ordinary_over_specials,
    "pure": lambda context: bid_words(context, _pure_example(context)),
    "pure.same": lambda context: bid_words(context, Bid(EXAMPLE_QUANTITY, example_bid(context.rules).face, pure=True)),
    "pure.back": _bid_over_pure,
    "off.below": lambda _: EXAMPLE_QUANTITY - 2,
    "off.above": lambda _: EXAMPLE_QUANTITY + 2,
}
"""The functions of the placeholders that are not the path of a field."""


class _TrackedGroup:
    """A field group that records the dotted path of every field that is read from it."""

    def __init__(self, group: msgspec.Struct, prefix: str, reads: set[str]) -> None:
        self._group = group
        self._prefix = prefix
        self._reads = reads

    def __getattr__(self, name: str) -> object:
        value: object = getattr(self._group, name)
        path = f"{self._prefix}{name.removesuffix('_')}"
        self._reads.add(path)
        return _TrackedGroup(value, f"{path}.", self._reads) if isinstance(value, msgspec.Struct) else value


def track_reads(rules: RuleChoices, reads: set[str]) -> RuleChoices:
    """Return a stand-in for `rules` that adds the dotted path of each field to `reads` when the field is read.

    >>> from liarsdice.core.rules.ruleset import Ruleset
    >>> reads = set()
    >>> track_reads(Ruleset(), reads).dice.faces, sorted(reads)
    (6, ['dice', 'dice.faces'])
    """
    return cast("RuleChoices", _TrackedGroup(rules, "", reads))  # has every field of the rules, with the same values
