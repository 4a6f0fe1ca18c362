"""The error responses of the HTTP API: the status of each code, their description, and refusals of the framework.

`app` answers with them, and the description of the API at `/docs` lists them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from litestar import MediaType, Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.openapi.datastructures import ResponseSpec

from liarsdice.core.decode_errors import describe_decode_error
from liarsdice.core.errors import printable
from liarsdice.server.http.schemas import ErrorResponse
from liarsdice.server.protocol.messages import ErrorCode

RETRY_AFTER_S = {429: 60, 503: 2}


class CodedError(NamedTuple):
    """What goes with the code of an error: the status of its response, and a text such as the server gives with it."""

    status: int
    example: str


ERROR_CODES: Mapping[ErrorCode, CodedError] = {
    ErrorCode.MALFORMED: CodedError(400, "name must be text, not a whole number"),
    ErrorCode.INVALID_NAME: CodedError(400, "a name has 1 to 40 characters"),
    ErrorCode.NAME_TAKEN: CodedError(400, "somebody at this table is called 'Ann'; choose another name"),
    ErrorCode.RESERVED_NAME: CodedError(400, "Server claims a role, such as host, bot or server; choose another name"),
    ErrorCode.ILLEGAL: CodedError(409, "bid 3x5 does not beat 4x2 (needs 4x3 or higher)"),
    ErrorCode.STALE: CodedError(409, "the match has gone on since"),
    ErrorCode.FORBIDDEN: CodedError(403, "only the host may do that"),
    ErrorCode.BANNED: CodedError(403, "the host has removed you from this table"),
    ErrorCode.SERVER_BANNED: CodedError(403, "you may not use this server"),
    ErrorCode.LOCKED: CodedError(403, "the host has locked this table"),
    ErrorCode.ADDRESS_LIMIT: CodedError(
        403, "the people at your address have all the seats that they may have at this table"
    ),
    ErrorCode.NO_SPECTATORS: CodedError(403, "only its players may see this table"),
    ErrorCode.UNAVAILABLE: CodedError(404, "no ruleset 'nope'"),
    ErrorCode.NO_SUCH_TABLE: CodedError(404, "there is no table ZZZZ"),
    ErrorCode.TOO_FAST: CodedError(429, "too many requests from your address; wait a minute"),
    ErrorCode.TRY_AGAIN: CodedError(503, "the server is busy; try again in a moment"),
    ErrorCode.DATABASE_LOST: CodedError(503, "the server has lost its database"),
    ErrorCode.UNREADABLE: CodedError(500, "the log of table ABCD cannot be read"),
}

ERROR_DESCRIPTIONS = {
    400: "What was sent cannot be read, or cannot be.",
    403: "That is not for whoever asks.",
    404: "There is nothing by that name or code.",
    409: "The rules do not allow it now.",
    413: "More was sent than anything of ours needs.",
    421: "The request names a host that is not this server's.",
    429: "Too much was asked from this address; wait a minute.",
    500: "The table is stored, but cannot be read.",
    503: "The server is busy, or the database does not answer; try again.",
}
ERRORS = {
    status: ResponseSpec(ErrorResponse, description=text, generate_examples=False)
    for status, text in ERROR_DESCRIPTIONS.items()
}


def responses_with(result: type, media_type: str = MediaType.JSON) -> dict[int, ResponseSpec]:
    """Return `ERRORS`, and what succeeds, for a handler whose response is encoded already."""
    return {**ERRORS, 200: ResponseSpec(result, media_type=media_type, generate_examples=False)}


CODES_OF_STATUS: Mapping[int, tuple[ErrorCode, ...]] = {
    **{
        status: tuple(code for code in ErrorCode if ERROR_CODES[code].status == status) for status in ERROR_DESCRIPTIONS
    },
    413: (ErrorCode.MALFORMED,),
    421: (ErrorCode.MALFORMED,),
    500: (ErrorCode.TRY_AGAIN, ErrorCode.UNREADABLE),
}
"""The codes that the responses of each described status can have."""

FRAMEWORK_TEXTS = {
    404: "there is nothing at this address; /docs lists those of the API",
    405: "this address does not take that method; it takes those that the header Allow names",
    413: "the body is longer than any that this address needs",
    421: "this server answers under its public address only",
    500: "something went wrong here; try again in a moment",
}
FRAMEWORK_CODES = {404: ErrorCode.UNAVAILABLE, 500: ErrorCode.TRY_AGAIN}
MISSING_ARGUMENT = re.compile(r"Missing required (\w+) parameter '([\w-]+)'")
MAX_TEXT = 300


def framework_error(error: HTTPException) -> ErrorResponse:
    """Return the response to a request that the framework refuses, in words of this server.

    The framework refuses unknown addresses and methods, long bodies, and bodies and arguments of another type.
    """
    status = error.status_code
    text = FRAMEWORK_TEXTS.get(status) or _unreadable_text(error)
    return ErrorResponse(FRAMEWORK_CODES.get(status, ErrorCode.MALFORMED), text)


def _unreadable_text(error: HTTPException) -> str:
    """Return what is wrong with the body or an argument of a request."""
    if isinstance(error, ValidationException) and isinstance(error.extra, list) and error.extra:
        return printable("; ".join(map(_problem_text, error.extra)))[:MAX_TEXT]
    if missing := MISSING_ARGUMENT.match(str(error.detail)):
        return f"the {missing[1]} of the address has no {missing[2]!r}, which it needs"
    return printable(describe_decode_error(str(error.detail), "the body"))[:MAX_TEXT]


def _problem_text(problem: Mapping[str, Any]) -> str:
    """Return what is wrong with one value. `problem`: its place and a message, as the framework has them."""
    key, message = str(problem.get("key", "")), str(problem.get("message", ""))
    if key == message.strip("'") == "data":
        return "the request has no body"
    return describe_decode_error(message, "the body", "" if key == "data" else key)


def error_response(code: ErrorCode, text: str) -> Response[ErrorResponse]:
    """Return the response to a request that was refused, which says after how many seconds another one may succeed."""
    status = ERROR_CODES[code].status
    headers = {"retry-after": str(RETRY_AFTER_S[status])} if status in RETRY_AFTER_S else {}
    return Response(ErrorResponse(code, text), status_code=status, headers=headers)
