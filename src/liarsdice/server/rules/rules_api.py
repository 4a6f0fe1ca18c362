"""Builds what the page shows of rules: the rulebook, its bid chart, the form of fields, and the sheet's address."""

from __future__ import annotations

import itertools
import json
import re
import tomllib
import typing
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NoReturn
from urllib.parse import quote, quote_plus

import msgspec

from liarsdice.core.bids.bid_chart import full_hands
from liarsdice.core.bids.odds import p_true, require_hand, require_table_count, to_percent
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.bid_space import require_bid
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Choice, PassHand
from liarsdice.core.rules.meaning import dice_differ_by_seat, field_applies, sheds
from liarsdice.core.rules.overlay import (
    FIELD_TYPES,
    OPTIONAL_PARTS,
    Plain,
    apply_patch,
    flatten_as_json,
    json_value,
    minimal_patch,
    read_patch,
)
from liarsdice.core.rules.parts import ALIKE_BONUS, Penalty, RuleChoices
from liarsdice.core.rules.presets import Preset, Sheet, preset, sheets
from liarsdice.core.rules.rule_costs import MAX_DICE_EACH, find_costs, is_simulated
from liarsdice.core.rules.ruleset import Ruleset, checked
from liarsdice.core.rules.tally import wilds_at_start
from liarsdice.core.rules.validate import RulesetProblem, find_problems, find_warnings
from liarsdice.core.text.rulebook import LANGUAGES, Chart, field_text, find_language, rulebook
from liarsdice.core.text.rulebook.build import catalogue_value
from liarsdice.server.table.table_config import MAX_PLAYERS


class RulesForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A request to show rules: a preset by name (with options, as `classic+aces`), and changes by field path.

    A field path is as `dice.per_player`. Values are as in a file of house rules; null removes an optional part of the
    rules. `language`: of the response.
    """

    rules: str = "classic"
    changes: Plain = {}
    language: str = "en"


class PresetCard(msgspec.Struct, frozen=True):
    """A preset as a card. `line`: one sentence about it. `options`: the variations that its rule sheet prints."""

    name: str
    title: str
    line: str
    players_min: int
    players_max: int
    dice: int
    options: tuple[str, ...]


class SheetCard(msgspec.Struct, frozen=True):
    """A preset or a rule sheet from the wild, as a search finds it. `countries`: names in the reader's language."""

    name: str
    title: str
    line: str
    dice: int
    countries: tuple[str, ...]
    source: str


class RuleOption(msgspec.Struct, frozen=True):
    """A value that a field of the rules can have: `value` as a change takes it, `words` in the reader's language.

    `problem` says why the value conflicts with the other rules, "" if it does not.
    """

    value: Any  # bool, int, text, list or None, as the field has it
    words: str
    problem: str = ""


class RuleFieldKind(Choice):
    """How a field of the rules is edited: a switch, a choice of several, a number, free text or a list of penalties."""

    SWITCH = "switch"
    CHOICE = "choice"
    NUMBER = "number"
    TEXT = "text"
    PENALTIES = "penalties"


class RuleField(msgspec.Struct, frozen=True):
    """A field of the rules as a form shows it: its path, its title, its value, and what else it can be.

    A number is from `least` to `most`, or one of `options`. A penalty costs from `least` to `most`; any list of
    penalties may be set, not only the `options`. `changed`: the field differs from the preset.
    """

    path: str
    section: str
    title: str
    kind: RuleFieldKind
    value: Any  # as RuleOption.value
    options: tuple[RuleOption, ...] = ()
    least: int | None = None
    most: int | None = None
    changed: bool = False


class RulebookSentence(msgspec.Struct, frozen=True):
    """A sentence of the rulebook, and a key that stays the same when only its numbers change."""

    key: str
    text: str


class RulebookSection(msgspec.Struct, frozen=True):
    """A section of the rulebook, with the bid chart if it has one."""

    key: str
    title: str
    sentences: tuple[RulebookSentence, ...]
    chart: Chart | None = None


class RulesResponse(msgspec.Struct, frozen=True):
    """Rules as the page shows them. If the requested rules have `problems`, the rest ignores a change.

    `problems`: why the rules conflict, or cost more than a table of this server may, whatever the number of players.

    `rules` and `base_title`: the name and the title of the preset that they start from. `ruleset`: all of them, as the
    configuration of a table has them. `address`: the shareable path of the rule sheet. `fields`: the fields of the
    form. `simulated`: whether the simulator knows the rules.
    """

    rules: str
    base_title: str
    changes: Plain
    title: str
    address: str
    seats: tuple[int, int]
    ruleset: Ruleset
    sections: tuple[RulebookSection, ...]
    fields: tuple[RuleField, ...]
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    simulated: bool = True


PLACEHOLDER = re.compile(r"\{([a-z_.]+)\}")


class Translations(msgspec.Struct, frozen=True):
    """The words of one language, as its file in `words/` has them.

    `sections`: titles of sections that the rulebook does not have. `titles`: titles of fields by section and path.
    `values`: words for values, by `path=value`. `problems`: a sentence for each `ProblemCode`. `presets`: one sentence
    about each preset, the best known first. `countries`: names by the codes of ISO 3166.
    """

    sections: Mapping[str, str]
    titles: Mapping[str, Mapping[str, str]]
    values: Mapping[str, str]
    problems: Mapping[str, str]
    presets: Mapping[str, str]
    countries: Mapping[str, str]

    def title(self, path: str) -> str:
        """Return the title of a field outside its section: preceded by its part's title if another field has the same.

        >>> english = translations_for("en")
        >>> english.title("exact_call.budget"), english.title("exact_call.min_players")
        ('Exact calls per player', 'Exact call: Minimum players')
        """
        titles = {key: title for section in self.titles.values() for key, title in section.items()}
        part = path.partition(".")[0]
        title = titles[path] if path in titles else titles[part]
        is_shared = list(titles.values()).count(title) > 1
        return f"{titles[part]}: {title}" if is_shared and part in titles else title


@cache
def translations_for(language: str) -> Translations:
    """Return the words of a language. Raises `UnavailableError` if the rulebook is not written in it."""
    file = files("liarsdice.server.rules").joinpath("words", find_language(language).catalogue)
    return msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), Translations)


def problem_text(problem: RulesetProblem, language: str) -> str:
    """Return a problem of rules in the words of the form: which fields conflict, by their titles, and what to do.

    >>> from liarsdice.core.rules.validate import ProblemCode
    >>> problem_text(RulesetProblem(ProblemCode.TOO_LOW, {"path": "dice.per_player", "value": 1, "least": 2}), "en")
    '“Dice for each player” must be at least 2.'
    """
    words = translations_for(language)
    sentence = words.problems[problem.code.name.lower()]
    return PLACEHOLDER.sub(lambda match: _fill(match[1], problem, words), sentence)


def _fill(placeholder: str, problem: RulesetProblem, words: Translations) -> str:
    match problem.values.get(placeholder):
        case int(number):
            return str(number)
        case tuple(bids):
            return " → ".join(f"{bid.quantity}×{bid.face}" for bid in bids)
        case str(path):
            return words.title(path)
        case None:
            return words.title(placeholder)


DESCRIBED_BY = {"loss.fixed": "loss.mode", "loss.exact": "loss.on_exact"}
"""Fields without a sentence of their own in the rulebook, and the field whose sentence mentions them."""

LISTS = {tuple[str, ...], tuple[int, ...]}
"""The types of lists of words and of numbers, which the form edits as one text with commas."""

NUMBER_RANGES: dict[str, tuple[int, int]] = {
    "players.min": (2, 20),
    "players.max": (2, 20),
    "players.per_set": (2, 20),
    "dice.per_player": (1, 10),
    "dice.faces": (2, 12),
    "dice.special_face": (1, 12),
    "first_starter.dice": (1, 5),
    "bidding.min_open": (1, 20),
    "bidding.min_open_pure": (1, 20),
    "bidding.min_open_special": (1, 20),
    "dice.double": (1, 20),
    "bidding.pass_dice": (2, 20),
    "bidding.max_open": (1, 50),
    "bidding.cap": (1, 100),
    "loss.fixed": (1, 10),
    "loss.exact": (1, 10),
    "loss.out_of_turn_factor": (1, 5),
    "loss.lives": (1, 20),
    "loss.out_below": (2, 10),
    "loss.opening_factor": (2, 5),
    "loss.ante": (1, 10),
    "exact_call.success_gain": (0, 5),
    "exact_call.failure_loss": (0, 5),
    "exact_call.bidder_loss": (0, 5),
    "exact_call.others_loss": (0, 5),
    "exact_call.min_players": (2, 20),
    "exact_call.budget": (1, 20),
    "special_round.min_players": (2, 20),
    "guards.max_rounds": (1, 1000),
    "guards.max_bids_per_round": (1, 200),
}
"""The lowest and highest numbers that the form offers; a number that is set already may lie outside."""

PENALTY_RANGE = 1, 10
"""The lowest and highest cost of a penalty that the form offers."""


class RuleFormBuilder:
    """Builds the fields of the form for a base ruleset with changes, in one language.

    `rules`: the changed rules, unchecked. `values`: their values as JSON has them, by field path.
    """

    def __init__(self, base: Ruleset, changes: Plain, language: str) -> None:
        self.base = base
        self.changes = changes
        self.language = language
        self.rules = apply_patch(base, changes)
        self.values = flatten_as_json(self.rules)

    def with_change(self, path: str, value: object) -> RuleChoices:
        """Return the rules with one more field set, unchecked."""
        return apply_patch(self.base, {**self.changes, path: value})

    def problem_with(self, path: str, value: object) -> RulesetProblem | None:
        """Return why a value of a field conflicts with the other rules, None if it does not."""
        return next(find_problems(self.with_change(path, value)), None)

    def fields(self) -> Iterator[RuleField]:
        """Yield the fields that apply under these rules and can have more than one value."""
        words = translations_for(self.language)
        for section, titles in words.titles.items():
            for path, title in titles.items():
                if field_applies(self.rules, path):
                    field = self._field(path, words.sections.get(section, section), title)
                    if field.kind is RuleFieldKind.TEXT or field.least is not None or len(field.options) > 1:
                        yield field

    def _field(self, path: str, section: str, title: str) -> RuleField:
        value = self.values.get(path)
        kind = field_kind(path)
        least, most = None, None
        if kind is RuleFieldKind.NUMBER:
            least, most = self._number_range(path, value)
        elif kind is RuleFieldKind.PENALTIES:
            least, most = PENALTY_RANGE
        return RuleField(
            path=path,
            section=section,
            title=title,
            kind=kind,
            value=value,
            options=tuple(self._options(path, value)),
            least=least,
            most=most,
            changed=path in self.changes,
        )

    def _options(self, path: str, value: object) -> Iterator[RuleOption]:
        offered = list(listed_values(path))
        if field_kind(path) is not RuleFieldKind.TEXT and value not in offered:
            offered.append(value)
        for option in offered:
            rules = self.with_change(path, option) if option != value else self.rules
            if json_value(rules, path) == option:  # otherwise the other rules determine the value
                problem = next(find_problems(rules), None) if option != value else None
                text = problem_text(problem, self.language) if problem else ""
                yield RuleOption(option, self._value_words(path, option, rules), text)

    def _value_words(self, path: str, value: object, rules: RuleChoices) -> str:
        words = translations_for(self.language).values
        any_number = "#" if isinstance(value, int) and not isinstance(value, bool) else _value_key(value)
        exact = f"{path}={_value_key(value)}"
        kinds = [*(["lives"] if rules.loss.lives else []), *(["shed"] if sheds(rules) else [])]
        for key in (*[f"{exact}.{kind}" for kind in kinds], exact, f"{path}={any_number}"):
            if key in words:
                return words[key].format(value)
        return field_text(rules, DESCRIBED_BY.get(path, path), self.language) or _value_key(value)

    def _number_range(self, path: str, value: object) -> tuple[int, int] | tuple[None, None]:
        """Return the lowest and the highest number that do not conflict with the other rules, None if all do."""
        least, most = NUMBER_RANGES[path]
        valid = value if isinstance(value, int) and not isinstance(value, bool) else None
        if valid is None:
            valid = next((end for end in (least, most) if not self.problem_with(path, end)), None)
        if valid is None:
            return None, None
        least, most = min(least, valid), max(most, valid)
        return self._furthest_valid(path, valid, least), self._furthest_valid(path, valid, most)

    def _furthest_valid(self, path: str, valid: int, end: int) -> int:
        """Return the number nearest to `end` without a conflict, by bisection: valid numbers have no gaps."""
        if valid == end or not self.problem_with(path, end):
            return end
        invalid = end
        while abs(valid - invalid) > 1:
            middle = (valid + invalid) // 2
            valid, invalid = (valid, middle) if self.problem_with(path, middle) else (middle, invalid)
        return valid


def _value_key(value: object) -> str:
    """Return how a key of `[values]` spells a value."""
    match value:
        case []:
            return "none"
        case list():
            return "some"
        case _:
            return catalogue_value(value)


@cache
def field_kind(path: str) -> RuleFieldKind:
    """Return how the form edits a field."""
    field_type = FIELD_TYPES.get(path, bool)
    options = typing.get_args(field_type) or (field_type,)
    if field_type is bool:
        return RuleFieldKind.SWITCH
    if int in options:
        return RuleFieldKind.NUMBER
    if field_type == tuple[Penalty, ...]:
        return RuleFieldKind.PENALTIES
    return RuleFieldKind.TEXT if {str, *LISTS} & set(options) else RuleFieldKind.CHOICE


@cache
def listed_values(path: str) -> tuple[Any, ...]:
    """Return the values of a field that can be listed, as JSON has them; of a number only its alternatives."""
    if path in OPTIONAL_PARTS:
        return (None, True)
    field_type = FIELD_TYPES[path]
    if typing.get_origin(field_type) is tuple:
        return tuple(_list_values(typing.get_args(field_type)[0]))
    lists = next((option for option in typing.get_args(field_type) if typing.get_origin(option) is tuple), None)
    if lists is not None and lists not in LISTS:
        return (None, *list(_list_values(typing.get_args(lists)[0]))[1:])  # no list stands for an empty one
    return tuple(value for option in typing.get_args(field_type) or (field_type,) for value in _scalar_values(option))


def _scalar_values(option: Any) -> tuple[Any, ...]:  # noqa: ANN401  a type annotation of any shape
    if option is type(None):
        return (None,)
    if option is bool:
        return (True, False)
    return tuple(member.value for member in option) if isinstance(option, type) and issubclass(option, c.Choice) else ()


def _list_values(item: type) -> Iterator[list[Any]]:
    """Yield every list with a meaning of its own, shortest first."""
    if item is Penalty:
        yield from _subsets([msgspec.to_builtins(Penalty(trigger=trigger)) for trigger in c.PenaltyTrigger])
        return
    if item is PassHand:
        yield from _subsets([hand.value for hand in PassHand])
        return
    opening, later = c.SuspendedBy.OPENING_BID_ON_SPECIAL.value, c.SuspendedBy.ANY_BID_ON_SPECIAL.value
    for reasons in _subsets([reason.value for reason in c.SuspendedBy]):
        if not {opening, later} <= set(reasons):  # any bid includes the opening bid
            yield reasons


def _subsets(items: list[Any]) -> Iterator[list[Any]]:
    for size in range(len(items) + 1):
        yield from map(list, itertools.combinations(items, size))


MAX_PRESET_NAME_LENGTH = 100


def ruleset_of(rules: str, changes: Mapping[str, Any]) -> Ruleset:
    """Return the rules of a preset, by its name, with changes by field path. Never reads a file of the user.

    Raises `UnavailableError` for an unknown name, `MalformedError` for changes that cannot be read, and `RulesetError`
    if the rules conflict.

    >>> ruleset_of("classic+aces", {"dice.per_player": 6}).dice.per_player
    6
    """
    return checked(apply_patch(_preset(rules).ruleset, read_patch(changes)))


def rules_response(form: RulesForm) -> RulesResponse:
    """Return rules as the page shows them; if they conflict or cost too much for any table, the response says why.

    Raises `UnavailableError` for an unknown preset or language, and `MalformedError` for changes that cannot be read.
    """
    find_language(form.language)
    base = _preset(form.rules)
    changes = read_patch(form.changes)
    response = _build_response(base, changes, form.language)
    return msgspec.structs.replace(response, changes=form.changes) if response.problems else response


def encoded_rules(form: RulesForm) -> bytes:
    """Return `rules_response` as JSON."""
    return msgspec.json.encode(rules_response(form))


def preset_cards(language: str) -> tuple[PresetCard, ...]:
    """Return all presets, the best known first. Raises `UnavailableError` for an unknown language."""
    lines = translations_for(language).presets
    return tuple(_card(preset(name), line, language) for name, line in lines.items())


def _card(known: Preset, line: str, language: str) -> PresetCard:
    players_min, players_max = possible_seats(known.ruleset)
    return PresetCard(
        name=known.name,
        title=find_language(language).translate_label(known.title),
        line=line,
        players_min=players_min,
        players_max=players_max,
        dice=known.ruleset.dice.per_player,
        options=known.options,
    )


def find_games(search: str, language: str) -> tuple[SheetCard, ...]:
    """Return the presets and rule sheets that have all words of a search in their name, country, source or rules.

    The words may be in any language, with or without accents. Those with the search in their name come first, then
    those with it in a country. An empty search finds all. Raises `UnavailableError` for an unknown language.

    >>> [game.name for game in find_games("dinamarca jokers", "en")]
    ['snyd-joker', 'snyd-stairs']
    """
    cards = _game_cards(language)
    phrase = _plain(search)
    places = {name: _place(words, phrase) for name, words in _game_words().items()}
    found = [card for card in cards if places[card.name] is not None]
    return tuple(sorted(found, key=lambda card: places[card.name] or 0))


def _place(words: tuple[str, str, str], phrase: str) -> int | None:
    """Return where a game has a phrase: 0 in its name, 1 in a country, 2 in its rules word by word, None nowhere."""
    if not all(any(word in part for part in words) for word in phrase.split()):
        return None
    return next((place for place, part in enumerate(words) if phrase in part), len(words) - 1)


def _plain(text: str) -> str:
    """Return a text as a search compares it: in lower case, without accents and with single spaces."""
    letters = unicodedata.normalize("NFD", text.casefold())
    return " ".join("".join(letter for letter in letters if not unicodedata.combining(letter)).split())


def _games() -> Iterator[Preset]:
    """Yield all presets, the best known first, then all rule sheets."""
    yield from map(preset, translations_for("en").presets)
    yield from sheets().values()


@cache
def _game_cards(language: str) -> tuple[SheetCard, ...]:
    words = translations_for(language)
    return tuple(
        SheetCard(
            name=known.name,
            title=find_language(language).translate_label(known.title),
            line=known.about.special[language] if isinstance(known, Sheet) else words.presets[known.name],
            dice=known.ruleset.dice.per_player,
            countries=tuple(words.countries[code] for code in known.countries),
            source=known.source,
        )
        for known in _games()
    )


@cache
def _game_words() -> Mapping[str, tuple[str, str, str]]:
    """Return what a search compares by the names of the games: the names, the countries, and source and rules."""
    cards = {(card.name, language): card for language in LANGUAGES for card in _game_cards(language)}
    words = {}
    for known in _games():
        own = [cards[known.name, language] for language in LANGUAGES]
        books = [rulebook(known.ruleset, language) for language in LANGUAGES]
        sentences = [sentence.text for book in books for sentence in book.sentences()]
        parts = (
            [known.name, known.title, *known.aliases, *(card.title for card in own)],
            [name for card in own for name in card.countries],
            [known.source, *(card.line for card in own), *sentences],
        )
        names, countries, rules = (_plain("\n".join(part)) for part in parts)
        words[known.name] = names, countries, rules
    return words


def _preset(name: str) -> Preset:
    if len(name) > MAX_PRESET_NAME_LENGTH:
        raise UnavailableError(f"no ruleset has a name of {len(name)} characters")
    return preset(name)


def possible_seats(rules: Ruleset) -> tuple[int, int]:
    """Return the smallest and the largest number of players at a table of this server, if the rules cost as much."""
    most = min(rules.players.max or MAX_PLAYERS, MAX_PLAYERS)
    least = min(rules.players.min, most)
    return least, next((seats for seats in range(most, least, -1) if not any(find_costs(rules, seats))), least)


def _build_response(base_preset: Preset, changes: Plain, language: str) -> RulesResponse:
    name, base = base_preset.name, base_preset.ruleset
    problems = _problems(base, changes)
    shown = minimal_patch(base, _without_problem(base, changes) if problems else changes)
    form = RuleFormBuilder(base, shown, language)
    rules = checked(form.rules)
    book = rulebook(rules, language)
    return RulesResponse(
        rules=name,
        base_title=find_language(language).translate_label(base_preset.title),
        changes=shown,
        title=book.title.text,
        address=sheet_address(name, shown),
        seats=possible_seats(rules),
        ruleset=rules,
        sections=tuple(
            RulebookSection(
                section.key,
                section.title,
                tuple(RulebookSentence(sentence.key, sentence.text) for sentence in section.sentences),
                section.chart,
            )
            for section in book.sections
        ),
        fields=tuple(form.fields()),
        problems=tuple(problem_text(problem, language) for problem in problems),
        warnings=tuple(problem_text(warning, language) for warning in find_warnings(rules)),
        simulated=is_simulated(rules),
    )


def _problems(base: Ruleset, changes: Plain) -> list[RulesetProblem]:
    """Return why rules with changes conflict, or cost too much even with the fewest players."""
    choices = apply_patch(base, changes)
    if conflicts := list(find_problems(choices)):
        return conflicts
    rules = checked(choices)
    return list(find_costs(rules, possible_seats(rules)[0]))


def _without_problem(base: Ruleset, changes: Plain) -> Plain:
    """Return the changes without the latest one whose removal ends the problem; none if no single removal does."""
    for path in reversed(changes):
        fewer = {key: value for key, value in changes.items() if key != path}
        if not _problems(base, fewer):
            return fewer
    return {}


def sheet_address(name: str, changes: Plain) -> str:
    """Return the shareable path of a rule sheet, spelled as the page spells it.

    >>> sheet_address("classic+aces", {"labels.game": "Dudo", "dice.per_player": 6})
    '/rules/classic%2Baces?dice.per_player=6&labels.game=Dudo'
    """
    query = "&".join(f"{_quote(path)}={_quote(_value_text(value))}" for path, value in sorted(changes.items()))
    return f"/rules/{quote(name, safe='!*()' + chr(39))}" + (f"?{query}" if query else "")


def _quote(text: str) -> str:
    return quote_plus(text, safe="*").replace("~", "%7E")


def _value_text(value: object) -> str:
    """Return a value as JSON, or as plain text if it is a text that cannot be mistaken for JSON."""
    if isinstance(value, str) and not _is_json(value):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_constant=_refuse_constant)
    except ValueError:
        return False
    return True


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(text)


HIDDEN_DICE = (*range(1, 11), 12, 14, 16, 18, 20)
"""The numbers of dice that one cannot see, a row of the chart each."""
MAX_COLUMNS = 12


class OddsForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A request for charts of odds. `rules` and `changes`: as in `RulesForm`. `hand`: your own dice.

    Where dice differ by seat: `seat` is your own seat and `others` are those of the other players still in, from 0; if
    it is empty, these are all other seats with dice of their own, and the first one without.
    """

    rules: str = "classic"
    changes: Plain = {}
    hand: tuple[int, ...] = ()
    face: int = 4
    seat: int = 0
    others: tuple[int, ...] = ()


class OddsRow(msgspec.Struct, frozen=True):
    """One row of a chart. `percents`: the chance of at least q dice of the face among all, for q from 1 up.

    `hidden`: how many dice one cannot see.
    """

    hidden: int
    percents: tuple[int, ...]


class OddsChart(msgspec.Struct, frozen=True):
    """A chart of odds. `wilds`: whether wild dice count for the face."""

    wilds: bool
    rows: tuple[OddsRow, ...]


class OddsResponse(msgspec.Struct, frozen=True):
    """Charts of odds: with wild dice and without, or one chart if the rules have no wild dice for this face.

    `ruleset`: the rules that they hold for. `others`: the seats with the dice that one cannot see, from 0; empty if all
    dice have as many faces.
    """

    ruleset: Ruleset
    face: int
    others: tuple[int, ...]
    charts: tuple[OddsChart, ...]


def odds_response(form: OddsForm) -> OddsResponse:
    """Return the charts that a form asks for, from the exact odds of the package.

    Raises `UnavailableError` for an unknown preset, and where bids are about own dice, `MalformedError` for changes,
    dice, a face or seats that cannot be, and `RulesetError` if the rules conflict.
    """
    rules = ruleset_of(form.rules, form.changes)
    require_table_count(rules)
    others = _others(rules, form) if dice_differ_by_seat(rules) else ()
    if len(form.hand) > MAX_DICE_EACH:
        raise MalformedError(f"a hand has at most {MAX_DICE_EACH} dice here, not {len(form.hand)}")
    require_hand(rules, form.hand)
    if others and max(form.hand, default=0) > (own := rules.dice.faces_at(form.seat)):
        raise MalformedError(f"the dice of seat {form.seat + 1} have {own} faces; none shows a {max(form.hand)}")
    require_bid(rules, Bid(1, form.face), any_face=True)
    has_wilds = wilds_at_start(rules, special_round=False) and form.face != rules.dice.special_face
    charts = tuple(
        OddsChart(wilds, _rows(rules, form, others, wilds=wilds))
        for wilds in ((True, False) if has_wilds else (False,))
    )
    return OddsResponse(rules, form.face, others, charts)


def encoded_odds(form: OddsForm) -> bytes:
    """Return `odds_response` as JSON."""
    return msgspec.json.encode(odds_response(form))


def _others(rules: Ruleset, form: OddsForm) -> tuple[int, ...]:
    """Return the seats with unseen dice. Raises `MalformedError` for seats that cannot be."""
    known = range(len(rules.dice.faces_by_seat or ()) + 1)
    others = form.others or tuple(seat for seat in known if seat != form.seat)
    if not all(0 <= seat < MAX_PLAYERS for seat in (form.seat, *others)):
        raise MalformedError(f"seats are numbered from 0 to {MAX_PLAYERS - 1} here, not {form.seat} and {others}")
    if len({form.seat, *others}) != 1 + len(others):
        raise MalformedError(
            f"the other players have seats of their own, not {others} beside your own seat {form.seat}"
        )
    return tuple(sorted(others))


def _rows(rules: Ruleset, form: OddsForm, others: tuple[int, ...], *, wilds: bool) -> tuple[OddsRow, ...]:
    hidden: list[tuple[tuple[int, ...], tuple[int, ...]]]
    if others:
        faces = tuple(rules.dice.faces_at(seat) for seat in others)
        hidden = [((dice,) * len(others), faces) for dice in range(1, rules.dice.per_player + 1)]
    else:
        hidden = [(full_hands(rules, dice), ()) for dice in HIDDEN_DICE]
    return tuple(_row(rules, form, sizes, faces, wilds=wilds) for sizes, faces in hidden)


def _row(rules: Ruleset, form: OddsForm, sizes: tuple[int, ...], faces: tuple[int, ...], *, wilds: bool) -> OddsRow:
    most = min(len(form.hand) + sum(sizes) + ALIKE_BONUS * (1 + len(sizes)), MAX_COLUMNS)  # no hand has a higher bonus
    bids = [Bid(quantity, form.face) for quantity in range(1, most + 1)]
    chances = [p_true(rules, bid, form.hand, sizes, wilds_count=wilds, faces=faces) for bid in bids]
    return OddsRow(sum(sizes), tuple(to_percent(chance) for chance in chances if chance > 0))
