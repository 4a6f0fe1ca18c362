"""Every message between a client and a table, in both directions, as JSON text frames; `wire` has what they contain.

A client first sends `hello` with the last update that it has. The table answers with `setting` and `update`, and sends
one `update` for every later change. A client sends commands as `do`; the table answers each with `done` or `problem`.
With `look` it says whether somebody looks at it.
Docstrings call fields by their names in JSON.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from liarsdice.core.errors import IllegalActionError, LiarsDiceError, MalformedError, RulesetError, UnavailableError
from liarsdice.core.rules.choices import Choice
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.player_names import InvalidNameError, ReservedNameError
from liarsdice.server.errors import (
    AddressLimitError,
    BannedError,
    DatabaseLostError,
    ForbiddenError,
    NameTakenError,
    NewerEntryError,
    NoSpectatorsError,
    RateLimitError,
    ServerBannedError,
    StaleError,
    StoreError,
    TableLockedError,
    TableNotFoundError,
    TryAgainError,
    UnreadableTableError,
)
from liarsdice.server.table.commands import Command
from liarsdice.server.table.table_config import TableConfig
from liarsdice.wire import Update


class ErrorCode(Choice):
    """The kind of an error, from which a client chooses the text in its own language."""

    MALFORMED = "malformed"
    INVALID_NAME = "invalid_name"
    NAME_TAKEN = "name_taken"
    RESERVED_NAME = "reserved_name"
    ILLEGAL = "illegal"
    STALE = "stale"
    FORBIDDEN = "forbidden"
    BANNED = "banned"
    SERVER_BANNED = "server_banned"
    LOCKED = "locked"
    ADDRESS_LIMIT = "address_limit"
    UNAVAILABLE = "unavailable"
    NO_SUCH_TABLE = "no_such_table"
    NO_SPECTATORS = "no_spectators"
    TOO_FAST = "too_fast"
    TRY_AGAIN = "try_again"
    DATABASE_LOST = "database_lost"
    UNREADABLE = "unreadable"


CODES: tuple[tuple[type[LiarsDiceError], ErrorCode], ...] = (
    (StaleError, ErrorCode.STALE),
    (NoSpectatorsError, ErrorCode.NO_SPECTATORS),
    (BannedError, ErrorCode.BANNED),
    (ServerBannedError, ErrorCode.SERVER_BANNED),
    (TableLockedError, ErrorCode.LOCKED),
    (AddressLimitError, ErrorCode.ADDRESS_LIMIT),
    (ForbiddenError, ErrorCode.FORBIDDEN),
    (TableNotFoundError, ErrorCode.NO_SUCH_TABLE),
    (RateLimitError, ErrorCode.TOO_FAST),
    (TryAgainError, ErrorCode.TRY_AGAIN),
    (DatabaseLostError, ErrorCode.DATABASE_LOST),
    (StoreError, ErrorCode.TRY_AGAIN),
    (NewerEntryError, ErrorCode.TRY_AGAIN),
    (UnreadableTableError, ErrorCode.UNREADABLE),
    (IllegalActionError, ErrorCode.ILLEGAL),
    (UnavailableError, ErrorCode.UNAVAILABLE),
    (InvalidNameError, ErrorCode.INVALID_NAME),
    (ReservedNameError, ErrorCode.RESERVED_NAME),
    (NameTakenError, ErrorCode.NAME_TAKEN),
    (MalformedError, ErrorCode.MALFORMED),
    (RulesetError, ErrorCode.MALFORMED),
)
"""The first class that an error is an instance of decides, so subclasses come before their base."""


def error_code(error: LiarsDiceError) -> ErrorCode:
    """Return the code of an error.

    >>> error_code(ForbiddenError("only the host may do that"))
    ErrorCode.FORBIDDEN
    """
    return next(code for error_class, code in CODES if isinstance(error, error_class))


# ---- from the client -----------------------------------------------------------------------------------------------


class Hello(msgspec.Struct, frozen=True, tag="hello", forbid_unknown_fields=True):
    """The first message. `last_seq`: the `seq` of the last update that the client has, 0 for none.

    `version`: that of the messages that the client knows; a server refuses another one than its own.
    `spectate`: the client watches, also if it holds a seat, for example on a screen that everybody in the room sees.
    `looking`: as in `Look`.
    """

    last_seq: int = 0
    spectate: bool = False
    version: Literal[1] = 1
    looking: bool = True


class Look(msgspec.Struct, frozen=True, tag="look", forbid_unknown_fields=True):
    """Whether somebody looks at the client now, such as a page that is not hidden. It has no answer.

    A player who looks at no client of theirs is away.
    """

    looking: bool


class CommandRequest(msgspec.Struct, frozen=True, tag="do", forbid_unknown_fields=True):
    """A command.

    `id`: chosen by the client, 1 to 40 characters; a repeated id is handled once, so a client can safely send a command
    again. The table knows the latest 8 ids of each client, and all of the last 256, unless they are 1,000 entries old:
    have no more commands than that unanswered. `turn_id`: that of the match that a move answers; a move is refused as
    stale if the match has gone on since. Other commands ignore it.
    """

    request_id: str = msgspec.field(name="id")
    command: Command
    turn_id: int = 0


ToTable = Hello | Look | CommandRequest


# ---- to the client -------------------------------------------------------------------------------------------------


class ChartCell(msgspec.Struct, frozen=True, array_like=True):
    """The place of a bid in the bid chart. `row` counts from the bottom; 1 is the lowest."""

    quantity: int
    face: int
    row: int


class BannedPlayer(msgspec.Struct, frozen=True):
    """A removed person who may not sit down. `player` and `name`: the id and the name that the person had."""

    player: int
    name: str
    for_good: bool


class OpenSeatRequest(msgspec.Struct, frozen=True):
    """A request for a seat that the host has not answered yet. `number` identifies it."""

    number: int
    name: str


class TableSetup(msgspec.Struct, frozen=True, tag="setting"):
    """What seldom changes during a match.

    `faces`: the columns of the bid chart in order of rank, the special face included. `banned`: the people whom the
    host removed. `locked`: nobody new may sit down. `requests`: the open requests for a seat. `match_rules`: those of
    the latest match, None without one or if those of `config`. `agreed_config`: the one before a change
    of the rules, the clock or what players see that somebody has not accepted yet.
    """

    code: str
    config: TableConfig
    faces: tuple[int, ...]
    cells: tuple[ChartCell, ...]
    banned: tuple[BannedPlayer, ...]
    locked: bool
    requests: tuple[OpenSeatRequest, ...]
    match_rules: Ruleset | None = None
    agreed_config: TableConfig | None = None


class Presence(msgspec.Struct, frozen=True, tag="presence"):
    """The ids of the players who are connected and look at the table, and the number of spectators.

    `bot_ms`: the milliseconds until a bot moves for the player on turn, if that player is away; otherwise None.
    """

    connected: tuple[int, ...]
    watching: int
    bot_ms: int | None = None


class Done(msgspec.Struct, frozen=True, tag="done"):
    """The command `id` is handled and stored; `seq` is its entry in the log."""

    request_id: str = msgspec.field(name="id")
    seq: int


class Problem(msgspec.Struct, frozen=True, tag="problem"):
    """A message was refused and changed nothing. `id`: that of the command, None if the message was none."""

    code: ErrorCode
    text: str
    request_id: str | None = msgspec.field(name="id", default=None)


FromTable = TableSetup | Update | Presence | Done | Problem
