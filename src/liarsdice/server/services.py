"""The services of one server process: the database, dice, bots, limits and metrics, wired together."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import structlog

from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.play.verify_record import KEY_BYTES, RecordSigner
from liarsdice.runtime.processes import WorkerPool
from liarsdice.server.bus.event_bus import EventBus, LocalEventBus
from liarsdice.server.errors import StoreError
from liarsdice.server.http.address_limits import RateLimits, SharedLimits, widest_network
from liarsdice.server.http.auth import ProgramTokens, hash_address
from liarsdice.server.http.costly_work import CostlyWork
from liarsdice.server.http.reviews import MatchReviews, review_pool
from liarsdice.server.http.rules_lab import RulesLab
from liarsdice.server.http.server_bans import ServerBans
from liarsdice.server.live.interfaces import PushSender, WebhookSender
from liarsdice.server.live.node_presence import NodePresence
from liarsdice.server.metrics import Metrics
from liarsdice.server.storage.audit_log import append_report
from liarsdice.server.storage.signing_keys import SECRET_BYTES
from liarsdice.server.storage.store import SharedStore, Store
from liarsdice.server.table.bot_runner import BotFailure, BotRunner
from liarsdice.server.table.dice_source import DiceSource, ProvableDiceSource

LOG = structlog.get_logger()
CLOSE_TIMEOUT_S = 5
NS_PER_MS = 1_000_000
CHECK_TIMEOUT_S = 2.0
BAN_REFRESH_S = 2.0
SETTINGS_CHECK_S = 30.0


class AddressPolicy(msgspec.Struct, frozen=True):
    """What tables do with addresses: the secret `key` of their hashes, and the limit of seats."""

    key: bytes
    seats_per_address: int = 0


class Services:
    """Implements `live.interfaces.TableServices`, and holds what only the HTTP layer needs.

    `pace` multiplies the pauses that are made for people to follow; 0 makes none. `keep_ms`: how many milliseconds a
    table is kept after its last change, None for ever. `rate_limits` limit each client address; by default they allow
    everything. `signer` signs the records of matches, by default with a key that is lost when the process ends.
    `workers` do costly work, `bot_workers` run bots, and `review_workers` review matches, `reviews_at_once` at the same
    time (0: none), and simulate rules. `address_policy` can be replaced before tables are used; by
    default it has no limit, and a key that ends with the process. `open_error` is the reason why `open` failed, if it
    did. `key_base`: as in `Settings`, None if nobody reads reports. Use it on the event loop only.
    `event_bus.node_id` identifies this process.
    """

    def __init__(  # noqa: PLR0913  one for each service
        self,
        store: Store,
        *,
        signer: RecordSigner | None = None,
        dice_source: DiceSource | None = None,
        event_bus: EventBus | None = None,
        rate_limits: RateLimits | None = None,
        workers: WorkerPool | None = None,
        bot_workers: WorkerPool | None = None,
        review_workers: WorkerPool | None = None,
        pace: float = 1.0,
        keep_ms: int | None = None,
        reviews_at_once: int = 1,
    ) -> None:
        self.store = store
        self.signer = signer or RecordSigner(secrets.token_bytes(KEY_BYTES))
        self.dice_source = dice_source or ProvableDiceSource(self.signer.public_key)
        self.event_bus = event_bus or LocalEventBus()
        self.node_presence = NodePresence(self.event_bus)
        self.rate_limits = rate_limits or RateLimits()
        self.shared_limits = SharedLimits(self.event_bus, self.rate_limits, lambda: self.node_presence.node_count)
        self.costly_work = CostlyWork(self.rate_limits, workers)
        self.server_bans = ServerBans(lambda scope, network: hash_address(self.address_policy.key, scope, network))
        self.program_tokens = ProgramTokens(lambda: self.now_ms())  # noqa: PLW0108  tests replace the method
        self.metrics = Metrics(self.event_bus.node_id)
        self.metrics.bus_works.set_function(lambda: self.event_bus.works)
        self.metrics.nodes.set_function(lambda: self.node_presence.node_count)
        self.bot_runner = BotRunner(bot_workers, on_failure=self.record_bot_failure)
        review_workers = review_workers or review_pool(reviews_at_once)
        self.reviews = MatchReviews(
            self.costly_work,
            self.rate_limits,
            at_once=reviews_at_once,
            workers=review_workers,
            on_end=self.record_review,
        )
        self.rules_lab = RulesLab(self.rate_limits, review_workers, offered=reviews_at_once > 0)
        self.pace = pace
        self.keep_ms = keep_ms
        self.address_policy = AddressPolicy(secrets.token_bytes(SECRET_BYTES))
        self.web_push: PushSender | None = None
        self.webhooks: WebhookSender | None = None
        self.open_error: LiarsDiceError | None = None
        self.key_base: Path | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._started_at_ms = time.time_ns() // NS_PER_MS
        self._started_monotonic_ns = time.monotonic_ns()
        self._check: asyncio.Task[None] | None = None
        self.shared_store = store if isinstance(store, SharedStore) else None
        self._other_nodes: Sequence[str] = ()
        self._starting_bots: asyncio.Task[None] | None = None

    @property
    def running_tasks(self) -> frozenset[asyncio.Task[Any]]:
        """For tests: the tasks of `start_task` that are not done yet."""
        return frozenset(self._tasks)

    def now_ms(self) -> int:
        """Return the time in milliseconds since 1970. Tests override it.

        It is the wall clock's time at the start of the process plus the time that has elapsed since on a monotonic
        clock, so that nobody gains or loses time when the wall clock is set. With a `SharedStore` it is the time of the
        database instead, so that the clocks of nodes may differ.
        """
        return self._started_at_ms + (time.monotonic_ns() - self._started_monotonic_ns) // NS_PER_MS

    @property
    def seats_per_address(self) -> int:
        """As `TableServices.seats_per_address`."""
        return self.address_policy.seats_per_address

    def hash_address(self, code: str, address: str) -> str:
        """As `TableServices.hash_address`. All addresses that may be one visitor's (`widest_network`) have one hash."""
        return hash_address(self.address_policy.key, code, widest_network(address)) if address else ""

    def write_report(self, arguments: Mapping[str, str | int]) -> None:
        """As `TableServices.write_report`: a line of the audit log. Raises `UnavailableError`."""
        if self.key_base is None:
            raise UnavailableError("this server takes no reports")
        append_report(self.key_base, arguments)

    def start_task(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run a coroutine in a task of its own, which `close` waits for, and return the task."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def record_bot_failure(self, bot: str, failure: BotFailure) -> None:
        """Count and log that a stand-in moves for a bot."""
        self.metrics.bot_failures.labels(failure.value).inc()
        LOG.warning("bot_failed", bot=bot, failure=failure.value)

    def record_review(self, outcome: str) -> None:
        """Count a review that is no longer computed."""
        self.metrics.reviews.labels(outcome).inc()

    async def open(self) -> int:
        """Open the database; return for how many milliseconds no server has used it.

        Raises `UnavailableError` or `StoreError`, and keeps it in `open_error`.
        """
        try:
            away_ms = await self.store.open(self.now_ms())
            await self.follow_database_clock()
        except LiarsDiceError as error:
            self.open_error = error
            raise
        await self.event_bus.open()
        self.node_presence.start()
        self.shared_limits.start()
        await self.refresh_bans()
        if self.shared_store is not None:  # a table that another node leaves may need a bot at once
            self._starting_bots = asyncio.get_running_loop().create_task(self.bot_runner.start())
        return away_ms

    async def refresh_bans(self) -> None:
        """Read the operator's bans and tokens from the database and enforce them. Raises `StoreError`."""
        self.server_bans.replace(await self.store.server_bans(self.now_ms()))
        self.program_tokens.replace(await self.store.program_tokens())

    async def keep_bans_current(self) -> None:
        """Read bans and tokens every few seconds, until cancelled. While the database fails, the last ones count."""
        while True:
            await asyncio.sleep(BAN_REFRESH_S)
            with suppress(StoreError):  # the loop of the tables logs it
                await self.refresh_bans()

    async def compare_settings(self) -> None:
        """Log which other nodes have other settings where all need the same, if that has changed. Raises `StoreError`.

        Nothing is compared without a `SharedStore`.
        """
        if self.shared_store is None:
            return
        nodes = await self.shared_store.nodes_with_other_settings()
        if nodes and nodes != self._other_nodes:
            LOG.warning("settings_differ", nodes=nodes, hint="liarsdice admin nodes")
        self._other_nodes = nodes

    async def keep_settings_compared(self) -> None:
        """Call `compare_settings` again and again, until cancelled."""
        while True:
            with suppress(StoreError):  # the loop of the tables logs it
                await self.compare_settings()
            await asyncio.sleep(SETTINGS_CHECK_S)

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

    async def close(self) -> None:
        """Wait up to `CLOSE_TIMEOUT_S` for running tasks, cancel the rest, and close the bots and the database."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=CLOSE_TIMEOUT_S)
        for task in self._tasks:
            task.cancel()
        self.bot_runner.close()
        if self._starting_bots is not None:
            self._starting_bots.cancel()
        self.reviews.close()
        self.costly_work.close()
        self.node_presence.close()
        self.shared_limits.close()
        await self.event_bus.close()
        await self.store.close()


def clock_correction_ms(sent_ms: int, database_ms: int, received_ms: int) -> int:
    """Return the smallest change of a clock after which the database answered between a question and its answer.

    >>> clock_correction_ms(1_000, 1_004, 1_010), clock_correction_ms(1_000, 7_000, 1_010)
    (0, 5990)
    >>> clock_correction_ms(1_000, 400, 1_010)
    -600
    """
    return min(max(0, database_ms - received_ms), database_ms - sent_ms)
