"""Limits how many requests of one address the server answers, how many at once, and how much it sends.

In each step, the event loop works on a request of every connection that has one. A new visitor waits for several steps:
those that accept the connection, read the request and answer it. So a step must stay short, however many connections of
an address have requests.
"""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

import msgspec
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from liarsdice.server.errors import RateLimitError
from liarsdice.server.http.address_limits import RateLimits, widest_network
from liarsdice.server.http.error_responses import ERROR_CODES, RETRY_AFTER_S
from liarsdice.server.http.schemas import ErrorResponse
from liarsdice.server.http.security_headers import HEADERS
from liarsdice.server.protocol.messages import ErrorCode

MAX_AT_ONCE = 16
"""How many requests of one address are worked on before their responses begin; the others wait."""
TOO_FAST = msgspec.json.encode(ErrorResponse(ErrorCode.TOO_FAST, ERROR_CODES[ErrorCode.TOO_FAST].example))
TOO_FAST_HEADERS = [
    (name.encode(), value.encode())
    for name, value in {
        **HEADERS,
        "content-type": "application/json",
        "content-length": str(len(TOO_FAST)),
        "cache-control": "no-store",
        "retry-after": str(RETRY_AFTER_S[429]),
        "connection": "close",
    }.items()
]


class RequestLimits:
    """An ASGI application that passes requests on to another one, within the budget of their address.

    A request over the budget is answered with status 429 and the connection is closed.
    """

    def __init__(self, app: ASGIApp, rate_limits: RateLimits) -> None:
        self._app, self._rate_limits = app, rate_limits
        self._slots: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request. A WebSocket is passed on: it has limits of its own."""
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        client = scope["client"]
        address = client[0] if client else ""
        try:
            self._rate_limits.check_request(address)
        except RateLimitError:
            await send({"type": "http.response.start", "status": 429, "headers": TOO_FAST_HEADERS})
            await send({"type": "http.response.body", "body": TOO_FAST, "more_body": False})
            return
        slots = self._slots.setdefault(widest_network(address), asyncio.Semaphore(MAX_AT_ONCE))
        await slots.acquire()
        holds_slot = True

        def free_slot() -> None:
            nonlocal holds_slot
            if holds_slot:  # in the next step: most requests take no more than one, and all would find a slot in it
                asyncio.get_running_loop().call_soon(slots.release)
            holds_slot = False

        async def send_and_count(message: Message) -> None:
            free_slot()  # the response has begun, and may be a stream that goes on for minutes
            if message["type"] == "http.response.body":
                self._rate_limits.charge_bytes(address, len(message["body"]))
            await send(message)

        try:
            await self._app(scope, receive, send_and_count)
        finally:
            free_slot()
