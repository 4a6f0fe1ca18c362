"""The WebSocket protocol of uvicorn with a budget of frames for each connection, and a direct way for its messages.

Pings, pongs and fragments of messages never reach the application, which limits only whole messages. Once the
application has attached a receiver, messages pass without tasks, queues and events in between: under load, these cost
more than all that a table does.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Protocol

from uvicorn import Config
from uvicorn._types import ASGIReceiveEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.exceptions import ProtocolError
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

from liarsdice.server.http.connection_limits import FRAMES, ConnectionLimits, limits_of
from liarsdice.server.token_bucket import TokenBucket

FRAME_BURST, FRAMES_PER_S = 160, 40
"""How many messages of one frame a connection may send at once, and per second in the long run.

The application allows a quarter, and says so. This limit ends what comes faster than the application can look at it.
"""
OTHER_FRAME_COST = 8
"""A ping, a pong or a fragment counts as this many messages: pages send one in 20 seconds."""
MAX_FRAGMENTS = 64
"""How many frames may continue one message."""
CHANNEL = "liarsdice.channel"
"""The extension of the ASGI scope that holds the `MessageChannel` of the connection."""
TEXT_HEAD = 0x80 | Opcode.TEXT
"""The first byte of a text message in one frame."""


class MessageReceiver(Protocol):
    """Receives what comes over a WebSocket, on the event loop. It must not block and must not raise."""

    def on_message(self, text: str) -> None:
        """Handle a message. A binary message comes as an empty text."""
        ...

    def on_writable(self) -> None:
        """Handle that the client reads again, so that `MessageChannel.write` may be tried again."""
        ...

    def on_disconnect(self) -> None:
        """Handle the end of the connection, at least once."""
        ...


class MessageChannel(Protocol):
    """The direct way for messages over a WebSocket. Used on the event loop only."""

    def attach(self, receiver: MessageReceiver) -> None:
        """Pass all messages that the application has not received to a receiver, now and from now on."""
        ...

    def write(self, *messages: bytes) -> bool:
        """Send text messages, or return False and send none if the client reads too slowly.

        Messages after the end of the connection are lost.
        """
        ...

    def pause(self) -> None:
        """Read nothing more from the client; messages that are read already still come."""
        ...

    def resume(self) -> None:
        """Read from the client again."""
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
    """One WebSocket, and its `MessageChannel`. `HttpProtocol` hands its connection over with the first request."""

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
        """As `MessageChannel.attach`."""
        waiting, self._inbox.receiver = self.queue, receiver
        self.queue = self._inbox  # type: ignore[assignment]  # uvicorn calls nothing else of its queue from now on
        self.read_paused = True  # uvicorn then never pauses by itself
        del self.request, self.response  # the handshake is over, and they take two kilobytes
        while not waiting.empty():
            self._inbox.put_nowait(waiting.get_nowait())
        self.resume()

    def write(self, *messages: bytes) -> bool:
        """As `MessageChannel.write`."""
        if not self.writable.is_set():
            return False
        if self.conn.state is State.OPEN and not self.transport.is_closing():
            self.transport.write(b"".join(map(text_frame, messages)))
        return True

    def pause(self) -> None:
        """As `MessageChannel.pause`."""
        self.transport.pause_reading()

    def resume(self) -> None:
        """As `MessageChannel.resume`."""
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
