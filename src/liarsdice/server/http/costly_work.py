"""Runs what takes long outside the event loop, within the budget of the address that asks for it.

The prices of requests are here as well: of reviews, habits, training, rules, records and views.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import TypeVar, TypeVarTuple, cast
from weakref import WeakValueDictionary

import structlog

from liarsdice.runtime.processes import DeadlineError, PoolFullError, WorkerLostError, WorkerPool
from liarsdice.server.errors import TryAgainError
from liarsdice.server.http.address_limits import AddressCounter, RateLimits, widest_network


class ResponseCache:
    """Response bodies by key, of at most `max_bytes` in all: the ones that were not used for longest are dropped."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._size = 0
        self._bodies: OrderedDict[Hashable, bytes] = OrderedDict()

    def get(self, key: Hashable) -> bytes | None:
        """Return a body, None if it is not kept."""
        body = self._bodies.get(key)
        if body is not None:
            self._bodies.move_to_end(key)
        return body

    def put(self, key: Hashable, body: bytes) -> None:
        """Keep a body, unless it is larger than the whole cache."""
        if len(body) > self._max_bytes:
            return
        self._size += len(body) - len(self._bodies.get(key, b""))
        self._bodies[key] = body
        self._bodies.move_to_end(key)
        while self._size > self._max_bytes:
            _, dropped = self._bodies.popitem(last=False)
            self._size -= len(dropped)


Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")

LOG = structlog.get_logger()
_TURN: ContextVar[str | None] = ContextVar("_TURN", default=None)
"""The network whose turn the current task has."""
WORKERS = 2
MAX_CALLS = 64
NICENESS = 10
"""The event loop goes first where there are fewer cores than processes."""
MAX_REQUESTS_PER_ADDRESS = 16
DEADLINE_S, PREPARING_DEADLINE_S = 20.0, 90.0
PREPAID_S = 0.2
"""How long work in a process may take for what a request pays beforehand."""
CACHE_BYTES = 16 * 1024 * 1024
MAX_LOGS = 2
"""How many logs of tables are in memory as a whole at the same time."""

VIEW_COST = 0.2
ACT_COST = 1
CACHED_COST = 1
LOBBY_COST = 2
QR_COST = 5
RULES_COST = 20
RECORD_COST = 20
QUICK_TRAINING_COST = 10
TRAINING_COST = 50
HABITS_COST = 30
WHAT_IF_COST = 60
LAB_COST = 2_000
"""What requests cost, in units of about 10 ms of processor time (`RateLimits.check_work`).

A review costs `RECORD_COST` (`CACHED_COST` if it is known), and another move played on `WHAT_IF_COST`. A simulation of
the rules lab costs `LAB_COST`; rules that are not simulated pay a part of it.
"""


def _timed(
    function: Callable[[*Arguments], Result], arguments: tuple[*Arguments]
) -> tuple[float, Result | None, Exception | None]:
    """Return the seconds of processor time that a call takes, and its result or the error that it raises."""
    start_s = time.process_time()
    result, error = None, None
    try:
        result = function(*arguments)
    except Exception as raised:  # noqa: BLE001  raised again once the seconds are paid
        error = raised
    return time.process_time() - start_s, result, error


class CostlyWork:
    """Worker processes and one thread for costly requests, and the latest responses. Used on the event loop only.

    A request first asks for admission. `in_process` is for work of any length: it has a deadline. `in_thread` is for
    work of bounded length whose result is costly to move: a ruleset is checked again in every process that receives it.
    Whoever loads the whole log of a table holds one of the `log_slots`.
    """

    def __init__(self, rate_limits: RateLimits, workers: WorkerPool | None = None) -> None:
        self._rate_limits = rate_limits
        self._workers = workers or WorkerPool(WORKERS, max_calls=MAX_CALLS, name="work", niceness=NICENESS)
        self._thread = ThreadPoolExecutor(1, "work")
        self.log_slots = asyncio.Semaphore(MAX_LOGS)
        self._cache = ResponseCache(CACHE_BYTES)
        self._calling: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._computing: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()
        self._requests = AddressCounter(MAX_REQUESTS_PER_ADDRESS)
        self._preparing: dict[Callable[[], None], asyncio.Task[None]] = {}

    def close(self) -> None:
        """Kill the processes; what is running fails."""
        self._workers.close()
        self._thread.shutdown(wait=False, cancel_futures=True)

    @contextmanager
    def admitted(self, address: str, cost: float) -> Iterator[None]:
        """Pay for a request from the budget of an address, and count it while the block runs.

        Raises `RateLimitError` if the budget is used up, or if `MAX_REQUESTS_PER_ADDRESS` requests of the address are
        in progress.
        """
        with self._requests.hold(address, "your address asks for very much at once; wait for the answers"):
            self._rate_limits.check_work(address, cost)
            yield

    async def in_process(
        self, address: str, function: Callable[[*Arguments], Result], *arguments: *Arguments
    ) -> Result:
        """Return `function(*arguments)`, called in a worker process, for an address that was admitted.

        One call of an address runs at a time, so that others find a free process. The seconds that it takes beyond
        `PREPAID_S` are paid from the budget of the address, whatever comes of it. Raises `TryAgainError` if too many
        calls are waiting or this one takes longer than `DEADLINE_S`, and what the function raises.
        """
        try:
            async with self._turn(address):
                seconds, result, error = await self._workers.run(_timed, function, arguments, deadline_s=DEADLINE_S)
            self._rate_limits.charge_work(address, max(0.0, seconds - PREPAID_S))
            try:
                if error is not None:
                    raise error
                return cast("Result", result)
            finally:
                del error  # it refers to this frame
        except PoolFullError as error:
            raise TryAgainError("the server is busy; try again in a moment") from error
        except (DeadlineError, WorkerLostError) as error:
            self._rate_limits.charge_work(address, DEADLINE_S)
            LOG.warning("work_failed", work=function.__name__, error=type(error).__name__)
            raise TryAgainError("that took too long; try again later") from error

    async def prepare(self, function: Callable[[], None]) -> None:
        """Call a function in a worker process, once: compiling kernels after an installation takes long.

        Nobody pays for it. Whoever comes meanwhile waits. If it fails, the work that follows may fail by itself, and
        the next call tries it again, but not after it took too long.
        """
        if function not in self._preparing:
            self._preparing[function] = asyncio.create_task(self._prepare(function))
        await asyncio.shield(self._preparing[function])

    async def _prepare(self, function: Callable[[], None]) -> None:
        try:
            await self._workers.run(function, deadline_s=PREPARING_DEADLINE_S)
        except Exception as error:  # noqa: BLE001  the work that follows fails by itself
            LOG.warning("work_failed", work=function.__name__, error=type(error).__name__)
            if isinstance(error, PoolFullError | WorkerLostError):
                del self._preparing[function]

    @asynccontextmanager
    async def _turn(self, address: str) -> AsyncGenerator[None]:
        """Let one call of a network go at a time. A task that has the turn keeps it for the calls that it makes."""
        network = widest_network(address)
        if _TURN.get() == network:
            yield
            return
        async with self._calling.setdefault(network, asyncio.Lock()):
            turn = _TURN.set(network)
            try:
                yield
            finally:
                _TURN.reset(turn)

    async def in_thread(self, function: Callable[[*Arguments], Result], *arguments: *Arguments) -> Result:
        """Return `function(*arguments)`, called in the one thread. Raises what the function raises."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *arguments)

    async def cached(self, address: str, key: Hashable, cost: float, compute: Callable[[], Awaitable[bytes]]) -> bytes:
        """Return the response body of a key; it is computed once, also for requests that come at the same time.

        Raises as `admitted`, and what `compute` raises.
        """
        body = self._cache.get(key)
        if body is not None:
            self._rate_limits.check_work(address, CACHED_COST)
            return body
        lock = self._computing.setdefault(key, asyncio.Lock())
        with self.admitted(address, cost):
            async with self._turn(address), lock:  # in this order: nobody waits for the turn of somebody else
                body = self._cache.get(key)
                if body is None:
                    body = await compute()
                    self._cache.put(key, body)
        return body
