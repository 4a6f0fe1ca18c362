"""Identifies people and programs without accounts: by a random token, of which the server stores only the hash.

Browsers send it in a cookie, and programs in the header `Authorization`.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from litestar.connection import ASGIConnection

from liarsdice.core.errors import MalformedError
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.http.address_limits import client_address
from liarsdice.server.settings import ProgramAdmission, TokenScope
from liarsdice.server.storage.store import ProgramToken

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


AppConnection = ASGIConnection[Any, Any, Any, Any]
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
"""The methods of requests that change nothing."""

OPEN_PATHS = re.compile("/api/(tables|quick-match|groups|groups/[^/]*/tables)/*")
PLAY_PREFIXES = ("/api/tables/", "/api/groups/")
ENDED = "this token has expired or was revoked; ask whoever runs this server for another one"
TOKENS_ONLY = "this server admits only programs with a token of whoever runs it"
NO_PROGRAMS = "this server admits no programs"
NO_TOKEN = f"a bearer token has {TOKEN_LENGTH} letters, digits, - and _: 32 random bytes in base64"


class ProgramTokens:
    """The tokens of programs that a server knows, and the connections that their end closes. Used on the event loop.

    `admission`: which other programs are admitted. `now_ms` returns milliseconds since 1970.
    """

    def __init__(self, now_ms: Callable[[], int], admission: ProgramAdmission = ProgramAdmission.GUESTS) -> None:
        self.admission = admission
        self._now_ms = now_ms
        self._tokens: dict[str, ProgramToken] = {}
        self._visitors: set[tuple[str, TokenScope, Callable[[], object]]] = set()

    def replace(self, tokens: Sequence[ProgramToken]) -> None:
        """Know these tokens and no others from now on; connections whose token has ended are closed."""
        self._tokens = {token.hash: token for token in tokens}
        for token_hash, scope, end in tuple(self._visitors):
            if self._refusal(token_hash, scope):
                end()

    def check(self, connection: AppConnection, scope: TokenScope) -> None:
        """Raise `ForbiddenError` if a client is a program that is not admitted, or whose token lacks a scope.

        Whoever sends a token of the operator is a program, also if it comes in a cookie. Raises `MalformedError` for a
        bearer token that does not have the form of a token, which could hold no seat.
        """
        refusal = self._refusal(_token_hash(connection), scope) if self._is_program(connection) else ""
        if refusal:
            raise ForbiddenError(refusal)
        bearer = bearer_token(connection)
        if bearer is not None and not is_token(bearer):
            raise MalformedError(NO_TOKEN)

    @contextmanager
    def watch(self, connection: AppConnection, scope: TokenScope, end: Callable[[], object]) -> Iterator[None]:
        """Call `end` if the token of a program ends while its connection is open. Raises as `check`."""
        self.check(connection, scope)
        visitor = (_token_hash(connection), scope, end)
        if self._is_program(connection):
            self._visitors.add(visitor)
        try:
            yield
        finally:
            self._visitors.discard(visitor)

    def payer(self, connection: AppConnection) -> str:
        """Return from whose budget a client pays: that of its valid token if it has one, else that of its address."""
        token = self._tokens.get(_token_hash(connection))
        if token is None or not token.is_valid(self._now_ms()):
            return client_address(connection)
        return f"program {token.name}"

    def _is_program(self, connection: AppConnection) -> bool:
        return is_program(connection) or _token_hash(connection) in self._tokens

    def _refusal(self, token_hash: str, scope: TokenScope) -> str:
        """Return why a program may not do what needs a scope, "" if it may."""
        token = self._tokens.get(token_hash)
        if self.admission is ProgramAdmission.OFF:
            return NO_PROGRAMS
        if token is None:
            return TOKENS_ONLY if self.admission is ProgramAdmission.TOKENS else ""
        if not token.is_valid(self._now_ms()):
            return ENDED
        if scope not in token.scopes:
            return f"this token lacks the scope {scope.value!r}; ask whoever runs this server for another one"
        return ""


def _token_hash(connection: AppConnection) -> str:
    return hash_token(client_token(connection))


def needed_scope(method: str, path: str) -> TokenScope:
    """Return the scope that a request of the API needs.

    >>> needed_scope("GET", "/api/tables/ABCD/view"), needed_scope("POST", "/api/odds")
    (TokenScope.READ, TokenScope.READ)
    >>> needed_scope("POST", "/api/tables/ABCD/act"), needed_scope("POST", "/api/tables")
    (TokenScope.PLAY, TokenScope.OPEN)
    >>> needed_scope("POST", "/api/groups/ABCD/do"), needed_scope("POST", "/api/groups/ABCD/tables")
    (TokenScope.PLAY, TokenScope.OPEN)
    """
    if method in SAFE_METHODS:
        return TokenScope.READ
    if OPEN_PATHS.fullmatch(path):
        return TokenScope.OPEN
    return TokenScope.PLAY if path.startswith(PLAY_PREFIXES) else TokenScope.READ
