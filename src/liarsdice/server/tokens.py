"""Who somebody is without an account: an unguessable token in a cookie, of which the server keeps the hash alone."""

from __future__ import annotations

import hashlib
import secrets

COOKIE = "liarsdice"
TOKEN_BYTES = 32
COOKIE_AGE_S = 180 * 24 * 3600
TICKET_AGE_S = 15 * 60
LONGEST_TOKEN = 100


def new_token() -> str:
    """256 bits from the system, as letters, digits, - and _."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def holder_of(token: str | None) -> str:
    """What the server knows a token by, "" for none.

    >>> holder_of(None), len(holder_of("abc"))
    ('', 64)
    """
    if not token or len(token) > LONGEST_TOKEN:
        return ""
    return hashlib.sha256(token.encode()).hexdigest()
