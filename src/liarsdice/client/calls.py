"""The requests of the client, as values that do not depend on how they are sent."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import msgspec

from liarsdice.client.views import Seat, TableSummary, TableView, read_view
from liarsdice.core.actions import PlayerAction
from liarsdice.core.records.record import Record, read_record

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


def open_table(name: str, options: Mapping[str, Any]) -> Call[Seat]:
    """Return the request to open a table and take its first seat. `options`: fields of the server's `TableForm`."""
    return Call(
        method="POST",
        path="/api/tables",
        read=msgspec.json.Decoder(Seat).decode,
        body={"name": name, **options},
        repeatable=False,
    )


def tables() -> Call[tuple[TableSummary, ...]]:
    """Return the request for the tables of the lobby."""
    return Call(method="GET", path="/api/lobby", read=msgspec.json.Decoder(tuple[TableSummary, ...]).decode)


def sit(code: str, name: str) -> Call[Seat]:
    """Return the request to take a seat at a table."""
    return Call(
        method="POST",
        path=f"/api/tables/{code}/seats",
        read=msgspec.json.Decoder(Seat).decode,
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
