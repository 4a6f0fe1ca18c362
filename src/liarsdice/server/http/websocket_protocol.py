"""The WebSocket protocol of uvicorn with a budget of frames for each connection.

Pings, pongs and fragments of messages never reach the application, which limits only whole messages.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from uvicorn import Config
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.exceptions import ProtocolError
from websockets.frames import CloseCode, Frame, Opcode
from websockets.server import ServerProtocol

from liarsdice.server.http.connection_limits import FRAMES, ConnectionLimits, limits_of
from liarsdice.server.http.rate_limits import TokenBucket

FRAME_BURST, FRAMES_PER_S = 160, 40
"""How many messages of one frame a connection may send at once, and per second in the long run.

The application allows a quarter, and says so. This limit ends what comes faster than the application can look at it.
"""
OTHER_FRAME_COST = 8
"""A ping, a pong or a fragment counts as this many messages: pages send one in 20 seconds."""
MAX_FRAGMENTS = 64
"""How many frames may continue one message."""


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


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """One WebSocket. `HttpProtocol` hands its connection over with the first request."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._limits = limits_of(config)
        self.conn.parser.close()  # ends the reference cycle of the one that uvicorn made
        self.conn = BudgetedServerProtocol(self._limits, config.ws_max_size)

    def connection_lost(self, exc: Exception | None) -> None:
        """As in uvicorn; the connection counts no more."""
        self._limits.release(self.transport)
        super().connection_lost(exc)

    def handle_parser_exception(self) -> None:
        """As in uvicorn, which expects no frames before the handshake is answered."""
        if self.conn.close_sent is None:
            self.transport.abort()
        else:
            super().handle_parser_exception()
