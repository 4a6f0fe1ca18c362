"""The JSON bodies of the HTTP API's requests and responses. Those about rules are in `server.rules.rules_api`."""

from __future__ import annotations

import msgspec

from liarsdice.core.records.awards import Award
from liarsdice.core.rules.overlay import Plain
from liarsdice.server.protocol.messages import ErrorCode
from liarsdice.server.table.table_config import Away, BestOf, Clock, Leaver, Pace


class FormBase(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The base of all request bodies: one with an unknown field is refused."""


class TableForm(FormBase, frozen=True, kw_only=True):
    """A request to open a table and take its first seat.

    `rules` and `changes`: as in `RulesForm`. `seats`: up to 20. `bots`: the bots that take seats, too. `begin`: start a
    match at once. `clock`: None for the default, which is a clock at a listed table and none at others. `commitment`:
    the SHA-256 of the host's seed for the dice of the first match, as in `CommitSeed`.
    """

    name: str
    rules: str = "classic"
    changes: Plain = {}
    title: str = ""
    seats: int | None = None
    bots: tuple[str, ...] = ()
    clock: Clock | None = None
    hints: bool = False
    training: bool = False
    open_cups: bool = False
    spectators: bool = True
    listed: bool = False
    approval: bool = False
    away: Away = Away.BOT
    leaver: Leaver = Leaver.BOT
    pace: Pace = Pace.NORMAL
    best_of: BestOf = 1
    begin: bool = False
    commitment: str = ""


class SeatForm(FormBase, frozen=True, kw_only=True):
    """A request to take a seat. `id`: chosen by the client; a repeated id takes no second seat.

    `commitment`: as in `TableForm`.
    """

    name: str
    request_id: str = msgspec.field(name="id")
    commitment: str = ""


class QuickMatchForm(FormBase, frozen=True, kw_only=True):
    """A request to sit down with whoever waits for the same rules, a preset by its name.

    `id`, `commitment`: as in `SeatForm`. `title` and `seats` are those of the table that is opened if nobody waits.
    """

    name: str
    rules: str
    request_id: str = msgspec.field(name="id")
    title: str = ""
    seats: int | None = None
    commitment: str = ""


class TicketForm(FormBase, frozen=True, kw_only=True):
    """A request to redeem the one-time ticket of a private seat link."""

    ticket: str


class TicketResponse(msgspec.Struct, frozen=True):
    """A private seat link, with which another device can hold the same seat. It works once, for `expires_s` seconds.

    `qr`: the link as a QR code, SVG path data of squares of size 1. `qr_size`: its width in squares, margin included.
    """

    ticket: str
    path: str
    expires_s: int
    qr: str
    qr_size: int


class MatchSummary(msgspec.Struct, frozen=True):
    """A finished match: its awards, and the dice held by each seat at the start of each round and after the last."""

    awards: tuple[Award, ...]
    dice: tuple[tuple[int, ...], ...]


class KeyResponse(msgspec.Struct, frozen=True):
    """The public Ed25519 key of the server in hexadecimal, which verifies the signatures of its records.

    `retired`: earlier keys, which verify the records of matches that began under them, the latest first.
    """

    key: str
    retired: tuple[str, ...] = ()


class ErrorResponse(msgspec.Struct, frozen=True):
    """An error of the HTTP API: its code, and a text that says what is wrong and what to do."""

    code: ErrorCode
    text: str
