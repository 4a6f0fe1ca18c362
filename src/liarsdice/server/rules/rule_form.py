"""Every rule choice as a switch in plain words: what it is set to, what else it can be, and what does not go."""

from __future__ import annotations

import itertools
import typing
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.patch import KINDS, MEANT, Plain, flat, laid_over
from liarsdice.core.rules.ruleset import Penalty, Ruleset
from liarsdice.core.rules.ruleset_problems import Misfit
from liarsdice.core.rules.validate import problems
from liarsdice.core.text.rulebook import said_of
from liarsdice.core.text.rulebook.build import OPTIONAL_PARTS, token
from liarsdice.server.http.schemas import RuleOption, RuleSwitch, SwitchKind
from liarsdice.server.rules.translations import told, words_of

SAID_WITH = {"loss.fixed": "loss.mode", "loss.exact": "loss.on_exact"}
"""Choices that have no line of their own in the rulebook, and the one that tells them."""

NUMBERS: dict[str, tuple[int, int]] = {
    "players.min": (2, 10),
    "players.max": (2, 10),
    "dice.per_player": (1, 10),
    "dice.faces": (2, 12),
    "dice.special_face": (1, 12),
    "first_starter.dice": (1, 5),
    "bidding.min_open": (1, 20),
    "bidding.max_open": (1, 50),
    "bidding.cap": (1, 100),
    "loss.fixed": (1, 10),
    "loss.exact": (1, 10),
    "loss.out_of_turn_factor": (1, 5),
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
"""From where to where numbers go at a table of people; what is set already may lie outside."""


class Draft:
    """A ruleset with changes, and what becomes of it with one more."""

    def __init__(self, base: Ruleset, changes: Plain, language: str) -> None:
        self.base = base
        self.changes = changes
        self.language = language
        self.rules = laid_over(base, changes)
        self.values = flat(self.rules)

    def with_change(self, path: str, value: object) -> Ruleset:
        """The rules with this field set, unchecked."""
        return laid_over(self.base, {**self.changes, path: value})

    def misfit(self, path: str, value: object) -> Misfit | None:
        """Why this value does not go with the other rules, None where it does."""
        return next(problems(self.with_change(path, value)), None)

    def switches(self) -> Iterator[RuleSwitch]:
        """All choices that mean something in these rules, and can be made in more than one way."""
        words = words_of(self.language)
        for section, titles in words.titles.items():
            for path, title in titles.items():
                if self._means_something(path):
                    made = self._switch(path, words.sections.get(section, section), title)
                    if made.kind in {SwitchKind.TEXT, SwitchKind.NUMBER} or len(made.options) > 1:
                        yield made

    def _means_something(self, path: str) -> bool:
        part = path.partition(".")[0]
        if path in OPTIONAL_PARTS:
            return True
        return (part not in OPTIONAL_PARTS or part in self.values) and (path not in MEANT or MEANT[path](self.rules))

    def _switch(self, path: str, section: str, title: str) -> RuleSwitch:
        value = self.values.get(path)
        kind = kind_of(path)
        least, most = self._ends(path, value) if kind is SwitchKind.NUMBER else (None, None)
        return RuleSwitch(
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
        offered = list(values_of(path))
        if kind_of(path) is not SwitchKind.TEXT and value not in offered:
            offered.append(value)
        for one in offered:
            rules = self.with_change(path, one) if one != value else self.rules
            if flat(rules).get(path) == one:  # else the other rules settle it
                misfit = next(problems(rules), None) if one != value else None
                yield RuleOption(one, self._words(path, one, rules), told(misfit, self.language) if misfit else "")

    def _words(self, path: str, value: object, rules: Ruleset) -> str:
        words = words_of(self.language).words
        found = "#" if isinstance(value, int) and not isinstance(value, bool) else _token(value)
        for key in (f"{path}={_token(value)}", f"{path}={found}"):
            if key in words:
                return words[key].format(value)
        return said_of(rules, SAID_WITH.get(path, path), self.language) or _token(value)

    def _ends(self, path: str, value: object) -> tuple[int, int]:
        """The least and the most that go with the other rules, between ends that suit a table."""
        least, most = NUMBERS[path]
        known = value if isinstance(value, int) and not isinstance(value, bool) else None
        if known is None:
            known = next((end for end in (least, most) if not self.misfit(path, end)), None)
        if known is None:
            return least, most
        least, most = min(least, known), max(most, known)
        return self._furthest(path, known, least), self._furthest(path, known, most)

    def _furthest(self, path: str, good: int, end: int) -> int:
        """The number nearest to the end that still goes; all between it and a good one do."""
        if good == end or not self.misfit(path, end):
            return end
        bad = end
        while abs(good - bad) > 1:
            middle = (good + bad) // 2
            good, bad = (good, middle) if self.misfit(path, middle) else (middle, bad)
        return good


def _token(value: object) -> str:
    match value:
        case []:
            return "none"
        case list():
            return "some"
        case _:
            return token(value)


@cache
def kind_of(path: str) -> SwitchKind:
    """How a rule choice is made."""
    kind = KINDS.get(path, bool)
    options = typing.get_args(kind) or (kind,)
    if kind is bool:
        return SwitchKind.SWITCH
    if int in options:
        return SwitchKind.NUMBER
    return SwitchKind.TEXT if str in options else SwitchKind.CHOICE


@cache
def values_of(path: str) -> tuple[Any, ...]:
    """Every value of a choice that can be listed, as JSON has it: of a number, only what it can be instead."""
    if path in OPTIONAL_PARTS:
        return (None, True)
    kind = KINDS[path]
    if typing.get_origin(kind) is tuple:
        return tuple(_lists(typing.get_args(kind)[0]))
    return tuple(value for option in typing.get_args(kind) or (kind,) for value in _single(option))


def _single(option: Any) -> tuple[Any, ...]:  # noqa: ANN401  a type annotation of any shape
    if option is type(None):
        return (None,)
    if option is bool:
        return (True, False)
    return tuple(member.value for member in option) if issubclass(option, c.Choice) else ()


def _lists(item: type) -> Iterator[list[Any]]:
    """Every list that says something of its own, shortest first."""
    if item is Penalty:
        each = [msgspec.to_builtins(Penalty(trigger=trigger)) for trigger in c.PenaltyTrigger]
        yield from _subsets(each)
        return
    opening, later = c.SuspendedBy.OPENING_BID_ON_SPECIAL.value, c.SuspendedBy.ANY_BID_ON_SPECIAL.value
    for reasons in _subsets([reason.value for reason in c.SuspendedBy]):
        if not {opening, later} <= set(reasons):  # any bid is the opening one too
            yield reasons


def _subsets(each: list[Any]) -> Iterator[list[Any]]:
    for size in range(len(each) + 1):
        yield from map(list, itertools.combinations(each, size))
