"""Builds the form of a ruleset: every field that applies, its value, the values that it can have, and conflicts."""

from __future__ import annotations

import itertools
import typing
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.choices import PassHand
from liarsdice.core.rules.meaning import field_applies
from liarsdice.core.rules.overlay import FIELD_TYPES, OPTIONAL_PARTS, Plain, apply_patch, flatten_as_json, json_value
from liarsdice.core.rules.parts import Penalty, RuleChoices
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_problems import RulesetProblem
from liarsdice.core.rules.validate import find_problems
from liarsdice.core.text.rulebook import field_text
from liarsdice.core.text.rulebook.build import catalogue_value
from liarsdice.server.rules.schemas import RuleField, RuleFieldKind, RuleOption
from liarsdice.server.rules.translations import problem_text, translations_for

DESCRIBED_BY = {"loss.fixed": "loss.mode", "loss.exact": "loss.on_exact"}
"""Fields without a sentence of their own in the rulebook, and the field whose sentence mentions them."""

LISTS = {tuple[str, ...], tuple[int, ...]}
"""The types of lists of words and of numbers, which the form edits as one text with commas."""

NUMBER_RANGES: dict[str, tuple[int, int]] = {
    "players.min": (2, 10),
    "players.max": (2, 10),
    "players.per_set": (2, 10),
    "dice.per_player": (1, 10),
    "dice.faces": (2, 12),
    "dice.special_face": (1, 12),
    "first_starter.dice": (1, 5),
    "bidding.min_open": (1, 20),
    "bidding.min_open_pure": (1, 20),
    "bidding.min_open_special": (1, 20),
    "bidding.pass_dice": (2, 20),
    "bidding.max_open": (1, 50),
    "bidding.cap": (1, 100),
    "loss.fixed": (1, 10),
    "loss.exact": (1, 10),
    "loss.out_of_turn_factor": (1, 5),
    "loss.lives": (1, 20),
    "loss.out_below": (2, 10),
    "loss.opening_factor": (2, 5),
    "exact_call.success_gain": (0, 5),
    "exact_call.failure_loss": (0, 5),
    "exact_call.bidder_loss": (0, 5),
    "exact_call.others_loss": (0, 5),
    "exact_call.min_players": (2, 10),
    "exact_call.budget": (1, 20),
    "special_round.min_players": (2, 10),
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
        for key in (*([f"{exact}.lives"] if rules.loss.lives else []), exact, f"{path}={any_number}"):
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
