"""The requests of the client, as values that do not depend on how they are sent."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import httpx
import msgspec
from msgspec.structs import replace

from liarsdice.client.views import TableView, read_view
from liarsdice.core.actions import PlayerAction
from liarsdice.core.errors import LiarsDiceError
from liarsdice.core.records.record import Record, read_record
from liarsdice.wire import NewsItem, SeatResponse, TableSummary

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


Answer = TypeVar("Answer")
MAX_WAIT_S = 25.0
"""How long one request for a view waits at most. Proxies close connections on which nothing comes for longer."""

ID_BYTES, TOKEN_BYTES = 12, 32


class Call(msgspec.Struct, Generic[Answer], frozen=True, kw_only=True):
    """A request and how to read its answer.

    `read` turns the body of the response into the answer. `repeatable`: sending it twice has the effect of sending it
    once. `wait_s`: how many seconds the server may take on purpose.
    """

    method: str
    path: str
    read: Callable[[bytes], Answer]
    body: Mapping[str, Any] | None = None  # JSON of any shape
    params: Mapping[str, int | float] = {}
    repeatable: bool = True
    wait_s: float = 0.0


class _Done(msgspec.Struct):
    seq: int


class _Webhook(msgspec.Struct):
    secret: str


def _read_seq(body: bytes) -> int:
    return msgspec.json.decode(body, type=_Done).seq


def new_request_id() -> str:
    """Return a random id for a request, under which the server handles it once however often it comes."""
    return secrets.token_hex(ID_BYTES)


def new_token() -> str:
    """Return a new token: 256 random bits of the operating system, in the form that the server expects."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def open_table(name: str, options: Mapping[str, Any]) -> Call[SeatResponse]:
    """Return the request to open a table and take its first seat. `options`: fields of the server's `TableForm`."""
    return Call(
        method="POST",
        path="/api/tables",
        read=msgspec.json.Decoder(SeatResponse).decode,
        body={"name": name, **options},
        repeatable=False,
    )


def tables() -> Call[tuple[TableSummary, ...]]:
    """Return the request for the tables of the lobby."""
    return Call(method="GET", path="/api/lobby", read=msgspec.json.Decoder(tuple[TableSummary, ...]).decode)


def sit(code: str, name: str) -> Call[SeatResponse]:
    """Return the request to take a seat at a table."""
    return Call(
        method="POST",
        path=f"/api/tables/{code}/seats",
        read=msgspec.json.Decoder(SeatResponse).decode,
        body={"name": name, "id": new_request_id()},
    )


def view(code: str, after: int, wait_s: float) -> Call[TableView]:
    """Return the request for a table, which waits up to `wait_s` seconds for an entry after `after` of its log."""
    wait_s = min(wait_s, MAX_WAIT_S)
    return Call(
        method="GET",
        path=f"/api/tables/{code}/view",
        read=read_view,
        params={"after": after, "wait": wait_s},
        wait_s=wait_s,
    )


def command(code: str, fields: Mapping[str, Any], turn_id: int = 0) -> Call[int]:
    """Return the request to handle a command, whose answer is the seq of the table's log."""
    return Call(
        method="POST",
        path=f"/api/tables/{code}/act",
        read=_read_seq,
        body={"id": new_request_id(), "command": fields, "turn_id": turn_id},
    )


def move(seen: TableView, chosen: PlayerAction) -> Call[int]:
    """Return the request to make a move in the situation of a view."""
    turn_id = 0 if seen.match is None else seen.match.turn_id
    return command(seen.code, msgspec.to_builtins(chosen), turn_id)


def webhook(code: str, url: str) -> Call[str]:
    """Return the request to set the webhook of the own seat, whose answer is the secret that signs its requests."""
    return Call(
        method="POST",
        path=f"/api/tables/{code}/webhook",
        read=lambda body: msgspec.json.decode(body, type=_Webhook).secret,
        body={"url": url},
    )


def record(code: str, number: int) -> Call[Record]:
    """Return the request for the record of a finished match."""
    return Call(
        method="GET",
        path=f"/api/tables/{code}/matches/{number}",
        read=lambda body: read_record(body.decode()),
    )


PATIENCE_S = 60.0
FIRST_DELAY_S, LONGEST_DELAY_S = 0.1, 5.0
ANSWER_TIMEOUT_S = 15.0
TOO_FAST, TRY_AGAIN = 429, 503
UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
"""Failures after which the server surely has not received the request."""


def headers(token: str) -> dict[str, str]:
    """Return the headers of every request of the owner of a token."""
    return {"authorization": f"Bearer {token}"}


class Retries:
    """The attempts of one call: says how long to wait before the next one, or raises.

    `patience_s`: how many seconds after the first attempt the last one is made at the latest.
    """

    def __init__(self, call: Call[Any], patience_s: float) -> None:  # whatever the answer is
        self._call = call
        self._until_s = time.monotonic() + patience_s
        self._delay_s = FIRST_DELAY_S

    def after_failure(self, failure: httpx.TransportError) -> float:
        """Return the seconds until the next attempt after one without a response. Raises `ConnectionLostError`."""
        if self._call.repeatable or isinstance(failure, UNSENT):
            delay_s = self._next_delay_s(0.0)
            if delay_s is not None:
                return delay_s
        raise ConnectionLostError(f"the server gives no answer: {type(failure).__name__}") from failure

    def after_response(self, response: httpx.Response) -> float:
        """Return the seconds until the next attempt after one that was refused. Raises `RefusedError`."""
        refusal = refusal_of(response.status_code, response.content)
        busy = response.status_code == TRY_AGAIN and self._call.repeatable
        if busy or response.status_code == TOO_FAST:
            delay_s = self._next_delay_s(_retry_after_s(response) if response.status_code == TOO_FAST else 0.0)
            if delay_s is not None:
                return delay_s
        raise refusal

    def _next_delay_s(self, least_s: float) -> float | None:
        """Return a delay of at least so many seconds, longer each time; None if patience ends before."""
        delay_s = max(least_s, self._delay_s * random.uniform(0.5, 1.0))  # noqa: S311  spreads clients
        self._delay_s = min(2 * self._delay_s, LONGEST_DELAY_S)
        return delay_s if time.monotonic() + delay_s <= self._until_s else None


def request_options(call: Call[Any]) -> dict[str, Any]:  # what httpx takes by these names
    """Return the arguments of httpx's `request` for a call, beside its method and path."""
    return {
        "params": dict(call.params) or None,
        "json": call.body,
        "timeout": ANSWER_TIMEOUT_S + call.wait_s,
    }


def read_answer(call: Call[Answer], response: httpx.Response) -> Answer:
    """Return the answer in a successful response. Raises `RefusedError` if it is none that this version knows."""
    try:
        return call.read(response.content)
    except (msgspec.DecodeError, LiarsDiceError, UnicodeDecodeError) as error:
        text = f"the answer of {call.path} cannot be read by this version: {error}"
        raise RefusedError("unknown", text, response.status_code) from error


class TurnWait:
    """A wait for the client's turn over several views, whose news it collects.

    `after`: the entry of the log after which the next view is asked for. `view`: the latest view, with all news.
    """

    view: TableView

    def __init__(self, after: int, *, out_of_turn: bool, wait_s: float | None) -> None:
        self.after = after
        self._out_of_turn = out_of_turn
        self._until_s = None if wait_s is None else time.monotonic() + wait_s
        self._news: tuple[NewsItem, ...] = ()
        self._began = False

    def left_s(self) -> float:
        """Return how long the next request may wait: not at all for the first one, whose answer may be the turn."""
        if not self._began:
            return 0.0
        return MAX_WAIT_S if self._until_s is None else max(0.0, min(MAX_WAIT_S, self._until_s - time.monotonic()))

    def is_over(self, view: TableView) -> bool:
        """Return whether a view ends the wait."""
        self._began = True
        self._news += view.news
        self.after, self.view = view.seq, replace(view, news=self._news)
        if view.is_over or view.on_turn or (self._out_of_turn and view.may_act):
            return True
        return self._until_s is not None and time.monotonic() >= self._until_s


def _retry_after_s(response: httpx.Response) -> float:
    text = response.headers.get("retry-after", "")
    return float(text) if text.isdecimal() else 0.0
