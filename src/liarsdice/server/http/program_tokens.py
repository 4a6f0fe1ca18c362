"""Which programs a server admits: none, all as guests, or those with a token of its operator; and what these may do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from litestar.connection import ASGIConnection

from liarsdice.core.errors import MalformedError
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.http.auth import TOKEN_LENGTH, bearer_token, client_token, hash_token, is_program, is_token
from liarsdice.server.http.networks import client_address
from liarsdice.server.program_admission import ProgramAdmission, TokenScope
from liarsdice.server.storage.store import ProgramToken

AppConnection = ASGIConnection[Any, Any, Any, Any]
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
"""The methods of requests that change nothing."""

OPEN_PATHS = ("/api/tables", "/api/quick-match")
TABLE_PREFIX = "/api/tables/"
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
    """
    if method in SAFE_METHODS:
        return TokenScope.READ
    if path.rstrip("/") in OPEN_PATHS:
        return TokenScope.OPEN
    return TokenScope.PLAY if path.startswith(TABLE_PREFIX) else TokenScope.READ
