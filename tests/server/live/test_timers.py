"""The timers of a table survive errors, and do nothing at a table that waits for a command."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from liarsdice.core.actions import Move
from liarsdice.core.rules.bids import Bid
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live import timers
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.live.timers import TableTimers, at_answer_step
from liarsdice.server.table import commands as c
from liarsdice.server.table.deadlines import ANSWER_STEP_MS, DeadlineKind, answer_step_ms, bot_delay_ms
from liarsdice.server.table.log_entries import Played
from liarsdice.server.table.table_config import Pace
from liarsdice.server.table.table_state import TableState
from liarsdice.wire import PlayoutSpeed
from tests.server.live_tables import (
    PATIENCE_S,
    begin_match,
    is_over,
    log_of,
    make_config,
    make_table,
    match_of,
    token_on_turn,
    turn_id,
    wait_until,
)


async def test_a_table_goes_on_after_an_error_in_its_timers(
    registry: TableRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timers, "RETRY_MS", 0)
    choose_move, failures = registry.services.bot_runner.choose_move, 0

    async def fail_at_first(table: TableState, bots: Mapping[int, str]) -> tuple[int, Move] | None:
        nonlocal failures
        failures += 1
        if failures <= 3:
            raise OSError("no bot answers")
        return await choose_move(table, bots)

    monkeypatch.setattr(registry.services.bot_runner, "choose_move", fail_at_first)
    live_table = await make_table(registry, "Ann", bots=("random",))
    await registry.submit(live_table, hash_token("Ann"), "begin", c.Begin())
    await registry.submit(live_table, hash_token("Ann"), "bot", c.StandIn(1, bot=True))
    await wait_until(live_table, is_over)
    assert failures > 3


async def test_a_table_does_not_try_again_after_its_timers_were_stopped(
    registry: TableRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timers, "RETRY_MS", 0)
    failures, failed = 0, asyncio.Event()

    async def fail(_: TableState, __: Mapping[int, str]) -> None:
        nonlocal failures
        failures += 1
        failed.set()
        registry.stop()
        raise OSError("no bot answers")

    monkeypatch.setattr(registry.services.bot_runner, "choose_move", fail)
    live_table = await make_table(registry, "Ann", bots=("random",))
    await registry.submit(live_table, hash_token("Ann"), "begin", c.Begin())
    await registry.submit(live_table, hash_token("Ann"), "bot", c.StandIn(1, bot=True))
    async with asyncio.timeout(PATIENCE_S):
        await failed.wait()
    for _ in range(100):
        await asyncio.sleep(0)
    assert failures == 1


async def test_timers_do_nothing_while_a_person_without_a_clock_is_on_turn(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    await begin_match(registry, live_table)
    assert live_table.deadline is None
    assert not TableTimers(registry.services, live_table).acts_now


async def test_a_bot_decides_each_of_its_turns_once(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", bots=("random",))
    await registry.submit(live_table, hash_token("Ann"), "begin", c.Begin())
    await registry.submit(live_table, hash_token("Ann"), "bot", c.StandIn(1, bot=True))
    await wait_until(live_table, is_over)
    rows = log_of(registry, live_table.code)
    moves = [row for row in rows if isinstance(row.entry, Played) and row.entry.seat is not None]
    assert f"liarsdice_bot_turns_total {len(moves)}.0".encode() in registry.services.metrics.text().splitlines()


class TimerRecorder:
    """The timers that a table sets: their waits in milliseconds, and their work, which runs only if a test lets it.

    `steps_s`: the times that bots were given to think, in seconds.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.waits_ms: list[float] = []
        self.works: list[Callable[[], Coroutine[Any, Any, None]]] = []
        self.steps_s: list[float] = []
        monkeypatch.setattr(TableTimers, "_call_later", self._call_later)
        monkeypatch.setattr(timers, "at_answer_step", self._at_answer_step)

    def _call_later(self, delay_ms: float, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self.waits_ms.append(delay_ms)
        self.works.append(work)

    async def _at_answer_step(self, answer: Awaitable[object], step_s: float) -> object:
        self.steps_s.append(step_s)
        return await answer


async def test_bots_are_asked_one_step_before_their_move_is_due(
    registry: TableRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    table = await begin_match(registry, live_table)
    registry.services.pace = 2.0
    seat = match_of(table).state.turn
    recorder = TimerRecorder(monkeypatch)
    await registry.submit(live_table, hash_token("Ann"), "bot", c.StandIn(table.players[seat].id, bot=True))
    deadline, left_ms = live_table.deadline, live_table.left_ms()
    assert deadline is not None
    assert left_ms is not None
    assert deadline.kind is DeadlineKind.BOT_MOVE
    assert recorder.waits_ms == [left_ms - 2 * ANSWER_STEP_MS]
    await recorder.works[0]()
    assert recorder.steps_s == [2 * ANSWER_STEP_MS / 1000]
    assert turn_id(await live_table.state()) == turn_id(table) + 1


async def test_bots_are_asked_one_step_before_they_call_out_of_turn(
    registry: TableRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    live_table = await make_table(registry, "Ann", "Bo", "Cem", config=make_config("official"))
    table = await begin_match(registry, live_table)
    caller = (match_of(table).state.turn + 2) % 3
    await registry.submit(live_table, hash_token("Ann"), "bot", c.StandIn(table.players[caller].id, bot=True))
    registry.services.pace = 1.0
    recorder = TimerRecorder(monkeypatch)
    await registry.submit(live_table, token_on_turn(table), "bid", Bid(15, 6), turn_id(table))
    assert recorder.waits_ms == [bot_delay_ms(match_of(await live_table.state())) - ANSWER_STEP_MS]
    await recorder.works[0]()
    assert recorder.steps_s == [ANSWER_STEP_MS / 1000]


async def test_the_time_to_think_follows_the_pace_of_the_table(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", bots=("random",))
    table = await live_table.state()
    assert answer_step_ms(table) == 0, "before the match"
    table = await begin_match(registry, live_table)
    assert answer_step_ms(table) == ANSWER_STEP_MS
    quick = replace(table, config=replace(table.config, pace=Pace.QUICK))
    assert 0 < answer_step_ms(quick) < ANSWER_STEP_MS
    at_once = replace(table, match=replace(match_of(table), speed=PlayoutSpeed.AT_ONCE))
    assert answer_step_ms(at_once) == 0


class FakeLoop:
    """An event loop whose time moves only by what happens in a test."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def time(self) -> float:
        return self.now_s

    async def sleep(self, delay_s: float) -> None:
        assert delay_s >= 0
        self.now_s += delay_s

    async def think(self, thinking_s: float) -> str:
        self.now_s += thinking_s
        return "challenge"


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> FakeLoop:
    fake = FakeLoop()
    fake_asyncio = SimpleNamespace(sleep=fake.sleep, get_running_loop=lambda: fake)
    monkeypatch.setattr("liarsdice.server.live.timers.asyncio", fake_asyncio)
    return fake


@pytest.mark.parametrize(
    "thinking_s, steps", [(0.0, 1), (0.001, 1), (0.06, 1), (0.25, 1), (0.26, 2), (0.4, 2), (1.1, 5)]
)
async def test_a_move_appears_a_whole_number_of_steps_after_a_bot_was_asked(
    loop: FakeLoop, thinking_s: float, steps: int
) -> None:
    assert await at_answer_step(loop.think(thinking_s), 0.25) == "challenge"
    assert loop.now_s - 1_000 == pytest.approx(0.25 * steps)


async def test_without_pauses_a_move_appears_as_soon_as_the_bot_has_decided(loop: FakeLoop) -> None:
    assert await at_answer_step(loop.think(0.06), 0) == "challenge"
    assert loop.now_s - 1_000 == pytest.approx(0.06)
