"""The errors of the client beside those of `liarsdice.core.errors`.

::

    LiarsDiceError
    ├── RefusedError            the server refused a request and says why
    └── ConnectionLostError     the server could not be reached, or gave no answer, for too long
"""

from __future__ import annotations

import msgspec

from liarsdice.core.errors import LiarsDiceError

MAX_TEXT_LENGTH = 300


class RefusedError(LiarsDiceError):
    """A request that the server refused. The message says why.

    `code`: the kind of the error, such as "illegal", "stale", "forbidden", "no_such_table", "too_fast" or "malformed".
    `status`: the status of the HTTP response.
    """

    def __init__(self, code: str, text: str, status: int) -> None:
        super().__init__(text)
        self.code = code
        self.status = status


class ConnectionLostError(LiarsDiceError):
    """The server could not be reached, or gave no answer, for longer than the client's patience."""


class _ErrorBody(msgspec.Struct):
    code: str
    text: str


def refusal_of(status: int, body: bytes) -> RefusedError:
    """Return the error of a response whose status is no success. A proxy's text is quoted as far as it is short.

    >>> refusal_of(409, b'{"code":"stale","text":"look again"}').code
    'stale'
    >>> str(refusal_of(502, b"<html>"))
    "the server answered 502: '<html>'"
    """
    try:
        error = msgspec.json.decode(body, type=_ErrorBody)
    except (msgspec.DecodeError, UnicodeDecodeError):
        text = body.decode(errors="replace")[:MAX_TEXT_LENGTH]
        return RefusedError("unknown", f"the server answered {status}: {text!r}", status)
    return RefusedError(error.code, error.text, status)
