"""The client that blocks, and the one for asyncio: each method sends a request, again if need be, for its answer."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from collections.abc import Mapping
from typing import Any, Self, TypeVar

import httpx
import msgspec

from liarsdice.client import calls
from liarsdice.client.calls import PATIENCE_S, Call, Retries, TurnWait, headers, new_token, read_answer, request_options
from liarsdice.client.views import TableView
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.errors import MalformedError
from liarsdice.core.records.record import Record
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.wire import SeatResponse, TableSummary, WebhookEvent

Answer = TypeVar("Answer")


class Client:
    """A program's connection to the server at `url`, with the seats of one token.

    `token`: the secret that holds the seats, by default a new one; whoever has it has the seats. A request that fails
    because the server restarts, or is busy, is sent again for up to `patience_s` seconds; a command that comes twice
    is handled once. `transport`: what sends the requests, for tests. Methods raise `RefusedError` if the server
    refuses, and `ConnectionLostError` if it gives no answer in time.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        patience_s: float = PATIENCE_S,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.token = token or new_token()
        self._patience_s = patience_s
        self._http = httpx.Client(base_url=url.rstrip("/"), headers=headers(self.token), transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections. The seats stay those of the token."""
        self._http.close()

    def tables(self) -> tuple[TableSummary, ...]:
        """Return the tables that the lobby lists, the latest change first."""
        return self._send(calls.tables())

    def open_table(self, name: str, **options: Any) -> SeatResponse:  # noqa: ANN401  each option has a type of its own
        """Open a table and take its first seat as the host.

        `options`: fields of the request to open a table, such as `rules="perudo"`, `seats=3`, `bots=["regular"]`,
        `listed=True` or `begin=True`.
        """
        return self._send(calls.open_table(name, options))

    def sit(self, code: str, name: str) -> SeatResponse:
        """Take a free seat at a table, or ask its host for one. A player with a seat there keeps it."""
        return self._send(calls.sit(code, name))

    def view(self, code: str, *, after: int = 0, wait_s: float = 0.0) -> TableView:
        """Return a table with its news after the entry `after` of its log.

        Without news, the answer waits for up to `wait_s` seconds (at most 25) until there is some.
        """
        return self._send(calls.view(code, after, wait_s))

    def rules(self, code: str) -> Ruleset:
        """Return the rules of a table: those of its match, or of the next one between matches."""
        return self.view(code).rules

    def wait_for_turn(
        self, code: str, *, after: int = 0, out_of_turn: bool = False, wait_s: float | None = None
    ) -> TableView:
        """Return the first view in which this client is on turn, or the match is over.

        `out_of_turn`: also one in which it may call the standing bid out of turn. The view has all news after the entry
        `after`. After `wait_s` seconds (None: never), the latest view is returned, whoever is on turn.
        """
        wait = TurnWait(after, out_of_turn=out_of_turn, wait_s=wait_s)
        while not wait.is_over(self._send(calls.view(code, wait.after, wait.left_s()))):
            pass
        return wait.view

    def act(self, view: TableView, move: PlayerAction) -> int:
        """Make a move in the situation of a view; return the seq of the table's log afterwards.

        A `RefusedError` has the code "stale" if the match has gone on since, and "illegal" for an illegal move.
        """
        return self._send(calls.move(view, move))

    def bid(self, view: TableView, quantity: int, face: int, *, pure: bool = False) -> int:
        """Bid in the situation of a view; `pure`: without wild dice. Returns and raises as `act`."""
        return self.act(view, Bid(quantity, face, pure))

    def challenge(self, view: TableView) -> int:
        """Challenge the standing bid of a view. Returns and raises as `act`."""
        return self.act(view, Challenge())

    def exact(self, view: TableView) -> int:
        """Call the standing bid of a view exactly right. Returns and raises as `act`."""
        return self.act(view, Exact())

    def begin(self, code: str) -> int:
        """Begin the first match, or want a rematch (`Begin`); return the seq of the table's log afterwards."""
        return self.command(code, "begin")

    def say(self, code: str, text: str) -> int:
        """Send a line of table talk; return the seq of the table's log afterwards."""
        return self.command(code, "say", text=text)

    def leave(self, code: str) -> int:
        """Give up the seat at a table; return the seq of the table's log afterwards."""
        return self.command(code, "leave")

    def command(self, code: str, kind: str, **fields: Any) -> int:  # noqa: ANN401  each field has a type of its own
        """Give any other command by the name and with the fields that it has in the messages of a table.

        Returns the seq of the table's log afterwards.
        """
        return self._send(calls.command(code, {"type": kind, **fields}))

    def set_webhook(self, code: str, url: str) -> str:
        """Have the turns of the own seat, and the ends of its matches, sent to a URL from now on, "" for no more.

        Returns the secret with which `read_webhook` verifies what comes, "" for no URL.
        """
        return self._send(calls.webhook(code, url))

    def record(self, code: str, number: int) -> Record:
        """Return the record of the finished match with a number, counted from 1."""
        return self._send(calls.record(code, number))

    def _send(self, call: Call[Answer]) -> Answer:
        retries = Retries(call, self._patience_s)
        while True:
            try:
                response = self._http.request(call.method, call.path, **request_options(call))
            except httpx.TransportError as failure:
                delay_s = retries.after_failure(failure)
            else:
                if response.is_success:
                    return read_answer(call, response)
                delay_s = retries.after_response(response)
            time.sleep(delay_s)


class AsyncClient:
    """As `Client`, but every method is a coroutine; use it with `async with`."""

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        patience_s: float = PATIENCE_S,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.token = token or new_token()
        self._patience_s = patience_s
        self._http = httpx.AsyncClient(base_url=url.rstrip("/"), headers=headers(self.token), transport=transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """As `Client.close`."""
        await self._http.aclose()

    async def tables(self) -> tuple[TableSummary, ...]:
        """As `Client.tables`."""
        return await self._send(calls.tables())

    async def open_table(self, name: str, **options: Any) -> SeatResponse:  # noqa: ANN401  each option has a type of its own
        """As `Client.open_table`."""
        return await self._send(calls.open_table(name, options))

    async def sit(self, code: str, name: str) -> SeatResponse:
        """As `Client.sit`."""
        return await self._send(calls.sit(code, name))

    async def view(self, code: str, *, after: int = 0, wait_s: float = 0.0) -> TableView:
        """As `Client.view`."""
        return await self._send(calls.view(code, after, wait_s))

    async def rules(self, code: str) -> Ruleset:
        """As `Client.rules`."""
        return (await self.view(code)).rules

    async def wait_for_turn(
        self, code: str, *, after: int = 0, out_of_turn: bool = False, wait_s: float | None = None
    ) -> TableView:
        """As `Client.wait_for_turn`."""
        wait = TurnWait(after, out_of_turn=out_of_turn, wait_s=wait_s)
        while not wait.is_over(await self._send(calls.view(code, wait.after, wait.left_s()))):
            pass
        return wait.view

    async def act(self, view: TableView, move: PlayerAction) -> int:
        """As `Client.act`."""
        return await self._send(calls.move(view, move))

    async def bid(self, view: TableView, quantity: int, face: int, *, pure: bool = False) -> int:
        """As `Client.bid`."""
        return await self.act(view, Bid(quantity, face, pure))

    async def challenge(self, view: TableView) -> int:
        """As `Client.challenge`."""
        return await self.act(view, Challenge())

    async def exact(self, view: TableView) -> int:
        """As `Client.exact`."""
        return await self.act(view, Exact())

    async def begin(self, code: str) -> int:
        """As `Client.begin`."""
        return await self.command(code, "begin")

    async def say(self, code: str, text: str) -> int:
        """As `Client.say`."""
        return await self.command(code, "say", text=text)

    async def leave(self, code: str) -> int:
        """As `Client.leave`."""
        return await self.command(code, "leave")

    async def command(self, code: str, kind: str, **fields: Any) -> int:  # noqa: ANN401  each field has a type of its own
        """As `Client.command`."""
        return await self._send(calls.command(code, {"type": kind, **fields}))

    async def set_webhook(self, code: str, url: str) -> str:
        """As `Client.set_webhook`."""
        return await self._send(calls.webhook(code, url))

    async def record(self, code: str, number: int) -> Record:
        """As `Client.record`."""
        return await self._send(calls.record(code, number))

    async def _send(self, call: Call[Answer]) -> Answer:
        retries = Retries(call, self._patience_s)
        while True:
            try:
                response = await self._http.request(call.method, call.path, **request_options(call))
            except httpx.TransportError as failure:
                delay_s = retries.after_failure(failure)
            else:
                if response.is_success:
                    return read_answer(call, response)
                delay_s = retries.after_response(response)
            await asyncio.sleep(delay_s)


TIMESTAMP, SIGNATURE = "x-liarsdice-timestamp", "x-liarsdice-signature"
MAX_AGE_S = 300
"""Older requests are refused, because somebody may have kept and repeated them."""


_DECODER = msgspec.json.Decoder(WebhookEvent)


def read_webhook(secret: str, headers: Mapping[str, str], body: bytes, *, now_s: float | None = None) -> WebhookEvent:
    """Return the event in the request of a webhook, whose `secret` `Client.set_webhook` returned.

    `headers`: those of the request, by name in any case. `now_s`: the time in seconds since 1970, by default that of
    the clock. Raises `MalformedError` for a request that the server did not sign, for one that is older than
    `MAX_AGE_S`, and without a secret, with which anybody could sign.
    """
    if not secret:
        raise MalformedError("a webhook needs its secret, which set_webhook returns for a URL")
    named = {name.lower(): value for name, value in headers.items()}
    timestamp, signature = named.get(TIMESTAMP, ""), named.get(SIGNATURE, "")
    expected = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(f"sha256={expected}".encode(), signature.encode()):
        raise MalformedError("the request of the webhook is not signed with this secret")
    if abs((time.time() if now_s is None else now_s) - int(timestamp)) > MAX_AGE_S:
        raise MalformedError(f"the request of the webhook is older than {MAX_AGE_S} seconds")
    try:
        return _DECODER.decode(body)
    except msgspec.DecodeError as error:
        raise MalformedError(f"the event of the webhook cannot be read by this version: {error}") from error
