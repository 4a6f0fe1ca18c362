"""The services of one server process: the database, dice, bots, limits and metrics, wired together."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from contextlib import suppress

import structlog

from liarsdice.core.errors import LiarsDiceError
from liarsdice.play.verify_record import KEY_BYTES, RecordSigner
from liarsdice.runtime.processes import WorkerPool
from liarsdice.server.bus.event_bus import EventBus
from liarsdice.server.errors import StoreError
from liarsdice.server.http.address_limits import RateLimits, SharedLimits, widest_network
from liarsdice.server.http.auth import ProgramTokens, hash_address
from liarsdice.server.http.costly_work import CostlyWork
from liarsdice.server.http.reviews import MatchReviews, review_pool
from liarsdice.server.http.rules_lab import RulesLab
from liarsdice.server.http.server_bans import ServerBans
from liarsdice.server.live.table_services import TableServices
from liarsdice.server.storage.store import Store
from liarsdice.server.table.dice_source import DiceSource

LOG = structlog.get_logger()
CLOSE_TIMEOUT_S = 5
BAN_REFRESH_S = 2.0
SETTINGS_CHECK_S = 30.0


class Services(TableServices):
    """The services of tables, and what only the HTTP layer needs.

    `rate_limits` limit each client address; by default they allow everything. `signer` signs the records of matches, by
    default with a key that is lost when the process ends. `workers` do costly work, and `review_workers` review
    matches, `reviews_at_once` at the same time (0: none), and simulate rules. `open_error` is the reason why `open`
    failed, if it did.
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
        self.signer = signer or RecordSigner(secrets.token_bytes(KEY_BYTES))
        dice_source = dice_source or DiceSource(self.signer.public_key)
        super().__init__(store, dice_source, event_bus=event_bus, bot_workers=bot_workers, pace=pace, keep_ms=keep_ms)
        self.rate_limits = rate_limits or RateLimits()
        self.shared_limits = SharedLimits(self.event_bus, self.rate_limits, lambda: self.node_presence.node_count)
        self.costly_work = CostlyWork(self.rate_limits, workers)
        self.server_bans = ServerBans(lambda scope, network: hash_address(self.address_policy.key, scope, network))
        self.program_tokens = ProgramTokens(lambda: self.now_ms())  # noqa: PLW0108  tests replace the method
        review_workers = review_workers or review_pool(reviews_at_once)
        self.reviews = MatchReviews(
            self.costly_work,
            self.rate_limits,
            at_once=reviews_at_once,
            workers=review_workers,
            on_end=lambda outcome: self.metrics.reviews.labels(outcome).inc(),
        )
        self.rules_lab = RulesLab(self.rate_limits, review_workers, offered=reviews_at_once > 0)
        self.open_error: LiarsDiceError | None = None
        self._other_nodes: Sequence[str] = ()
        self._starting_bots: asyncio.Task[None] | None = None

    def hash_address(self, code: str, address: str) -> str:
        """As `TableServices.hash_address`. All addresses that may be one visitor's (`widest_network`) have one hash."""
        return hash_address(self.address_policy.key, code, widest_network(address)) if address else ""

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
