"""Bots play their seats and those of people for whom they stand in; out of turn they may only call."""

import asyncio
import os
import pickle
import time
from collections.abc import Callable, Iterator

import pytest
from msgspec.structs import replace

from liarsdice.core.actions import Challenge
from liarsdice.core.bids.bid_chart import bids_in
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import WhoCalls
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.runtime.processes import DeadlineError, PoolFullError, WorkerLostError, WorkerPool
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.services import Services
from liarsdice.server.table import commands as c
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.bot_runner import (
    STAND_IN,
    BotFailure,
    BotRunner,
    _packed,
    ask_bot,
    bots_by_seat,
    load_master,
    out_of_turn_bots,
)
from liarsdice.server.table.command_handler import bot_move_entries, deal_entries
from liarsdice.server.table.dice_source import DiceSource
from liarsdice.server.table.reducer import replay_log
from liarsdice.server.table.table_state import TableState
from tests.bots.positions import position
from tests.server.live_tables import (
    PATIENCE_S,
    SharedPool,
    begin_match,
    is_over,
    make_config,
    make_table,
    shared_pool,
    wait_until,
)

ANN = hash_token("Ann")


async def test_a_bot_makes_a_legal_move_in_its_seat(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    table = await begin_match(registry, live_table)
    match = table.ongoing_match
    assert match is not None
    runner = BotRunner(shared_pool())
    answer = await runner.choose_move(table, {match.state.turn: "random"})
    assert answer is not None
    seat, move = answer
    assert seat == match.state.turn
    assert decide(match.state, seat, move)


async def test_a_bot_plays_for_a_person_while_it_stands_in(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo", bots=("threshold",))
    table = await begin_match(registry, live_table)
    bot_seat = next(seat for seat, player in enumerate(table.players) if player.bot)
    assert bots_by_seat(table) == {bot_seat: "threshold"}
    ann = table.player_by_token(ANN)
    assert ann is not None
    await registry.submit(live_table, ANN, "s", c.StandIn(ann.id, bot=True))
    assert bots_by_seat(await live_table.state()) == {bot_seat: "threshold", 0: table.config.bot}


class StrangePool(SharedPool):
    """A pool whose calls hang for the bot `champion`, and answer nonsense for the bot `greedy`."""

    def __init__(self) -> None:
        super().__init__(2, max_calls=10, name="strange")
        self.asked: list[str] = []
        self.was_asked = asyncio.Event()

    async def run(  # type: ignore[override]  # any call
        self,
        function: Callable[..., object],
        *arguments: str,
        deadline_s: float,
    ) -> object:
        bot = arguments[0]
        self.asked.append(bot)
        self.was_asked.set()
        if bot == "champion":
            return await super().run(time.sleep, PATIENCE_S, deadline_s=deadline_s)
        if bot == "greedy":
            return Bid(1000, 1000), None
        return await super().run(function, *arguments, deadline_s=PATIENCE_S)

    def close(self) -> None:
        WorkerPool.close(self)


@pytest.fixture
def strange_pool() -> Iterator[StrangePool]:
    pool = StrangePool()
    yield pool
    pool.close()


BASIC = preset("basic").ruleset


@pytest.mark.parametrize(
    "bot, failure",
    [("champion", BotFailure.LATE), ("champion@999", BotFailure.ERROR), ("greedy", BotFailure.ILLEGAL)],
)
async def test_a_stand_in_plays_on_for_a_bot_that_hangs_raises_or_misplays(
    strange_pool: StrangePool, bot: str, failure: BotFailure
) -> None:
    table = table_with_bid(BASIC)
    failures: list[tuple[str, BotFailure]] = []
    runner = BotRunner(strange_pool, deadline_s=0.1, on_failure=lambda *what: failures.append(what))
    assert table.match is not None
    for _ in range(3):
        answer = await runner.choose_move(table, {1: bot})
        assert answer is not None
        seat, move = answer
        assert decide(table.match.state, seat, move)
    assert failures == [(bot, failure)]
    assert strange_pool.asked == [bot]


async def test_a_bot_is_asked_again_if_only_too_many_were_asked_at_once() -> None:
    failures: list[BotFailure] = []
    full = WorkerPool(1, max_calls=1, name="full")
    runner = BotRunner(full, on_failure=lambda _, failure: failures.append(failure))
    table = table_with_bid(patched(BASIC, challenge__who=WhoCalls.ANYONE_BUT_BIDDER))
    assert await runner.choose_move(table, {1: "random", 2: "random"}) is not None
    assert failures == [BotFailure.BUSY]
    assert await runner.choose_move(table, {2: "random"}) == await BotRunner(shared_pool()).choose_move(
        table, {2: "random"}
    )
    full.close()


async def test_a_bot_that_hangs_stops_no_other_table(strange_pool: StrangePool) -> None:
    table = table_with_bid(BASIC)
    runner = BotRunner(strange_pool, deadline_s=PATIENCE_S)
    hanging = asyncio.create_task(runner.choose_move(table, {1: "champion"}))
    await strange_pool.was_asked.wait()
    answer = await runner.choose_move(replace(table, code="OTHER"), {1: "random"})
    assert answer is not None
    assert not hanging.done()
    runner.close()
    assert await hanging is not None


class NotingPool(SharedPool):
    """A pool whose bots note how many notes they were given, and which counts its calls."""

    def __init__(self) -> None:
        super().__init__(1, max_calls=2, name="noting")  # the one that starts it may go on
        self.given: list[object] = []

    async def run(  # type: ignore[override]  # any call
        self, function: Callable[..., object], *arguments: object, deadline_s: float
    ) -> object:
        if function is os.getpid:
            return await super().run(os.getpid, deadline_s=deadline_s)
        *_, notes = arguments
        self.given.append(notes)
        return Challenge(), len(self.given)


async def wait_until_ready(pool: WorkerPool) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not pool.ready:  # noqa: ASYNC110  a thread of the pool starts the process
            await asyncio.sleep(0.01)


async def test_a_bot_is_given_what_it_learned_in_its_seat_and_in_no_other() -> None:
    pool, table = NotingPool(), table_with_bid(BASIC)
    runner = BotRunner(pool)
    for code in ("ONE", "ONE", "TWO", "ONE"):
        assert await runner.choose_move(replace(table, code=code), {1: "champion:adaptive"}) == (1, Challenge())
    assert pool.given == [None, 1, None, 2]
    runner.close()


async def test_a_master_plays_as_the_champion_until_its_process_has_started_and_while_that_is_busy_or_late() -> None:
    table, searchers = table_with_bid(BASIC), NotingPool()
    runner = BotRunner(shared_pool(), searchers=searchers)
    as_champion = await BotRunner(shared_pool()).choose_move(table, {1: "champion"})
    assert await runner.choose_move(table, {1: "master"}) == as_champion
    await wait_until_ready(searchers)
    assert await runner.choose_move(table, {1: "master"}) == (1, Challenge())
    assert len(searchers.given) == 1

    async def fail(*_: object, **__: object) -> object:
        raise errors.pop()

    searchers.run = fail  # type: ignore[method-assign]
    errors = [PoolFullError(), DeadlineError(), WorkerLostError()]
    while errors:
        assert await runner.choose_move(table, {1: "master"}) == as_champion
    WorkerPool.close(searchers)


async def test_masters_get_another_process_after_theirs_was_lost() -> None:
    table, searchers = table_with_bid(BASIC), NotingPool()
    runner = BotRunner(shared_pool(), searchers=searchers)
    for _ in range(2):
        await runner.choose_move(table, {1: "master"})
        await wait_until_ready(searchers)
        with pytest.raises(DeadlineError):
            await WorkerPool.run(searchers, time.sleep, PATIENCE_S, deadline_s=0.01)
        assert not searchers.ready
    WorkerPool.close(searchers)


async def test_a_master_looks_ahead_in_its_own_process() -> None:
    pool = WorkerPool(1, max_calls=1, name="searches", prepare=load_master)
    runner = BotRunner(shared_pool(), searchers=pool)
    table = table_with_bid(BASIC)
    await runner.choose_move(table, {1: "master"})
    await wait_until_ready(pool)
    answer = await runner.choose_move(table, {1: "master"})
    assert answer is not None
    assert table.match is not None
    assert decide(table.match.state, *answer)
    runner.close()


async def test_a_match_whose_bots_all_hang_is_played_to_its_end(
    registry: TableRegistry, strange_pool: StrangePool
) -> None:
    services = registry.services
    assert isinstance(services, Services)
    services.bot_runner = BotRunner(strange_pool, deadline_s=0.1, on_failure=services.record_bot_failure)
    live_table = await make_table(registry, "Ann", bots=("champion", "champion"))
    await registry.submit(live_table, ANN, "begin", c.Begin())
    await registry.submit(live_table, ANN, "bot", c.StandIn(1, bot=True))
    await wait_until(live_table, is_over)
    assert strange_pool.asked.count("champion") == 2
    assert b'liarsdice_bot_failures_total{failure="late"} 2.0' in services.metrics.text()


def test_the_stand_in_plays_every_preset() -> None:
    """It is the last resort, so it is asked in the process of the server."""
    for name in preset_names():
        table = table_with_bid(preset(name).ruleset, after_bid=False)
        assert table.match is not None
        state = table.match.state
        move = ask_bot(STAND_IN, "seed", view(state, state.turn))
        assert move is not None
        assert decide(state, state.turn, move)


def table_with_bid(rules: Ruleset, *, after_bid: bool = True) -> TableState:
    """Seat 1, a person, is on turn after a bid of seat 0; seat 2 is a bot. Without `after_bid`, the round begins."""
    entries: list[e.LogEntry] = [
        e.Opened("ABCD", make_config(rules)),
        e.Joined(1, "Ann", ANN),
        e.Joined(2, "Bo", hash_token("Bo"), ""),
        e.BotJoined(3, "Wren", "random"),
        e.SeedCommitted("seed"),
        e.MatchBegan(1),
    ]
    quantity = 0
    while True:
        table = replay_log(e.LogRow(number, 0, "", entry) for number, entry in enumerate(entries, 1))
        assert table is not None
        assert table.match is not None
        state = table.match.state
        if state.phase is not Phase.BIDDING:
            entries += deal_entries(table, DiceSource())
        elif not after_bid or (state.turn == 1 and state.bids):
            return table
        else:
            quantity += 1
            entries += bot_move_entries(table, state.turn, Bid(quantity, 2), DiceSource())


@pytest.mark.parametrize("who, callers", [(WhoCalls.ANYONE_BUT_BIDDER, {2: "random"}), (WhoCalls.NEXT_PLAYER, {})])
def test_bots_may_call_out_of_turn_only_where_the_rules_let_them(who: WhoCalls, callers: dict[int, str]) -> None:
    rules = patched(preset("basic").ruleset, challenge__who=who)
    assert out_of_turn_bots(table_with_bid(rules)) == callers


def test_what_a_bot_is_sent_has_the_size_of_a_few_ranges_however_many_bids_are_legal() -> None:
    sizes = []
    for cap in (20, 1_000):
        rules = patched(preset("perudo").ruleset, bidding__cap=cap)
        seen = view(position(rules, ((4, 4), (2, 2))), 0)
        shown, bids = _packed(seen)
        sizes.append(len(pickle.dumps((shown, bids))))
        assert bids_in(bids) == seen.may_bid
    assert sizes[1] < sizes[0] + 200
