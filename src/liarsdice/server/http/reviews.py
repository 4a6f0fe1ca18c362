"""Reviews of finished matches in worker processes: addresses take turns, a decision each, and readers share a review.

A review is known by its record. Everybody who asks for it reads the same lines, as they are computed and later.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVarTuple

import structlog

from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.runtime.worker_pool import WorkerPool, WorkerPoolError
from liarsdice.server.errors import RateLimitError, TryAgainError
from liarsdice.server.http.address_limits import AddressCounter
from liarsdice.server.http.costly_work import CACHED_COST, RECORD_COST, CostlyWork
from liarsdice.server.http.rate_limits import RateLimits
from liarsdice.server.http.review_work import (
    OpenedReview,
    ReviewFailed,
    ReviewWaiting,
    account_line,
    decision_line,
    encode_line,
    finished_line,
    load_networks,
    started_line,
)
from liarsdice.server.http.what_ifs import DECISION_DEADLINE_S, NO_REVIEWS, WhatIfs, continued
from liarsdice.server.protocol.error_codes import error_code

Arguments = TypeVarTuple("Arguments")

LOG = structlog.get_logger()
MAX_REMEMBERED = 1_000
MAX_AT_ONCE = 64
MAX_WAITING = 16
MAX_PER_ADDRESS = 2
DECISION_COST, ENGINE_COST, MAX_COST = 20, 100, 2_000
"""What a review costs for each decision that is still to be computed (the second one where the engine plays deals on),
and at most (`RateLimits.check_work`)."""
TOO_LATE, BROKEN = "that took too long; try again", "this review failed on the server; try again"
NICENESS = 15
KEPT_BYTES = 32 * 1024 * 1024
LEFT_S = 1.0
"""A review goes on for so long after its last reader has left, because the next one may be about to read it."""
RETELL_S = 15.0
"""A proxy ends a response that is silent for long, so a reader who waits is told again after this time."""


def review_pool(at_once: int) -> WorkerPool:
    """Return the worker processes of reviews. They start with the first one."""
    return WorkerPool(
        max(at_once, 1), max_calls=2 * MAX_AT_ONCE, name="review", niceness=NICENESS, prepare=load_networks
    )


class FairTurns:
    """Lets `at_once` holders go at the same time. Of those who wait, the address goes that went least recently."""

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []
        self._went: dict[str, int] = {}
        self._count = 0

    @asynccontextmanager
    async def turn(self, address: str) -> AsyncGenerator[None]:
        """Wait for a turn of an address, and hold it while the block runs."""
        ready = asyncio.get_running_loop().create_future()
        self._waiting.append((address, ready))
        self._let_go()
        try:
            await ready
            yield
        finally:
            if ready.done() and not ready.cancelled():
                self._free += 1
            else:
                self._waiting.remove((address, ready))
            self._let_go()

    def _let_go(self) -> None:
        while self._free and (waiting := [pair for pair in self._waiting if not pair[1].done()]):
            address, ready = chosen = min(waiting, key=lambda pair: self._went.get(pair[0], 0))
            self._waiting.remove(chosen)
            self._free -= 1
            self._count += 1
            self._went.pop(address, None)
            self._went[address] = self._count
            if len(self._went) > MAX_REMEMBERED:
                del self._went[next(iter(self._went))]
            ready.set_result(None)


class SharedReview:
    """The review of one record: its lines so far, which any number of readers read. Used on the event loop only.

    `record`: its text. `started`: the first line. `account`: that of luck and play, None until known. `count`: how many
    decisions there are, and `decision_cost` what each costs in units of work. `decisions`: their lines so far.
    `ahead`: how many others take turns with it until something of it is known. `last`: the last line, None until it is
    known. `readers`: how many read now.
    """

    def __init__(self, record: bytes, opened: OpenedReview) -> None:
        self.record, self.started, self.count = record, opened.line, opened.decisions
        self.decision_cost = ENGINE_COST if opened.by_engine else DECISION_COST
        self.account: bytes | None = None
        self.decisions: list[bytes] = []
        self.ahead = 0
        self.last: bytes | None = None
        self.readers = 0
        self.task: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()

    @property
    def size(self) -> int:
        """How many bytes it takes."""
        return sum(map(len, (self.record, self.started, self.account or b"", *self.decisions)))

    def tell(self) -> None:
        """Let the readers look at what has changed."""
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def read(self) -> AsyncGenerator[bytes]:
        """Yield all lines, as they come. The computation stops soon after the last of the readers has left."""
        self.readers += 1
        try:
            yield self.started
            sent = told = 0
            account_sent = False
            while True:
                changed = self._changed
                if self.ahead != told:
                    told = self.ahead
                    yield encode_line(ReviewWaiting(told))
                if self.account is not None and not account_sent:
                    account_sent = True
                    yield self.account
                while sent < len(self.decisions):
                    sent += 1
                    yield self.decisions[sent - 1]
                if self.last is not None:
                    yield self.last
                    return
                try:
                    await asyncio.wait_for(changed.wait(), RETELL_S)
                except TimeoutError:
                    told = -1
        finally:
            self.readers -= 1
            asyncio.get_running_loop().call_later(LEFT_S, self._stop_unread)

    def _stop_unread(self) -> None:
        """Stop the computation if nobody reads the review."""
        if not self.readers and self.task is not None:
            self.task.cancel()
            self.task = None


class MatchReviews:
    """All reviews of a server, of which `at_once` are computed at the same moment; 0 offers none.

    Each computes one decision and then lets the other addresses go first, so that a long match holds up nobody.

    Used on the event loop only. `on_end` is called with how a computation ended: finished, failed or abandoned.
    `what_ifs`: other moves that are played on.
    """

    def __init__(
        self,
        costly_work: CostlyWork,
        rate_limits: RateLimits,
        *,
        at_once: int,
        workers: WorkerPool,
        on_end: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.at_once = at_once
        self._costly_work, self._rate_limits, self._on_end = costly_work, rate_limits, on_end
        self._workers = workers
        self._turns = FairTurns(at_once)
        self._in_progress: list[SharedReview] = []
        self._reviews: OrderedDict[bytes, SharedReview] = OrderedDict()
        self._by_address = AddressCounter(MAX_PER_ADDRESS)
        self.what_ifs = WhatIfs(rate_limits, workers, offered=at_once > 0)
        self._tasks: set[asyncio.Task[None]] = set()

    def close(self) -> None:
        """Stop all reviews and kill the processes."""
        for task in self._tasks:
            task.cancel()
        self._workers.close()

    async def open(self, address: str, record: bytes) -> SharedReview:
        """Return the review of a record, which is computed from now on unless it was before.

        Raises `UnavailableError` if the server offers none, `MalformedError` for a record that cannot be reviewed,
        `RateLimitError` if the address has asked for too much, and `TryAgainError` if too many reviews wait.
        """
        if not self.at_once:
            raise UnavailableError(NO_REVIEWS)
        key = hashlib.sha256(record).digest()
        review = self._reviews.get(key)
        if review is None:
            with self._costly_work.admitted(address, RECORD_COST):
                opened = await self._costly_work.in_process(address, started_line, record)
            review = self._reviews.get(key) or SharedReview(record, opened)
        else:
            self._rate_limits.check_work(address, CACHED_COST)
        if review.last is None and (review.task is None or review.task.done()):
            self._begin(address, key, review)
        self._reviews[key] = review
        self._reviews.move_to_end(key)
        self._drop_old_ones()
        return review

    async def lines(self, address: str, record: bytes) -> AsyncGenerator[bytes]:
        """Return the lines of the review of a record. Raises as `open`.

        The reader counts from now on: a generator that has not begun would do nothing when it is closed unread.
        """
        lines = (await self.open(address, record)).read()
        return continued(await anext(lines), lines)

    def _begin(self, address: str, key: bytes, review: SharedReview) -> None:
        """Let a review be computed, or wait. Raises `RateLimitError` and `TryAgainError`."""
        if len(self._in_progress) >= MAX_WAITING + self.at_once:
            raise TryAgainError("many matches are being reviewed just now; try again in a minute")
        if not self._by_address.add(address):
            raise RateLimitError("your address has other reviews in progress; wait until one of them is finished")
        try:
            left = review.count - len(review.decisions)
            self._rate_limits.check_work(address, min(review.decision_cost * left, MAX_COST))
        except RateLimitError:
            self._by_address.remove(address)
            raise
        self._in_progress.append(review)
        review.task = self._start_task(self._run(address, key, review))
        self._tell_places()

    def _start_task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _run(self, address: str, key: bytes, review: SharedReview) -> None:
        """Compute a review once there is a place for it, and count how it ended."""
        outcome = "abandoned"
        try:
            await self._compute(address, review)
            outcome = "finished"
        except Exception as error:  # noqa: BLE001  readers would wait for ever
            outcome = "failed"
            late = isinstance(error, WorkerPoolError)
            problem = error if isinstance(error, LiarsDiceError) else TryAgainError(TOO_LATE if late else BROKEN)
            LOG.warning("review_failed", error=type(error).__name__)
            review.last = encode_line(ReviewFailed(error_code(problem), str(problem)))
            self._reviews.pop(key, None)
        finally:
            self._in_progress.remove(review)
            self._by_address.remove(address)
            self._on_end(outcome)
            self._tell_places()
            review.tell()

    def _tell_places(self) -> None:
        """Tell the readers of every review of which nothing is known how many others take turns with it."""
        for review in self._in_progress:
            is_known = review.account is not None or len(self._in_progress) <= self.at_once
            review.ahead = 0 if is_known else len(self._in_progress) - 1
            review.tell()

    async def _compute(self, address: str, review: SharedReview) -> None:
        """Compute luck and play, the decisions that are missing, and the end."""

        async def run(function: Callable[[*Arguments], bytes], *arguments: *Arguments) -> bytes:
            async with self._turns.turn(address):
                return await self._workers.run(function, *arguments, deadline_s=DECISION_DEADLINE_S)

        if review.account is None:
            review.account = await run(account_line, review.record)
            self._tell_places()
        for number in range(len(review.decisions), review.count):
            review.decisions.append(await run(decision_line, review.record, number))
            review.tell()
        review.last = await run(finished_line, review.started, tuple(review.decisions))

    def _drop_old_ones(self) -> None:
        """Forget the reviews that were not read for longest, and are not computed, beyond `KEPT_BYTES`."""
        size = sum(review.size for review in self._reviews.values())
        for key, review in list(self._reviews.items())[:-1]:
            if size <= KEPT_BYTES:
                return
            if review.task is None or review.task.done():
                size -= review.size
                del self._reviews[key]
