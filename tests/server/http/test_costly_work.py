"""Costly requests are paid from a budget, leave the event loop alone, and are refused if the workers are busy."""

import asyncio
import os
import time
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from pathlib import Path

import pytest

from liarsdice.core.errors import MalformedError
from liarsdice.runtime.processes import DeadlineError, PoolFullError, WorkerLostError, WorkerPoolError
from liarsdice.server.errors import RateLimitError, TryAgainError
from liarsdice.server.http import match_api
from liarsdice.server.http.address_limits import RateLimits
from liarsdice.server.http.auth import hash_token
from liarsdice.server.http.costly_work import (
    LOBBY_COST,
    MAX_LOGS,
    MAX_REQUESTS_PER_ADDRESS,
    QR_COST,
    RECORD_COST,
    RULES_COST,
    CostlyWork,
    ResponseCache,
)
from liarsdice.server.http.match_api import record_of_match
from liarsdice.server.http.training import compile_kernels
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.protocol.messages import ErrorCode
from liarsdice.server.table import commands as c
from tests.server.live_tables import (
    SharedPool,
    begin_match,
    fake_clock,
    is_over,
    log_of,
    make_table,
    record_in,
    shared_pool,
    wait_until,
)
from tests.server.running_server import RunningServer, run_server

HERE, THERE = "192.0.2.1", "192.0.2.2"


class FailingPool(SharedPool):
    """A pool whose calls fail."""

    def __init__(self, error: WorkerPoolError) -> None:
        super().__init__(1, max_calls=1, name="failing")
        self._error = error
        self.runs = 0

    async def run(self, *_: object, **__: object) -> object:  # type: ignore[override]  # any call
        self.runs += 1
        raise self._error


async def test_work_in_a_process_leaves_the_event_loop_alone() -> None:
    assert await CostlyWork(RateLimits(), shared_pool()).in_process(HERE, os.getpid) != os.getpid()


@pytest.mark.parametrize("error", [PoolFullError("full"), DeadlineError("late"), WorkerLostError("lost")])
async def test_work_that_fails_can_be_tried_again(error: WorkerPoolError) -> None:
    with pytest.raises(TryAgainError):
        await CostlyWork(RateLimits(), FailingPool(error)).in_process(HERE, os.getpid)


class CountingPool(SharedPool):
    """A pool whose calls wait until they are let go."""

    def __init__(self) -> None:
        super().__init__(1, max_calls=1, name="counting")
        self.running = self.most_running = 0
        self.go = asyncio.Event()

    async def run(self, *_: object, **__: object) -> object:  # type: ignore[override]  # any call
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        await self.go.wait()
        self.running -= 1
        return 0.0, b"", None


async def test_one_call_of_an_address_runs_at_a_time_and_those_of_others_beside_it() -> None:
    pool = CountingPool()
    work = CostlyWork(RateLimits(), pool)
    calls = [asyncio.create_task(work.in_process(address, os.getpid)) for address in (HERE, HERE, HERE, THERE)]
    for _ in range(10):
        await asyncio.sleep(0)
    assert pool.running == 2
    pool.go.set()
    await asyncio.gather(*calls)
    assert pool.most_running == 2


async def test_what_work_needs_is_prepared_once_and_everybody_waits_for_it() -> None:
    pool = CountingPool()
    work = CostlyWork(RateLimits(), pool)
    calls = [asyncio.create_task(work.prepare(compile_kernels)) for _ in range(3)]
    for _ in range(10):
        await asyncio.sleep(0)
    assert pool.running == 1
    assert not any(call.done() for call in calls)
    pool.go.set()
    await asyncio.gather(*calls)
    await work.prepare(compile_kernels)
    assert pool.most_running == 1


@pytest.mark.parametrize(
    "error, runs", [(PoolFullError("full"), 2), (WorkerLostError("lost"), 2), (DeadlineError("late"), 1)]
)
async def test_what_could_not_be_prepared_is_tried_again_unless_it_took_too_long(
    error: WorkerPoolError, runs: int
) -> None:
    pool = FailingPool(error)
    work = CostlyWork(RateLimits(), pool)
    for _ in range(2):
        await work.prepare(compile_kernels)
    assert pool.runs == runs


def spend_processor_time(seconds: float) -> None:
    """Compute for so long."""
    start_s = time.process_time()
    while time.process_time() - start_s < seconds:
        pass


def spend_in_vain(seconds: float) -> None:
    """Compute for so long, and refuse."""
    spend_processor_time(seconds)
    raise MalformedError("the last line is no JSON")


@pytest.mark.parametrize("function", [spend_processor_time, spend_in_vain])
async def test_the_seconds_of_work_are_paid_from_the_budget_whatever_comes_of_it(
    function: Callable[[float], None],
) -> None:
    limits = RateLimits(work_per_minute=60, now_s=lambda: 0.0)
    work = CostlyWork(limits, shared_pool())
    with nullcontext() if function is spend_processor_time else pytest.raises(MalformedError):
        await work.in_process(HERE, function, 1.0)
    limits.check_work(THERE, 1)
    with pytest.raises(RateLimitError):
        limits.check_work(HERE, 1)


async def test_nobody_waits_for_the_calls_of_an_address_that_wants_the_same() -> None:
    ended = asyncio.Event()

    class HeldPool(SharedPool):
        async def run(self, _: object, function: object, *__: object, **___: object) -> object:  # type: ignore[override]  # any call
            if function is spend_processor_time:
                await ended.wait()
            return 0.0, b"body", None

    work = CostlyWork(RateLimits(), HeldPool(1, max_calls=1, name="held"))
    long = asyncio.create_task(work.in_process(HERE, spend_processor_time, 1.0))
    await asyncio.sleep(0)
    same = asyncio.create_task(work.cached(HERE, "key", 1, lambda: work.in_process(HERE, bytes)))
    await asyncio.sleep(0)
    async with asyncio.timeout(5):
        await work.cached(THERE, "key", 1, lambda: work.in_process(THERE, bytes))
    assert not same.done()
    ended.set()
    await asyncio.gather(long, same)


def test_one_address_has_a_bounded_number_of_requests_in_progress() -> None:
    work = CostlyWork(RateLimits(), shared_pool())
    with ExitStack() as in_progress:
        for _ in range(MAX_REQUESTS_PER_ADDRESS):
            in_progress.enter_context(work.admitted(HERE, 1))
        with pytest.raises(RateLimitError), work.admitted(HERE, 1):
            pass
        with work.admitted(THERE, 1):
            pass
    with work.admitted(HERE, 1):
        pass


async def test_rules_are_paid_from_the_budget_of_the_address(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db", RateLimits(work_per_minute=RULES_COST + 5, now_s=lambda: 0.0)) as server:
        client = server.browser()
        first = await client.post("/api/rules", json={"changes": {"dice.faces": 8}})
        assert first.status_code == 200
        again = await client.post("/api/rules", json={"changes": {"dice.faces": 8}})
        assert again.content == first.content
        refused = await client.post("/api/rules", json={"changes": {"dice.faces": 9}})
        assert refused.status_code == 429
        assert refused.json()["code"] == ErrorCode.TOO_FAST.value
        assert int(refused.headers["retry-after"]) > 0


@pytest.mark.parametrize(
    "method, path, cost",
    [
        ("GET", "/api/lobby", LOBBY_COST),
        ("GET", "/api/tables/{code}/qr.svg", QR_COST),
        ("POST", "/api/tables/{code}/ticket", QR_COST),
    ],
)
async def test_every_costly_request_is_paid_from_the_budget(tmp_path: Path, method: str, path: str, cost: int) -> None:
    async with run_server(tmp_path / "db", RateLimits(work_per_minute=2 * cost, now_s=lambda: 0.0)) as server:
        client = server.browser()
        code = await server.open_table(client)
        statuses = [(await client.request(method, path.format(code=code))).status_code for _ in range(2 * cost + 1)]
        assert statuses[0] in {200, 201}
        assert statuses[-1] == 429


async def test_a_busy_server_says_when_to_try_again(server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise TryAgainError("busy")

    monkeypatch.setattr(server.services.costly_work, "in_process", fail)
    answer = await server.browser().post("/api/rules", json={})
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) > 0


async def play_match(registry: TableRegistry, *, lines: int = 0) -> LiveTable:
    """A table at which bots have played a match, after so many lines of table talk."""
    live_table = await make_table(registry, "Ann", bots=("random",))
    for number in range(lines):
        fake_clock(registry).time_ms += 1_000
        await registry.submit(live_table, hash_token("Ann"), f"say{number}", c.Say("hello"))
    await registry.submit(live_table, hash_token("Ann"), "begin", c.Begin())
    await registry.submit(live_table, hash_token("Ann"), "bot", c.StandIn(1, bot=True))
    await wait_until(live_table, is_over)
    return live_table


class CountingLoads:
    """Counts the logs that a store loads."""

    def __init__(self, server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self._load_match = server.services.store.load_match
        monkeypatch.setattr(server.services.store, "load_match", self)

    async def __call__(self, code: str, number: int, limit: int) -> object:
        self.count += 1
        return await self._load_match(code, number, limit)


async def test_the_record_of_a_match_that_is_not_over_is_refused_before_its_log_is_loaded(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    live_table = await make_table(server.registry, "Ann", "Bo")
    await begin_match(server.registry, live_table)
    loads = CountingLoads(server, monkeypatch)
    for number in ("0", "1", "2", "9" * 30):
        answer = await server.browser().get(f"/api/tables/{live_table.code}/matches/{number}")
        assert answer.status_code in {403, 404}
    assert loads.count == 0


async def test_the_record_of_a_match_is_computed_once_and_paid_from_the_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with run_server(tmp_path / "db", RateLimits(work_per_minute=RECORD_COST + 5, now_s=lambda: 0.0)) as server:
        live_table = await play_match(server.registry)
        loads = CountingLoads(server, monkeypatch)
        path = f"/api/tables/{live_table.code}/matches/1"
        first, again = [await server.browser().get(path) for _ in range(2)]
        assert first.status_code == 200
        assert first.text.startswith('{"')
        assert again.text == first.text
        assert loads.count == 1


async def test_a_record_that_several_ask_for_at_once_is_computed_once(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    live_table = await play_match(server.registry)
    loads = CountingLoads(server, monkeypatch)
    path = f"/api/tables/{live_table.code}/matches/1"
    answers = await asyncio.gather(*(server.browser().get(path) for _ in range(4)))
    assert [answer.status_code for answer in answers] == [200] * 4
    assert len({answer.text for answer in answers}) == 1
    assert loads.count == 1


async def test_the_length_of_a_match_alone_decides_whether_there_is_a_record(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    live_table = await play_match(server.registry, lines=20)
    own_rows = await server.services.store.load_match(live_table.code, 1, 1_000)
    for number in range(20):
        server.services.time_ms += 1_000
        await server.registry.submit(live_table, hash_token("Ann"), f"after{number}", c.Say("hello"))
    monkeypatch.setattr(match_api, "MAX_ENTRIES", len(own_rows) - 1)
    for path in ("matches/1", "matches/1/summary"):
        refused = await server.browser().get(f"/api/tables/{live_table.code}/{path}")
        assert refused.json() == {"code": "unavailable", "text": match_api.NOT_HERE}
    monkeypatch.setattr(match_api, "MAX_ENTRIES", len(own_rows))
    assert (await server.browser().get(f"/api/tables/{live_table.code}/matches/1")).status_code == 200


async def test_few_logs_are_in_memory_at_the_same_time(server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests for other matches wait."""
    live_tables = [await play_match(server.registry) for _ in range(MAX_LOGS + 2)]
    load, loading, most = server.services.store.load_match, 0, 0

    async def load_slowly(code: str, number: int, limit: int) -> object:
        nonlocal loading, most
        loading += 1
        most = max(most, loading)
        stored = await load(code, number, limit)
        loading -= 1
        return stored

    monkeypatch.setattr(server.services.store, "load_match", load_slowly)
    paths = [f"/api/tables/{live_table.code}/matches/1" for live_table in live_tables]
    requests = (server.browser().get(path, headers={"x-forwarded-for": f"192.0.2.{n}"}) for n, path in enumerate(paths))
    answers = await asyncio.gather(*requests)
    assert [answer.status_code for answer in answers] == [200] * len(paths)
    assert most == MAX_LOGS


async def test_a_record_depends_on_the_entries_of_its_match_alone(registry: TableRegistry) -> None:
    live_table = await play_match(registry, lines=5)
    ann, store = hash_token("Ann"), registry.services.store
    await registry.submit(live_table, ann, "remove", c.Remove(2))
    await registry.submit(live_table, ann, "add", c.AddBot("random"))
    await registry.submit(live_table, ann, "again", c.Begin())
    await registry.submit(live_table, ann, "bot again", c.StandIn(1, bot=True))
    await wait_until(live_table, is_over)
    rows = log_of(registry, live_table.code)
    for number in (1, 2):
        own_rows = await store.load_match(live_table.code, number, 1_000)
        record = record_of_match(live_table.code, own_rows, number)
        assert record == record_in(rows, number)
    assert await store.load_match(live_table.code, 3, 1_000) == []


def test_the_bodies_that_were_not_used_for_longest_are_dropped() -> None:
    cache = ResponseCache(max_bytes=10)
    cache.put("a", b"aaaa")
    cache.put("b", b"bbbb")
    assert cache.get("a") == b"aaaa"
    cache.put("c", b"cccc")
    assert [cache.get(key) for key in "abc"] == [b"aaaa", None, b"cccc"]


def test_a_body_that_is_put_again_is_counted_once() -> None:
    cache = ResponseCache(max_bytes=10)
    for _ in range(5):
        cache.put("a", b"aaaaa")
    cache.put("b", b"bbbbb")
    assert cache.get("a") == b"aaaaa"


def test_a_body_larger_than_the_cache_is_not_kept() -> None:
    cache = ResponseCache(max_bytes=3)
    cache.put("a", b"aaa")
    cache.put("b", b"bbbb")
    assert (cache.get("a"), cache.get("b")) == (b"aaa", None)
