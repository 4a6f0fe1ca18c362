"""What a table refuses beside illegal moves, and the code under which the wire carries each kind of error."""

from __future__ import annotations

from liarsdice.core.errors import IllegalActionError, LiarsDiceError, MalformedError, RulesetError, UnavailableError
from liarsdice.server.protocol.messages import ErrorCode
from liarsdice.server.storage.store import StoreError


class StaleError(LiarsDiceError):
    """A move that answers a situation which is no more."""


class ForbiddenError(LiarsDiceError):
    """Something that is not for this person to do."""


class NoTableError(UnavailableError):
    """A code at which no table is."""


class NoSpectatorsError(ForbiddenError):
    """A table that only those who sit at it may see."""


class TooFastError(LiarsDiceError):
    """More messages than anybody at a table sends."""


class TryAgainError(LiarsDiceError):
    """Nothing is known to be wrong with what was asked, but it could not be done or is not known to be done."""


CODES: tuple[tuple[type[LiarsDiceError], ErrorCode], ...] = (
    (StaleError, ErrorCode.STALE),
    (NoSpectatorsError, ErrorCode.NO_SPECTATORS),
    (ForbiddenError, ErrorCode.FORBIDDEN),
    (NoTableError, ErrorCode.NO_SUCH_TABLE),
    (TooFastError, ErrorCode.TOO_FAST),
    (TryAgainError, ErrorCode.TRY_AGAIN),
    (StoreError, ErrorCode.TRY_AGAIN),
    (IllegalActionError, ErrorCode.ILLEGAL),
    (UnavailableError, ErrorCode.UNAVAILABLE),
    (MalformedError, ErrorCode.MALFORMED),
    (RulesetError, ErrorCode.MALFORMED),
)


def code_of(error: LiarsDiceError) -> ErrorCode:
    """The kind of an error as the wire names it.

    >>> code_of(ForbiddenError("only the host may do that"))
    ErrorCode.FORBIDDEN
    """
    return next(code for kind, code in CODES if isinstance(error, kind))
