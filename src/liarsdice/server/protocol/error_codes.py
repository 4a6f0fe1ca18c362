"""The codes under which clients learn of errors, and which error has which code."""

from __future__ import annotations

from liarsdice.core.errors import IllegalActionError, LiarsDiceError, MalformedError, RulesetError, UnavailableError
from liarsdice.core.rules.choices import Choice
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
