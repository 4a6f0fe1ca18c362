"""The rows of the tokens that the operator gives to programs, in a database of either kind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sqlalchemy as sa

from liarsdice.core.errors import UnavailableError
from liarsdice.server.program_admission import TokenScope
from liarsdice.server.storage.db_schema import program_tokens
from liarsdice.server.storage.store import ProgramToken

SELECT_TOKENS = "SELECT hash, name, scopes, at_ms, until_ms FROM program_tokens ORDER BY at_ms, name, hash"
LOCK_TOKENS = sa.text("LOCK TABLE program_tokens IN EXCLUSIVE MODE")
MAX_TOKENS = 2_000
"""How many tokens there may be, ended ones included: every server holds all of them."""

TokenRow = tuple[str, str, str, int, int | None]


def read_tokens(rows: Iterable[TokenRow]) -> tuple[ProgramToken, ...]:
    """Return the tokens of the rows of `SELECT_TOKENS`. Scopes that only a newer release knows are left out."""
    known = {scope.value: scope for scope in TokenScope}
    return tuple(
        ProgramToken(digest, name, tuple(known[scope] for scope in scopes.split() if scope in known), at_ms, until_ms)
        for digest, name, scopes, at_ms, until_ms in rows
    )


def list_tokens(connection: sa.Connection) -> Sequence[ProgramToken]:
    """As `Administration.list_tokens`."""
    query = sa.text(SELECT_TOKENS)
    return read_tokens((row[0], row[1], row[2], row[3], row[4]) for row in connection.execute(query))


def add_token(connection: sa.Connection, token: ProgramToken) -> None:
    """As `Administration.add_token`. Raises `UnavailableError`."""
    tokens = _locked_tokens(connection)
    if any(other.name == token.name and other.is_valid(token.at_ms) for other in tokens):
        raise UnavailableError(f"there is a token {token.name!r} already; revoke it, or choose another name")
    if len(tokens) >= MAX_TOKENS:
        raise UnavailableError(f"there are {len(tokens)} tokens, ended ones included, and may be no more")
    row = {
        "hash": token.hash,
        "name": token.name,
        "scopes": " ".join(scope.value for scope in token.scopes),
        "at_ms": token.at_ms,
        "until_ms": token.until_ms,
    }
    insert = sa.insert(program_tokens).values(row)
    connection.execute(insert)


def revoke_token(connection: sa.Connection, name: str, now_ms: int) -> None:
    """As `Administration.revoke_token`. Raises `UnavailableError`."""
    valid = [token.hash for token in _locked_tokens(connection) if token.name == name and token.is_valid(now_ms)]
    if not valid:
        raise UnavailableError(f"there is no token {name!r}; `liarsdice admin token list` shows those that are valid")
    update = sa.update(program_tokens).where(program_tokens.c.hash.in_(valid)).values(until_ms=now_ms)
    connection.execute(update)


def _locked_tokens(connection: sa.Connection) -> Sequence[ProgramToken]:
    """Return the tokens, which no other operator changes before this transaction ends."""
    if connection.dialect.name == "postgresql":  # SQLite has one writer at a time
        connection.execute(LOCK_TOKENS)
    return list_tokens(connection)
