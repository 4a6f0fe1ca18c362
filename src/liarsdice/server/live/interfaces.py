"""What live tables need from the rest of the server: shared services, and subscribers that receive updates."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Protocol

from liarsdice.server.bus.event_bus import EventBus
from liarsdice.server.live.node_presence import NodePresence
from liarsdice.server.metrics import Metrics
from liarsdice.server.storage.store import SharedStore, Store
from liarsdice.server.table.bot_runner import BotRunner
from liarsdice.server.table.dice_source import DiceSource
from liarsdice.wire import WebhookEvent


class TableServices(Protocol):
    """The services that all tables of a process share.

    `pace` multiplies the pauses that are made for people to follow; 0 makes none. `keep_ms`: how many milliseconds a
    table is kept after its last change, None for ever. `shared_store`: the store if other nodes may use it, too.
    `web_push`: None for a server without a key for it. `webhooks`: None for a server that sends none.
    """

    store: Store
    shared_store: SharedStore | None
    dice_source: DiceSource
    event_bus: EventBus
    node_presence: NodePresence
    bot_runner: BotRunner
    metrics: Metrics
    web_push: PushSender | None
    webhooks: WebhookSender | None
    pace: float
    keep_ms: int | None

    @property
    def seats_per_address(self) -> int:
        """How many seats at a listed table the people at one address may take; 0: any number, and of such tables."""
        ...

    def now_ms(self) -> int:
        """Return the time in milliseconds since 1970."""
        ...

    async def follow_database_clock(self) -> None:
        """Let `now_ms` follow the clock of a `SharedStore`. Raises `StoreError`."""
        ...

    async def check_database(self) -> None:
        """Raise `StoreError` unless the database can be written and read."""
        ...

    def hash_address(self, code: str, address: str) -> str:
        """Return a keyed hash of a client's address for the table with a code, "" for an unknown address ("").

        It is the only form in which an address reaches the log of a table.
        """
        ...

    def write_report(self, arguments: Mapping[str, str | int]) -> None:
        """Write a report of a player for the operator. Blocks; raises `UnavailableError` if that is impossible."""
        ...

    def start_task(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run a coroutine in a task of its own that ends before the server does."""
        ...


class PushSender(Protocol):
    """Reaches browsers that have no page open."""

    async def send(self, endpoint: str) -> bool:
        """Send a message to an endpoint. Returns False if the endpoint is gone for good."""
        ...


class WebhookSender(Protocol):
    """Tells programs what happens, at URLs that they gave."""

    def check(self, url: str, address: str) -> None:
        """Raise `MalformedError` unless events may go to this URL, which a client at an address names."""
        ...

    def secret(self, code: str, player_id: int, url: str) -> str:
        """Return what signs the events of a player's webhook at the table with a code."""
        ...

    async def send(self, code: str, player_id: int, url: str, event: WebhookEvent, still: Callable[[], bool]) -> bool:
        """Send an event, again after a failure while `still` returns True. Returns False if the URL is gone."""
        ...


class Subscriber(Protocol):
    """A client that receives the updates of one table, used on the event loop only.

    `token_hash`: the hash of its token, "" for none. `player`: the id of the player whose seat the token holds, None
    for a spectator. `last_seq`: the seq of the last update that it was sent.
    """

    token_hash: str
    player: int | None
    last_seq: int

    def send(self, frame: bytes) -> None:
        """Queue a message; never blocks."""
        ...

    def send_presence(self, frame: bytes) -> None:
        """Queue a presence message, which replaces one that was not sent yet. Never blocks."""
        ...

    def end(self, frame: bytes) -> None:
        """Queue a last message; the connection is closed once it is sent."""
        ...

    def hand_over(self) -> None:
        """Close the connection, so that the client connects again: to another node, if there is one."""
        ...
