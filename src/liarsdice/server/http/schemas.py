"""What the HTTP API takes and gives."""

from __future__ import annotations

from typing import Any

import msgspec

from liarsdice.core.rules.choices import Choice
from liarsdice.core.rules.patch import Plain
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.rulebook import Chart
from liarsdice.server.protocol.messages import ErrorCode, Stage
from liarsdice.server.table.table_config import Away, Clock


class _Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What all forms share: one that says more than it holds is refused."""


class RulesForm(_Form, frozen=True, kw_only=True):
    """Rules: a preset's name (with options, as `classic+aces`), and changes by field path, as `dice.per_player`.

    A change to null takes the rule away; values are as in a file of house rules. `language`: of what is answered.
    """

    rules: str = "classic"
    changes: Plain = {}
    language: str = "en"


class TableForm(_Form, frozen=True, kw_only=True):
    """A table to be opened, and its host. `begin`: start at once. `bots`: who else sits down. `seats`: up to 10.

    `seed`: the host's share in the chance of the dice, up to 64 letters and digits.
    """

    name: str
    rules: str = "classic"
    changes: Plain = {}
    title: str = ""
    seats: int | None = None
    bots: tuple[str, ...] = ()
    clock: Clock = Clock()
    hints: bool = False
    spectators: bool = True
    listed: bool = False
    away: Away = Away.BOT
    begin: bool = False
    seed: str = ""


class SeatForm(_Form, frozen=True, kw_only=True):
    """Somebody who sits down. `id`: the page's own, so that saying it twice seats nobody twice."""

    name: str
    id: str
    seed: str = ""


class TicketForm(_Form, frozen=True, kw_only=True):
    """The one-time ticket of a private seat link."""

    ticket: str


class TableOpened(msgspec.Struct, frozen=True):
    """Where a new table is, or the table at which somebody sits now: its code and the player's id."""

    code: str
    player: int


class Ticket(msgspec.Struct, frozen=True):
    """A private seat link: whoever opens it first sits in this seat, too. `expires_s`: for how long.

    `qr`: the link as a QR code, SVG path data in squares of size 1; `qr_size`: squares a side, the margin included.
    """

    ticket: str
    path: str
    expires_s: int
    qr: str
    qr_size: int


class TableListed(msgspec.Struct, frozen=True):
    """A table as the lobby and the join page show it. `seated`: names of those who sit there."""

    code: str
    title: str
    game: str
    rules_name: str
    stage: Stage
    seated: tuple[str, ...]
    seats: int
    spectators: bool
    hints: bool


class PresetCard(msgspec.Struct, frozen=True):
    """A preset as a card. `line`: what is special about it, in one sentence. `options`: switches its sheet prints."""

    name: str
    title: str
    line: str
    players_min: int
    players_max: int
    dice: int
    options: tuple[str, ...]


class RuleOption(msgspec.Struct, frozen=True):
    """One way to play a rule: `value` as a change takes it, `words` in the reader's language.

    `problem` says why it does not go with the other rules, "" where it does.
    """

    value: Any  # bool, int, text, list or None, as the rule has it
    words: str
    problem: str = ""


class SwitchKind(Choice):
    """How a rule choice is made: yes or no, one of a few, a number, or words of one's own."""

    SWITCH = "switch"
    CHOICE = "choice"
    NUMBER = "number"
    TEXT = "text"


class RuleSwitch(msgspec.Struct, frozen=True):
    """One rule choice: the path of its field, what it is about, how it is set now, and what else it can be.

    A number goes from `least` to `most`, and may be one of `options` instead.
    """

    path: str
    section: str
    title: str
    kind: SwitchKind
    value: Any  # as RuleOption.value
    options: tuple[RuleOption, ...] = ()
    least: int | None = None
    most: int | None = None
    changed: bool = False


class SentenceSeen(msgspec.Struct, frozen=True):
    """A sentence of the rulebook, and the key that stays the same when its wording follows a number."""

    key: str
    text: str


class SectionSeen(msgspec.Struct, frozen=True):
    """A section of the rulebook."""

    key: str
    title: str
    sentences: tuple[SentenceSeen, ...]
    chart: Chart | None = None


class RulesSeen(msgspec.Struct, frozen=True):
    """Rules as a page shows them. Where they don't work together, `problems` says why and the rest is as before.

    `rules` and `base_title`: the preset that they start from, by its name and as players know it. `ruleset`: all of
    them, as a table's options hold them. `address`: the rule sheet's shareable path.
    """

    rules: str
    base_title: str
    changes: Plain
    title: str
    address: str
    seats: tuple[int, int]
    ruleset: Ruleset
    sections: tuple[SectionSeen, ...]
    switches: tuple[RuleSwitch, ...]
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class ProblemSeen(msgspec.Struct, frozen=True):
    """An error of the HTTP API: its kind, and what to do."""

    code: ErrorCode
    text: str
