"""What live tables need from the rest of the server: shared services, and subscribers that receive updates."""

from __future__ import annotations

import asyncio
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, Protocol

import msgspec
import structlog

from liarsdice.core.errors import UnavailableError
from liarsdice.runtime.processes import WorkerPool
from liarsdice.server.bus.event_bus import EventBus
from liarsdice.server.errors import StoreError
from liarsdice.server.live.node_presence import NodePresence
from liarsdice.server.metrics import Metrics
from liarsdice.server.storage.audit_log import append_report
from liarsdice.server.storage.signing_keys import SECRET_BYTES
from liarsdice.server.storage.store import SharedStore, Store
from liarsdice.server.table.bot_runner import BotFailure, BotRunner
from liarsdice.server.table.dice_source import DiceSource
from liarsdice.wire import WebhookEvent

LOG = structlog.get_logger()
NS_PER_MS = 1_000_000
CHECK_TIMEOUT_S = 2.0


class AddressPolicy(msgspec.Struct, frozen=True):
    """What tables do with addresses: the secret `key` of their hashes, and the limit of seats."""

    key: bytes
    seats_per_address: int = 0


class TableServices(ABC):
    """The services that all tables of a process share. Use it on the event loop only.

    `pace` multiplies the pauses that are made for people to follow; 0 makes none. `keep_ms`: how many milliseconds a
    table is kept after its last change, None for ever. `shared_store`: the store if other nodes may use it, too.
    `bot_workers` run bots. `address_policy` can be replaced before tables are used; by default it has no limit, and a
    key that ends with the process. `web_push`: None for a server without a key for it. `webhooks`: None for a server
    that sends none. `key_base`: as in `Settings`, None if nobody reads reports. `event_bus.node_id` identifies this
    process.
    """

    def __init__(
        self,
        store: Store,
        dice_source: DiceSource,
        *,
        event_bus: EventBus | None = None,
        bot_workers: WorkerPool | None = None,
        pace: float = 1.0,
        keep_ms: int | None = None,
    ) -> None:
        self.store = store
        self.shared_store = store if isinstance(store, SharedStore) else None
        self.dice_source = dice_source
        self.event_bus = event_bus or EventBus()
        self.node_presence = NodePresence(self.event_bus)
        self.metrics = Metrics(self.event_bus.node_id)
        self.metrics.bus_works.set_function(lambda: self.event_bus.works)
        self.metrics.nodes.set_function(lambda: self.node_presence.node_count)
        self.bot_runner = BotRunner(bot_workers, on_failure=self.record_bot_failure)
        self.pace = pace
        self.keep_ms = keep_ms
        self.address_policy = AddressPolicy(secrets.token_bytes(SECRET_BYTES))
        self.web_push: PushSender | None = None
        self.webhooks: WebhookSender | None = None
        self.key_base: Path | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._started_at_ms = time.time_ns() // NS_PER_MS
        self._started_monotonic_ns = time.monotonic_ns()
        self._check: asyncio.Task[None] | None = None

    @property
    def running_tasks(self) -> frozenset[asyncio.Task[Any]]:
        """For tests: the tasks of `start_task` that are not done yet."""
        return frozenset(self._tasks)

    @property
    def seats_per_address(self) -> int:
        """How many seats at a listed table the people at one address may take; 0: any number, and of such tables."""
        return self.address_policy.seats_per_address

    def now_ms(self) -> int:
        """Return the time in milliseconds since 1970. Tests override it.

        It is the wall clock's time at the start of the process plus the time that has elapsed since on a monotonic
        clock, so that nobody gains or loses time when the wall clock is set. With a `SharedStore` it is the time of the
        database instead, so that the clocks of nodes may differ.
        """
        return self._started_at_ms + (time.monotonic_ns() - self._started_monotonic_ns) // NS_PER_MS

    @abstractmethod
    def hash_address(self, code: str, address: str) -> str:
        """Return a keyed hash of a client's address for the table with a code, "" for an unknown address ("").

        It is the only form in which an address reaches the log of a table.
        """

    def write_report(self, arguments: Mapping[str, str | int]) -> None:
        """Write a report of a player for the operator. Blocks; raises `UnavailableError` if that is impossible."""
        if self.key_base is None:
            raise UnavailableError("this server takes no reports")
        append_report(self.key_base, arguments)

    def start_task(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run a coroutine in a task of its own that ends before the server does, and return the task."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def record_bot_failure(self, bot: str, failure: BotFailure) -> None:
        """Count and log that a stand-in moves for a bot."""
        self.metrics.bot_failures.labels(failure.value).inc()
        LOG.warning("bot_failed", bot=bot, failure=failure.value)

    async def follow_database_clock(self) -> None:
        """With a `SharedStore`, correct `now_ms` if it cannot be the time of the database. Raises `StoreError`."""
        if self.shared_store is None:
            return
        sent_ms = self.now_ms()
        database_ms = await self.shared_store.clock_ms()
        self._started_at_ms += clock_correction_ms(sent_ms, database_ms, self.now_ms())

    async def check_database(self) -> None:
        """Write to the database and read that back. Requests at the same time share one check.

        Raises `StoreError` if that fails or takes longer than `CHECK_TIMEOUT_S`.
        """
        if self._check is None or self._check.done():
            self._check = self.start_task(self._write_and_read())
            self._check.add_done_callback(lambda check: check.cancelled() or check.exception())  # nobody may wait then
        try:
            await asyncio.wait_for(asyncio.shield(self._check), CHECK_TIMEOUT_S)
        except TimeoutError as error:
            raise StoreError("the database does not answer in time") from error

    async def _write_and_read(self) -> None:
        now_ms = self.now_ms()
        await self.store.heartbeat(now_ms)
        if await self.store.last_heartbeat_ms() < now_ms:
            raise StoreError("the database does not return what was written")
        await self.store.listed_codes(1, 0)


def clock_correction_ms(sent_ms: int, database_ms: int, received_ms: int) -> int:
    """Return the smallest change of a clock after which the database answered between a question and its answer.

    >>> clock_correction_ms(1_000, 1_004, 1_010), clock_correction_ms(1_000, 7_000, 1_010)
    (0, 5990)
    >>> clock_correction_ms(1_000, 400, 1_010)
    -600
    """
    return min(max(0, database_ms - received_ms), database_ms - sent_ms)


class PushSender(Protocol):
    """Reaches browsers that have no page open."""

    async def send(self, endpoint: str, ttl_s: int) -> bool:
        """Send a message, worth `ttl_s` seconds, to an endpoint. Returns False if the endpoint is gone for good."""
        ...


class WebhookSender(Protocol):
    """Tells programs what happens, at URLs that they gave."""

    def check(self, url: str, address: str) -> None:
        """Raise `MalformedError` unless events may go to this URL, which a client at an address names."""
        ...

    def secret(self, code: str, player_id: int, url: str) -> str:
        """Return what signs the events of a player's webhook at the table with a code."""
        ...

    async def say(self, url: str, text: str) -> None:
        """Say a text in a chat room, at the URL that its service gave."""
        ...

    async def send(self, code: str, player_id: int, url: str, event: WebhookEvent, still: Callable[[], bool]) -> bool:
        """Send an event, again after a failure while `still` returns True. Returns False if the URL is gone."""
        ...


class Subscriber(Protocol):
    """A client that receives the updates of one table, used on the event loop only.

    `token_hash`: the hash of its token, "" for none. `player`: the id of the player whose seat the token holds, None
    for a spectator. `last_seq`: the seq of the last update that it was sent. `looking`: as in `messages.Look`.
    """

    token_hash: str
    player: int | None
    last_seq: int
    looking: bool

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
