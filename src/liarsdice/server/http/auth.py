"""Who somebody is without an account: an unguessable token in a cookie, of which the server keeps the hash alone."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Mapping

COOKIE = "liarsdice"
SECURE_COOKIE = f"__Host-{COOKIE}"
"""Its name where the page came by HTTPS: a browser takes that from this host alone, and only so."""

TOKEN_BYTES = 32
COOKIE_AGE_S = 180 * 24 * 3600
TICKET_AGE_S = 15 * 60
LONGEST_TOKEN = 100
TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


def new_token() -> str:
    """256 bits from the system, as letters, digits, - and _."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def cookie_name(scheme: str) -> str:
    """What the cookie is called for pages that came by a scheme.

    >>> cookie_name("https"), cookie_name("ws")
    ('__Host-liarsdice', 'liarsdice')
    """
    return SECURE_COOKIE if scheme in {"https", "wss"} else COOKIE


def token_in(cookies: Mapping[str, str], scheme: str) -> str | None:
    """What somebody's browser sends as its token, None for nothing."""
    return cookies.get(cookie_name(scheme))


def is_token(text: str | None) -> bool:
    """Whether it looks as our tokens do. Nothing else is taken for one where somebody sits down.

    >>> is_token(new_token()), is_token("a"), is_token(None)
    (True, False, False)
    """
    return text is not None and TOKEN.fullmatch(text) is not None


def holder_of(token: str | None) -> str:
    """What the server knows a token by, "" for none.

    >>> holder_of(None), len(holder_of("abc"))
    ('', 64)
    """
    if not token or len(token) > LONGEST_TOKEN:
        return ""
    return hashlib.sha256(token.encode()).hexdigest()
