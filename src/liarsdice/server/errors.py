"""The errors that the server raises beside those of `liarsdice.core.errors`.

    LiarsDiceError
        StaleError
        ForbiddenError
            AddressLimitError
            BannedError
            ServerBannedError
            TableLockedError
            NoSpectatorsError
        MalformedError (core)
            NameTakenError
        UnavailableError (core)
            TableNotFoundError
        RateLimitError
        TryAgainError
        UnreadableTableError
            NewerEntryError
        StoreError
            DatabaseLostError

`CODES` in `server.protocol.messages` maps every class to the code that clients receive.
"""

from __future__ import annotations

from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError


class StaleError(LiarsDiceError):
    """A command that refers to an earlier state of the match, or to an accusation that is settled."""


class ForbiddenError(LiarsDiceError):
    """A command that this player may not give."""


class NameTakenError(MalformedError):
    """A name that somebody at the table has, or that looks like theirs."""


class AddressLimitError(ForbiddenError):
    """A request to sit down at a listed table where the people at one address have all the seats that they may."""


class BannedError(ForbiddenError):
    """A request to sit down by a person whom the host removed."""


class ServerBannedError(ForbiddenError):
    """A request of a person whom the operator of the server has banned."""


class TableLockedError(ForbiddenError):
    """A request to sit down at a table that the host has locked."""


class TableNotFoundError(UnavailableError):
    """A table code that no table has."""


class NoSpectatorsError(ForbiddenError):
    """A request to watch a table that only its players may see."""


class RateLimitError(LiarsDiceError):
    """More requests or messages than the server accepts from one client in this time."""


class TryAgainError(LiarsDiceError):
    """A request that failed, or whose outcome is unknown, for a temporary reason; the client may repeat it."""


class UnreadableTableError(LiarsDiceError):
    """A table whose log is stored, but cannot be read, so that nobody can use the table."""


class NewerEntryError(UnreadableTableError):
    """The log of a table has an entry that only a newer release knows, whose nodes serve the same tables."""


class StoreError(LiarsDiceError):
    """A failure of the database.

    After a failed append it is unknown whether the entries were written, so the caller must load the table again.
    """


class DatabaseLostError(StoreError):
    """A write to a database whose file was deleted or replaced while the server uses it. Nothing was written.

    The next start would not find what the server writes from then on.
    """
