"""The client for asyncio: as `Client`, with coroutines."""

from __future__ import annotations

import asyncio
from typing import Any, Self, TypeVar

import httpx

from liarsdice.client import calls
from liarsdice.client.calls import PATIENCE_S, Call, Retries, TurnWait, headers, new_token, read_answer, request_options
from liarsdice.client.views import TableView
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.records.record import Record
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.wire import SeatResponse, TableSummary

Answer = TypeVar("Answer")


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
