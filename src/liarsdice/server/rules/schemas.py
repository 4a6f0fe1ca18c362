"""The JSON bodies of requests and responses about rules: presets, rulebooks and the form of rule choices."""

from __future__ import annotations

from typing import Any

import msgspec

from liarsdice.core.rules.choices import Choice
from liarsdice.core.rules.overlay import Plain
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.rulebook import Chart


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
    form.
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
