"""The protocols of HTTP and WebSocket connections, and limits on them.

The limits say how many connections are open and new, and how long one may keep the server waiting. Both protocols
register every connection with them, and leave nothing behind when it ends.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, Protocol

import msgspec
import uvicorn
from httptools import HttpParserError
from uvicorn import Config
from uvicorn._types import ASGIReceiveEvent
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.exceptions import ProtocolError
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

from liarsdice.server.http.address_limits import AddressCounter, RateLimit
from liarsdice.server.http.schemas import ErrorResponse
from liarsdice.server.http.security_headers import HEADERS, NO_STORE
from liarsdice.server.protocol.messages import ErrorCode
from liarsdice.server.token_bucket import TokenBucket

SWEEP_EVERY_S = 2.0
FILES_RESERVED = 64
"""File descriptors that connections never use: for the database, the listener, and connections being refused."""
HEAD_TIMEOUT_S, BODY_TIMEOUT_S, WRITE_TIMEOUT_S = 10.0, 20.0, 30.0
"""How long a request's head and body may take, and how long a client may read nothing of what is sent to it."""
WRITE_PROGRESS_BYTES = 4096
"""How much a client must read in `WRITE_TIMEOUT_S`, unless less is waiting for it."""
NEW_AT_ONCE = 0.25
"""Which part of the new connections of a minute an address may make at once."""
FULL, ADDRESS, RATE, TIMEOUT, TOO_LARGE, FRAMES = "full", "address", "rate", "timeout", "too_large", "frames"
"""The reasons for refusing or closing a connection, as the metrics name them."""


class OpenConnection:
    """A connection that was admitted.

    `expire` is called once `deadline_s` has passed; None: the client keeps nobody waiting. `counted_address`: the
    address under which it is counted, None for a trusted proxy.
    """

    __slots__ = ("counted_address", "deadline_s", "expire", "progress_s", "transport", "unsent_bytes")

    def __init__(self, transport: asyncio.Transport, counted_address: str | None) -> None:
        self.transport = transport
        self.counted_address = counted_address
        self.deadline_s: float | None = None
        self.expire: Callable[[], None] = transport.abort
        self.unsent_bytes = 0
        self.progress_s = 0.0


class ConnectionLimits:
    """The open connections of a server and their limits. Use it on the event loop only.

    `max_connections` and `per_address` limit how many are open, in all and for each address other than those of which
    `is_trusted_proxy` is true, and `new_per_minute` how many such an address opens in a minute, `NEW_AT_ONCE` of them
    at once; 0: any number. `on_refused` is called with the reason for every connection that is refused or closed
    because of a limit. `counts_new_early`: `count_new` is called before `admit`, which else does so itself. `now_s`
    returns seconds of any clock that never goes back.
    """

    def __init__(
        self,
        *,
        max_connections: int = 0,
        per_address: int = 0,
        new_per_minute: int = 0,
        head_timeout_s: float = HEAD_TIMEOUT_S,
        body_timeout_s: float = BODY_TIMEOUT_S,
        on_refused: Callable[[str], object] = lambda _: None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.head_timeout_s, self.body_timeout_s = head_timeout_s, body_timeout_s
        self.is_trusted_proxy: Callable[[str], bool] = lambda _: False
        self.on_refused = on_refused
        self.counts_new_early = False
        self.now_s = now_s
        self._max_connections = max_connections
        self._addresses = AddressCounter(per_address)
        self._new = RateLimit(new_per_minute, burst_share=NEW_AT_ONCE, now_s=now_s)
        self._open: dict[asyncio.Transport, OpenConnection] = {}
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._open)

    def admit(self, transport: asyncio.Transport, address: str) -> OpenConnection | str:
        """Register a new connection and return it, or return why it is one too many: `FULL`, `ADDRESS` or `RATE`."""
        reason = None if self.counts_new_early else self.count_new(address)
        counted_address = None if self.is_trusted_proxy(address) else address
        if reason is None and self._is_full():
            reason = FULL
        elif reason is None and counted_address is not None and not self._addresses.add(counted_address):
            reason = ADDRESS
        if reason is not None:
            self.on_refused(reason)
            return reason
        connection = self._open[transport] = OpenConnection(transport, counted_address)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SWEEP_EVERY_S, self._sweep_again)
        return connection

    def count_new(self, address: str) -> str | None:
        """Count a new connection of an address, or return why it is one too many."""
        if self._is_full():
            return FULL
        if self.is_trusted_proxy(address):
            return None
        if not self._addresses.allows(address):
            return ADDRESS
        return None if self._new.consume(address) else RATE

    def _is_full(self) -> bool:
        return 0 < self._max_connections <= len(self._open)

    def release(self, transport: asyncio.Transport) -> None:
        """Forget a connection that was lost."""
        connection = self._open.pop(transport, None)
        if connection is not None and connection.counted_address is not None:
            self._addresses.remove(connection.counted_address)

    def sweep(self) -> None:
        """Expire the connections whose deadline has passed, and close those whose client has stopped reading.

        A connection of the second kind would stay open for ever, because closing it waits until everything is sent.
        """
        now_s = self.now_s()
        for connection in tuple(self._open.values()):
            if connection.deadline_s is not None and now_s >= connection.deadline_s:
                connection.deadline_s = None
                connection.expire()
            elif unsent_bytes := connection.transport.get_write_buffer_size():
                self._check_progress(connection, unsent_bytes, now_s)
            else:
                connection.unsent_bytes = 0

    def _check_progress(self, connection: OpenConnection, unsent_bytes: int, now_s: float) -> None:
        if connection.unsent_bytes == 0 or unsent_bytes <= connection.unsent_bytes - WRITE_PROGRESS_BYTES:
            connection.unsent_bytes, connection.progress_s = unsent_bytes, now_s
        elif now_s - connection.progress_s >= WRITE_TIMEOUT_S:
            self.on_refused(TIMEOUT)
            connection.transport.abort()

    def _sweep_again(self) -> None:
        self._timer = None
        self.sweep()
        if self._open:
            self._timer = asyncio.get_running_loop().call_later(SWEEP_EVERY_S, self._sweep_again)


class LimitedConfig(uvicorn.Config):
    """A configuration of uvicorn with the limits that our protocols enforce."""

    limits: ConnectionLimits

    def load(self) -> None:
        """As in uvicorn; the limits then trust the proxies that uvicorn trusts."""
        super().load()
        if isinstance(self.loaded_app, ProxyHeadersMiddleware):
            self.limits.is_trusted_proxy = self.loaded_app.trusted_hosts.__contains__


def limits_of(config: uvicorn.Config) -> ConnectionLimits:
    """Return the limits of a `LimitedConfig`, as which uvicorn passes its configuration to the protocols."""
    assert isinstance(config, LimitedConfig)
    return config.limits


def connection_capacity(max_connections: int, max_files: int | None) -> int:
    """Return how many connections to admit: `max_connections` (0: any number), as far as open files are allowed.

    `max_files`: how many files the process may open, None for any number.

    >>> connection_capacity(0, 1024), connection_capacity(5000, 1024), connection_capacity(100, 1024)
    (960, 960, 100)
    >>> connection_capacity(0, None), connection_capacity(5000, None), connection_capacity(0, 20)
    (0, 5000, 10)
    """
    if max_files is None:
        return max_connections
    available = max(max_files - FILES_RESERVED, max_files // 2)
    return min(max_connections or available, available)


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
        """As in uvicorn, which answers no handshake that websockets cannot read; this protocol is needed no more."""
        if self._connection is not None:
            self._set_deadline(None)
            self._connection.expire = self.transport.abort
        super().handle_websocket_upgrade()
        protocol = self.transport.get_protocol()
        if isinstance(protocol, WebSocketProtocol) and protocol.conn.handshake_exc is not None:
            self._answer_and_close(400)
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


BACKLOG = 4096
"""How many connections may wait to be accepted. A system that has no room for one lets its client try again in 1 s,
then in 3 and 7 s."""
ACCEPTED_AT_ONCE, ADMITTED_AT_ONCE = 128, 16
"""How many connections are accepted in each step of the event loop, and how many of them are not refused.

uvloop accepts one, so that a visitor would wait for as many steps as an attacker has connections in front; asyncio
accepts all, so that a step would take long.
"""


class LimitedServer(uvicorn.Server):
    """Runs the application of a `LimitedConfig`."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As in uvicorn, for the given sockets, which listen already."""
        self._connecting = set[asyncio.Task[object]]()
        await super().startup([])
        loop = asyncio.get_running_loop()
        for listener in sockets or []:
            listener.settimeout(0)
            try:
                loop.add_reader(listener, self._accept, listener)
                limits_of(self.config).counts_new_early = True
            except NotImplementedError:  # the event loop of Windows
                self.servers.append(await loop.create_server(self._protocol, sock=listener, backlog=BACKLOG))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """As in uvicorn."""
        self.stop_accepting(sockets or [])
        await super().shutdown(sockets)

    def stop_accepting(self, sockets: list[socket.socket]) -> None:
        """Close the sockets that listen."""
        for server in self.servers:
            server.close()
        for listener in sockets:
            if listener.fileno() >= 0 and not self.servers:
                asyncio.get_running_loop().remove_reader(listener)
            listener.close()

    def _protocol(self) -> asyncio.Protocol:
        make_protocol = self.config.http_protocol_class
        return make_protocol(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)  # type: ignore[call-arg]

    def _accept(self, listener: socket.socket) -> None:
        """Accept some of the connections that wait; the others follow in the next step."""
        limits, admitted = limits_of(self.config), 0
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                connection, address = listener.accept()
            except OSError:  # none waits, this one has gone already, or too many files are open now
                return
            connection.settimeout(0)
            if reason := limits.count_new(address[0]):
                limits.on_refused(reason)
                with connection, suppress(OSError):
                    connection.send(refusal(status_of(reason)))
            else:
                loop = asyncio.get_running_loop()
                connecting = loop.create_task(loop.connect_accepted_socket(self._protocol, connection))
                self._connecting.add(connecting)
                connecting.add_done_callback(self._connecting.discard)
                admitted += 1
                if admitted == ADMITTED_AT_ONCE:
                    return


FRAME_BURST, FRAMES_PER_S = 160, 40
"""How many messages of one frame a connection may send at once, and per second in the long run.

The application allows a quarter, and says so. This limit ends what comes faster than the application can look at it.
"""
OTHER_FRAME_COST = 8
"""A ping, a pong or a fragment counts as this many messages: pages send one in 10 seconds."""
MAX_FRAGMENTS = 64
"""How many frames may continue one message."""
CHANNEL = "liarsdice.channel"
"""The extension of the ASGI scope that holds the `WebSocketProtocol` of the connection."""
TEXT_HEAD = 0x80 | Opcode.TEXT
"""The first byte of a text message in one frame."""


class MessageReceiver(Protocol):
    """Receives what comes over a WebSocket, on the event loop. It must not block and must not raise."""

    def on_message(self, text: str) -> None:
        """Handle a message. A binary message comes as an empty text."""
        ...

    def on_writable(self) -> None:
        """Handle that the client reads again, so that `WebSocketProtocol.write` may be tried again."""
        ...

    def on_disconnect(self) -> None:
        """Handle the end of the connection, at least once."""
        ...


class BudgetedServerProtocol(ServerProtocol):
    """Fails the connection at the first frame over the budget, so that the rest of the data is never parsed."""

    def __init__(self, limits: ConnectionLimits, max_size: int) -> None:
        super().__init__(max_size=max_size, logger=logging.getLogger("uvicorn.error"))
        self._limits = limits
        self._bucket = TokenBucket(FRAME_BURST, FRAMES_PER_S, limits.now_s())
        self._fragment_count = 0

    def recv_frame(self, frame: Frame) -> None:
        """As in websockets. Raises `ProtocolError` and closes the connection with code 1008 for one frame too many."""
        begins_message = frame.opcode is Opcode.TEXT or frame.opcode is Opcode.BINARY
        if begins_message:
            self._fragment_count = 0
        elif frame.opcode is Opcode.CONT:
            self._fragment_count += 1
        cost = 1 if begins_message else OTHER_FRAME_COST
        if self._fragment_count > MAX_FRAGMENTS or not self._bucket.consume(self._limits.now_s(), cost):
            self._limits.on_refused(FRAMES)
            reason = "more frames came than any page sends"
            self.fail(CloseCode.POLICY_VIOLATION, reason)
            raise ProtocolError(reason)
        super().recv_frame(frame)


class _Inbox:
    """Stands for uvicorn's queue of events that wait for the application; a receiver handles them at once."""

    __slots__ = ("receiver",)

    def __init__(self, receiver: MessageReceiver | None) -> None:
        self.receiver = receiver

    def put_nowait(self, event: ASGIReceiveEvent) -> None:
        if self.receiver is None:
            return
        if event["type"] == "websocket.receive":
            self.receiver.on_message(event.get("text") or "")
        else:
            self.receiver.on_disconnect()


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """One WebSocket, and the direct way for messages over it. Used on the event loop only.

    `HttpProtocol` hands its connection over with the first request.
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
        self._inbox = _Inbox(None)
        self.conn.parser.close()  # ends the reference cycle of the one that uvicorn made
        self.conn = BudgetedServerProtocol(self._limits, config.ws_max_size)

    def handle_connect(self, event: Request) -> None:
        """As in uvicorn; the scope holds the channel."""
        super().handle_connect(event)
        if not self.close_sent:
            self.scope["extensions"][CHANNEL] = self  # type: ignore[assignment]  # uvicorn declares dictionaries only

    def attach(self, receiver: MessageReceiver) -> None:
        """Pass all messages that the application has not received to a receiver, now and from now on."""
        waiting, self._inbox.receiver = self.queue, receiver
        self.queue = self._inbox  # type: ignore[assignment]  # uvicorn calls nothing else of its queue from now on
        self.read_paused = True  # uvicorn then never pauses by itself
        del self.request, self.response  # the handshake is over, and they take two kilobytes
        while not waiting.empty():
            self._inbox.put_nowait(waiting.get_nowait())
        self.resume()

    def write(self, *messages: bytes) -> bool:
        """Send text messages, or return False and send none if the client reads too slowly.

        Messages after the end of the connection are lost.
        """
        if not self.writable.is_set():
            return False
        if self.conn.state is State.OPEN and not self.transport.is_closing():
            self.transport.write(b"".join(map(text_frame, messages)))
        return True

    def pause(self) -> None:
        """Read nothing more from the client; messages that are read already still come."""
        self.transport.pause_reading()

    def resume(self) -> None:
        """Read from the client again."""
        self.transport.resume_reading()

    def resume_writing(self) -> None:
        """As in uvicorn; the receiver learns it, too."""
        super().resume_writing()
        if self._inbox.receiver is not None:
            self._inbox.receiver.on_writable()

    def shutdown(self) -> None:
        """As in uvicorn, which fails if the connection is being closed already."""
        if self.conn.state is State.CLOSING or self.conn.state is State.CLOSED:
            self.transport.close()
        else:
            super().shutdown()

    def connection_lost(self, exc: Exception | None) -> None:
        """As in uvicorn; the connection counts no more."""
        self._limits.release(self.transport)
        super().connection_lost(exc)
        self._inbox.receiver = None  # it refers to this protocol
        self.conn.parser.close()  # it waits for more data, and refers to what holds it
        for error in filter(None, (self.conn.parser_exc, self.conn.handshake_exc)):
            error.__traceback__ = error.__context__ = None  # whose frames refer to this protocol
        if "scope" in vars(self):
            self.scope["extensions"].pop(CHANNEL, None)  # as `handle_connect` has set it

    def handle_parser_exception(self) -> None:
        """As in uvicorn, which expects no frames before the handshake is answered."""
        if self.conn.close_sent is None:
            self.transport.abort()
        else:
            super().handle_parser_exception()


def text_frame(message: bytes) -> bytes:
    r"""Return a text message as a frame of a server, for which websockets needs ten times as long.

    >>> text_frame(b"move")
    b'\x81\x04move'
    """
    size = len(message)
    if size < 126:
        return bytes((TEXT_HEAD, size)) + message
    if size < 1 << 16:
        return bytes((TEXT_HEAD, 126)) + size.to_bytes(2, "big") + message
    return bytes((TEXT_HEAD, 127)) + size.to_bytes(8, "big") + message
