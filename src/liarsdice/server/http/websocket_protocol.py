"""The WebSocket protocol of uvicorn for connections that are counted."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn import Config
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState

from liarsdice.server.http.connection_limits import limits_of


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

    def connection_lost(self, exc: Exception | None) -> None:
        """As in uvicorn; the connection counts no more."""
        self._limits.release(self.transport)
        super().connection_lost(exc)
