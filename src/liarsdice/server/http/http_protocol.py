"""The HTTP protocol of uvicorn with limits on what a client may send before, and while, the application reads it."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

import msgspec
from httptools import HttpParserError
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from liarsdice.server.http.connection_limits import FULL, TIMEOUT, TOO_LARGE, OpenConnection, limits_of
from liarsdice.server.http.schemas import ErrorResponse
from liarsdice.server.http.security_headers import HEADERS, NO_STORE
from liarsdice.server.protocol.error_codes import ErrorCode

SLICE_BYTES = 4096
"""Received data is parsed in pieces of this size, and the limits are checked after each."""
MAX_HEAD_BYTES = 16 * 1024
MAX_REQUEST_BYTES = 256 * 1024
"""The whole of a request. The application refuses bodies that are much shorter, but cannot stop the client."""
MAX_CHUNKS = 1024
"""How many pieces a body may come in. Each costs the server as much as a kilobyte of a long piece."""
LONG_BODIES = {"/api/reviews": 2, "/api/reviews/what-if": 5, "/api/habits": 16}
"""The addresses that take longer bodies: how many times as long, and in how many times as many pieces.

A record inside JSON is longer than the record.
"""
MAX_PIPELINED = 8
"""How many requests may wait for the answer to an earlier one."""
REFUSALS = {
    400: ErrorResponse(ErrorCode.MALFORMED, "the request cannot be read"),
    408: ErrorResponse(ErrorCode.TRY_AGAIN, "the request took too long"),
    413: ErrorResponse(ErrorCode.MALFORMED, "the request is too long"),
    429: ErrorResponse(ErrorCode.TOO_FAST, "your address has or makes many connections; close some, or wait a minute"),
    431: ErrorResponse(ErrorCode.MALFORMED, "the head of the request is too long"),
    503: ErrorResponse(ErrorCode.TRY_AGAIN, "the server has as many connections as it can hold; try again in a moment"),
}
"""The responses to requests that do not reach the application, by status."""


@cache
def refusal(status: int) -> bytes:
    """Return the response with a status of `REFUSALS`, after which the connection is closed."""
    body = msgspec.json.encode(REFUSALS[status])
    headers = HEADERS | {
        "cache-control": NO_STORE,
        "content-type": "application/json",
        "content-length": str(len(body)),
        "connection": "close",
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return STATUS_LINE[status] + head.encode() + b"\r\n" + body


def status_of(reason: str) -> int:
    """Return the status of the response to a connection that `ConnectionLimits` does not admit."""
    return 503 if reason == FULL else 429


class HttpProtocol(HttpToolsProtocol):
    """One connection, until it is closed or becomes a WebSocket.

    A connection over the limits of `ConnectionLimits` is answered at once and closed. Heads and bodies have a deadline
    and a maximum size.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._limits = limits_of(config)
        self._connection: OpenConnection | None = None
        self._answered_cycle: RequestResponseCycle | None = None
        self._in_body = False
        self._request_bytes = 0
        self._chunk_count = 0
        self._times = 1

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """As in uvicorn, unless the connection is one too many."""
        super().connection_made(transport)
        admitted = self._limits.admit(transport, self.client[0] if self.client else "")
        if isinstance(admitted, OpenConnection):
            self._connection = admitted
            admitted.expire = self._expire
            self._set_deadline(self._limits.head_timeout_s)
        else:
            self._answer_and_close(status_of(admitted))

    def connection_lost(self, exc: Exception | None) -> None:
        """As in uvicorn; the connection counts no more."""
        self._limits.release(self.transport)
        self._disconnect_answered()
        super().connection_lost(exc)
        self._unset_keepalive_if_required()  # uvicorn leaves the timer of a connection that was reset
        self.pipeline.clear()  # these refer to this protocol, as do the next
        self._connection = self._answered_cycle = None
        self.cycle = None  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        """As in uvicorn, slice by slice, until a limit is reached or the connection has another protocol."""
        for start in range(0, len(data), SLICE_BYTES):
            if self.transport.is_closing() or self.transport.get_protocol() is not self:
                return
            self._receive(data if len(data) <= SLICE_BYTES else data[start : start + SLICE_BYTES])

    def _receive(self, data: bytes) -> None:
        if self._connection is not None and self._connection.deadline_s is None:
            self._set_deadline(self._limits.head_timeout_s)
        self._request_bytes += len(data)
        super().data_received(data)
        if not self._in_body and self._request_bytes > MAX_HEAD_BYTES:
            self._refuse(TOO_LARGE, 431)
        elif self._request_bytes > self._times * MAX_REQUEST_BYTES or self._chunk_count > self._times * MAX_CHUNKS:
            self._refuse(TOO_LARGE, 413)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:  # noqa: ANN401  as uvicorn passes it
        """As in uvicorn; remember the request that is answered now, of those that the client has sent."""
        self._answered_cycle = cycle
        super()._start_asgi_task(cycle, app)

    def _disconnect_answered(self) -> None:
        """Tell the application that the client of the request that it answers is gone.

        uvicorn tells it of the latest request only, which may wait for this one.
        """
        if self._answered_cycle is not None and not self._answered_cycle.response_complete:
            self._answered_cycle.disconnected = True
            self._answered_cycle.message_event.set()

    def on_headers_complete(self) -> None:
        """As in uvicorn; the deadline of the body begins.

        Raises `HttpParserError` if the request names two hosts, or too many requests wait.
        """
        if sum(name == b"host" for name, _ in self.headers) > 1:
            raise HttpParserError("two hosts")
        if len(self.pipeline) >= MAX_PIPELINED:  # the rest of the data is never parsed
            self._limits.on_refused(TOO_LARGE)
            self._disconnect_answered()  # else it would write to a transport that is closed
            self.transport.abort()
            raise HttpParserError("too many requests")
        self._in_body = True
        self._chunk_count = 0
        self._set_deadline(self._limits.body_timeout_s)
        super().on_headers_complete()
        self._times = LONG_BODIES.get(self.scope.get("path", ""), 1)  # a WebSocket has none

    def on_body(self, body: bytes) -> None:
        """As in uvicorn; count the piece."""
        self._chunk_count += 1
        super().on_body(body)

    def on_message_complete(self) -> None:
        """As in uvicorn; the client keeps nobody waiting until the next request."""
        self._in_body = False
        self._request_bytes = 0
        self._times = 1
        self._set_deadline(None)
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        """As in uvicorn; the connection needs this protocol no more."""
        if self._connection is not None:
            self._set_deadline(None)
            self._connection.expire = self.transport.abort
        super().handle_websocket_upgrade()
        self.parser = None  # type: ignore[assignment]  # it refers to this protocol; uvicorn does so when it is closed

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  as uvicorn has it
        """Answer a request that cannot be parsed."""
        self._answer_and_close(400)

    def _set_deadline(self, after_s: float | None) -> None:
        if self._connection is not None:
            self._connection.deadline_s = None if after_s is None else self._limits.now_s() + after_s

    def _expire(self) -> None:
        """Close the connection, with an answer if part of a request has come."""
        if self.flow.read_paused:  # the application keeps the client waiting
            self._set_deadline(self._limits.body_timeout_s)
        elif self._in_body or self._request_bytes:
            self._refuse(TIMEOUT, 408)
        else:
            self._limits.on_refused(TIMEOUT)
            self.transport.close()

    def _refuse(self, reason: str, status: int) -> None:
        """Close the connection, with an answer unless the application has begun to answer."""
        self._limits.on_refused(reason)
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request, whatever uvicorn declares
        if cycle is not None and cycle.response_started and not cycle.response_complete:
            self.transport.abort()
        elif cycle is not None and cycle.response_started and self._in_body:
            self.transport.close()
        else:
            self._answer_and_close(status)

    def _answer_and_close(self, status: int) -> None:
        if self.transport.is_closing():
            return
        self.transport.write(refusal(status))
        self.transport.close()
