"""The client for programs that play at a server's tables: `Client`, and `AsyncClient` for asyncio.

Imports `wire`, `core` and `runtime`, not `server`. Needs the extra `client`.
Start with `client.py`, then `views.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from liarsdice.client.views import TableView as TableView
from liarsdice.runtime.public_api import public_attribute
from liarsdice.wire import PlayerView as PlayerView
from liarsdice.wire import PublicMatch as PublicMatch
from liarsdice.wire import PublicPlayer as PublicPlayer
from liarsdice.wire import SeatResponse as SeatResponse
from liarsdice.wire import TableSummary as TableSummary
from liarsdice.wire import WebhookEvent as WebhookEvent

if TYPE_CHECKING:
    from liarsdice.client.calls import ConnectionLostError as ConnectionLostError
    from liarsdice.client.calls import RefusedError as RefusedError
    from liarsdice.client.client import AsyncClient as AsyncClient
    from liarsdice.client.client import Client as Client
    from liarsdice.client.client import read_webhook as read_webhook

_HOMES = {
    **dict.fromkeys(("AsyncClient", "Client", "read_webhook"), "client"),
    **dict.fromkeys(("ConnectionLostError", "RefusedError"), "calls"),
}
"""The modules that need the extra, by the public name in them; each is loaded on first use."""

__all__ = [
    "AsyncClient",
    "Client",
    "ConnectionLostError",
    "PlayerView",
    "PublicMatch",
    "PublicPlayer",
    "RefusedError",
    "SeatResponse",
    "TableSummary",
    "TableView",
    "WebhookEvent",
    "read_webhook",
]


__getattr__ = public_attribute(__name__, _HOMES, unchecked=("read_webhook",))


def __dir__() -> list[str]:
    return __all__
