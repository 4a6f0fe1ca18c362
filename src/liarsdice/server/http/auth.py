"""Identifies people and programs without accounts: by a random token, of which the server stores only the hash.

Browsers send it in a cookie, and programs in the header `Authorization`.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from typing import Any

from litestar.connection import ASGIConnection

COOKIE = "liarsdice"
SECURE_COOKIE = f"__Host-{COOKIE}"
"""The cookie's name over HTTPS: browsers accept this prefix only from this very host and over a secure connection."""

TOKEN_BYTES = 32
COOKIE_AGE_S = 180 * 24 * 3600
TICKET_AGE_S = 15 * 60
MAX_TOKEN_LENGTH = 100
TOKEN_LENGTH = 43
TOKEN = re.compile(rf"[A-Za-z0-9_-]{{{TOKEN_LENGTH}}}")
BEARER = "bearer"
"""The scheme of the header `Authorization` in which a program sends its token."""


def new_token() -> str:
    """Return a new token: 256 random bits of the operating system in URL-safe base64 (43 characters)."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def cookie_name(scheme: str) -> str:
    """Return the name of the cookie for requests of a URL scheme.

    >>> cookie_name("https"), cookie_name("ws")
    ('__Host-liarsdice', 'liarsdice')
    """
    return SECURE_COOKIE if scheme in {"https", "wss"} else COOKIE


def bearer_token(connection: ASGIConnection[Any, Any, Any, Any]) -> str | None:
    """Return the token of the header `Authorization: Bearer TOKEN`, unchecked; None without such a header."""
    scheme, _, token = connection.headers.get("authorization", "").strip().partition(" ")
    return token.strip() if scheme.lower() == BEARER else None


def is_program(connection: ASGIConnection[Any, Any, Any, Any]) -> bool:
    """Return whether a client is a program: it sends a bearer token, which no browser does."""
    return bearer_token(connection) is not None


def client_token(connection: ASGIConnection[Any, Any, Any, Any]) -> str | None:
    """Return the token of a program (`bearer_token`) or else that of a browser's cookie, unchecked; None without."""
    token = bearer_token(connection)
    return connection.cookies.get(cookie_name(connection.url.scheme)) if token is None else token


def is_token(text: str | None) -> bool:
    """Return whether a text has the form of a token. A person who takes a seat with anything else gets a new token.

    >>> is_token(new_token()), is_token("a"), is_token(None)
    (True, False, False)
    """
    return text is not None and TOKEN.fullmatch(text) is not None


def hash_token(token: str | None) -> str:
    """Return the SHA-256 of a token in hexadecimal, by which the server knows it; "" for none and for overlong ones.

    >>> hash_token(None), len(hash_token("abc"))
    ('', 64)
    """
    if not token or len(token) > MAX_TOKEN_LENGTH:
        return ""
    return hashlib.sha256(token.encode()).hexdigest()


def hash_address(key: bytes, code: str, network: str) -> str:
    """Return the HMAC-SHA256 of a visitor's network in hexadecimal, by which the table with a code recognises it.

    Hashes of two tables cannot be compared, and without the key nobody can find the address of a hash.
    """
    return hmac.digest(key, f"{code}\n{network}".encode(), "sha256").hex()
