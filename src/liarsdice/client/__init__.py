"""The client for programs that play at a server's tables: `Client`, and `AsyncClient` for asyncio.

Imports `core` and `runtime`; not `server`, with which it shares nothing but messages. Needs the extra `client`.
Start with `client.py`, then `views.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from liarsdice.client.calls import ConnectionLostError as ConnectionLostError
from liarsdice.client.calls import RefusedError as RefusedError
from liarsdice.client.client import WebhookEvent as WebhookEvent
from liarsdice.client.client import read_webhook as read_webhook
from liarsdice.client.views import OwnView as OwnView
from liarsdice.client.views import PublicMatch as PublicMatch
from liarsdice.client.views import Seat as Seat
from liarsdice.client.views import TablePlayer as TablePlayer
from liarsdice.client.views import TableSummary as TableSummary
from liarsdice.client.views import TableView as TableView
from liarsdice.runtime.public_api import public_attribute

if TYPE_CHECKING:
    from liarsdice.client.async_client import AsyncClient as AsyncClient
    from liarsdice.client.client import Client as Client

_HOMES = {"AsyncClient": "async_client", "Client": "client"}
"""The modules that need the extra, by the public name in them; each is loaded on first use."""

__all__ = [
    "AsyncClient",
    "Client",
    "ConnectionLostError",
    "OwnView",
    "PublicMatch",
    "RefusedError",
    "Seat",
    "TablePlayer",
    "TableSummary",
    "TableView",
    "WebhookEvent",
    "read_webhook",
]


__getattr__ = public_attribute(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
