"""Tables in a server: matches go on by themselves, commands are handled once, and restarts lose nothing."""

import asyncio
import gc
import sqlite3
import weakref
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import msgspec
import pytest

from liarsdice.core.actions import Challenge, Move
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.play.verify_record import verify_record
from liarsdice.server.errors import ForbiddenError, NewerEntryError, StaleError, StoreError, TableNotFoundError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.http.websocket import CLOSED_RESTARTING, handle_message
from liarsdice.server.live import table_registry
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.node_presence import EXPIRY_S
from liarsdice.server.live.table_registry import (
    CHECK_EVERY_MS,
    CLOSED_PER_S,
    FIRST_AFTER_MS,
    GRACE_MS,
    IDLE_MS,
    MAX_DELETED,
    MAX_SPREAD_S,
    SILENT_AFTER_S,
    STARTING_GRACE_MS,
    STEP_S,
    TableRegistry,
    close_gradually,
)
from liarsdice.server.protocol.messages import CommandRequest, ErrorCode, error_code
from liarsdice.server.storage.rows import read_row
from liarsdice.server.storage.store import StoredState
from liarsdice.server.table import commands as c
from liarsdice.server.table import reducer, snapshots
from liarsdice.server.table.bot_runner import BotRunner
from liarsdice.server.table.reducer import replay_log
from liarsdice.server.table.snapshots import take_snapshot
from liarsdice.server.table.table_config import Clock
from liarsdice.server.table.table_state import TableState
from tests import chance
from tests.server import live_tables
from tests.server.live_tables import (
    PATIENCE_S,
    FakeClockServices,
    RecordingSubscriber,
    begin_match,
    fake_clock,
    is_over,
    log_of,
    make_config,
    make_table,
    match_of,
    open_registry,
    record_in,
    token_on_turn,
    turn_id,
    wait_until,
    wait_until_idle,
)
from tests.server.memory_store import MemoryStore
from tests.server.nodes import LocalEventBus, Nodes, TwoNodes, running_nodes
from tests.server.running_server import RunningServer, close_code, say_hello

ANN, BO = hash_token("Ann"), hash_token("Bo")


@pytest.mark.parametrize("rules", ["classic+aces+palifico+calza", "perudo", "mustache", "official", "snyd-stairs"])
async def test_bots_play_a_match_to_its_end_and_its_dice_can_be_verified(registry: TableRegistry, rules: str) -> None:
    live_table = await make_table(
        registry, "Ann", config=make_config(rules, seats=4), bots=("inference", "random", "threshold")
    )
    await registry.submit(live_table, ANN, "begin", c.Begin())
    ann = (await live_table.state()).players[0].id
    await registry.submit(live_table, ANN, "bot", c.StandIn(ann, bot=True))
    table = await wait_until(live_table, is_over)
    assert table.match is not None
    rows = log_of(registry, live_table.code)
    assert [row.seq for row in rows] == list(range(1, table.seq + 1))
    signer = fake_clock(registry).signer
    unsigned = record_in(rows, 1)
    assert unsigned is not None
    verified = verify_record(unsigned.signed(signer).encode(), keys=[signer.public_key], promise=table.match.promise)
    assert verified.dice.rounds == table.match.state.round_number
    assert record_in(rows, 2) is None


async def test_no_record_of_a_match_is_published_before_its_end(registry: TableRegistry) -> None:
    live_table = await table_in_match(registry)
    rows = log_of(registry, live_table.code)
    assert record_in(rows, 1) is None


async def table_in_match(registry: TableRegistry, *, rules: str = "perudo") -> LiveTable:
    live_table = await make_table(registry, "Ann", "Bo", config=make_config(rules))
    await begin_match(registry, live_table)
    return live_table


async def test_a_request_is_handled_once_however_much_the_others_did_meanwhile(
    registry: TableRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 32
    monkeypatch.setattr(reducer, "MAX_HANDLED_REQUESTS", most)
    live_table = await make_table(registry, "Ann", "Bo")
    seq = await registry.submit(live_table, ANN, "hello", c.Say("hello"))
    for number in range(2 * most):
        fake_clock(registry).time_ms += 1_000
        await registry.submit(live_table, BO, f"w{number}", c.Say(f"line {number}"))
    assert await registry.submit(live_table, ANN, "hello", c.Say("hello")) == seq
    assert (await live_table.state()).seq == seq + 2 * most


async def test_a_repeated_request_is_handled_once(registry: TableRegistry) -> None:
    live_table = await table_in_match(registry)
    table = await live_table.state()
    token_hash = token_on_turn(table)
    first = await registry.submit(live_table, token_hash, "a1", Bid(2, 3), turn_id(table))
    assert await registry.submit(live_table, token_hash, "a1", Bid(2, 3), turn_id(table)) == first
    after = await live_table.state()
    assert after.match is not None
    assert len(after.match.state.bids) == 1
    assert after.seq == first


async def test_a_move_for_an_earlier_turn_is_stale(registry: TableRegistry) -> None:
    live_table = await table_in_match(registry)
    table = await live_table.state()
    await registry.submit(live_table, token_on_turn(table), "a1", Bid(2, 3), turn_id(table))
    with pytest.raises(StaleError):
        await registry.submit(live_table, token_on_turn(await live_table.state()), "a2", Challenge(), turn_id(table))


async def test_an_illegal_move_changes_nothing(registry: TableRegistry) -> None:
    live_table = await table_in_match(registry)
    table = await live_table.state()
    with pytest.raises(IllegalActionError):
        await registry.submit(live_table, token_on_turn(table), "a1", Challenge(), turn_id(table))
    assert (await live_table.state()).seq == table.seq


async def test_only_the_host_begins_and_strangers_can_do_nothing(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    with pytest.raises(ForbiddenError, match="host"):
        await registry.submit(live_table, BO, "x", c.Begin())
    with pytest.raises(ForbiddenError, match="only players at this table"):
        await registry.submit(live_table, hash_token("Eve"), "x", c.Say("hello"))
    with pytest.raises(ForbiddenError, match="only players at this table"):
        await registry.submit(live_table, "", "x", c.Say("hello"))


async def test_names_are_unique_and_seats_limited(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo", config=make_config(seats=3))
    with pytest.raises(MalformedError, match="another name"):
        await registry.take_seat(live_table, "bo", hash_token("b2"), "", "s")
    await registry.take_seat(live_table, "Cy", hash_token("Cy"), "", "s")
    with pytest.raises(IllegalActionError, match="all 3 seats"):
        await registry.take_seat(live_table, "Di", hash_token("Di"), "", "s")


async def test_two_servers_with_one_database_agree() -> None:
    """SQLite serves one process, so the database here is one in memory."""
    store, buses = MemoryStore(), list[LocalEventBus]()
    services = [FakeClockServices(store, event_bus=LocalEventBus(buses)) for _ in range(2)]
    first, second = map(TableRegistry, services)
    live_table = await make_table(first, "Ann", "Bo")
    other = await second.get(live_table.code)
    await first.submit(live_table, ANN, "1", c.Say("one"))
    await second.submit(other, BO, "1", c.Say("two"))
    services[0].time_ms += 1_000
    await first.submit(live_table, ANN, "2", c.Say("three"))
    rows = store.tables[live_table.code].rows
    texts = [row.entry.text for row in rows if hasattr(row.entry, "text")]
    assert texts == ["one", "two", "three"]
    assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
    for service in services:
        await service.close()


async def test_a_table_is_the_same_after_a_restart(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await table_in_match(registry)
        before = await live_table.state()
        code = live_table.code
    async with open_registry(tmp_path / "db") as registry:
        after = await (await registry.get(code.lower())).state()
    assert after == before


@pytest.mark.parametrize("code", ["ZZZZ", "../x", "", "O0O0", "ABCDEFGHJ"])
async def test_an_unknown_code_is_refused(registry: TableRegistry, code: str) -> None:
    with pytest.raises(TableNotFoundError):
        await registry.get(code)


async def test_a_log_does_not_grow_without_end_by_talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, snapshot_every = 32, 32
    monkeypatch.setattr(snapshots, "KEPT_ENTRIES", kept)
    monkeypatch.setattr(snapshots, "SNAPSHOT_EVERY", snapshot_every)
    monkeypatch.setattr(reducer, "MAX_HANDLED_REQUESTS", kept)
    monkeypatch.setattr(reducer, "MAX_REQUEST_AGE", kept)
    monkeypatch.setattr(reducer, "MAX_NEWS", kept)
    longest = kept + snapshot_every + 5
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        for number in range(2 * longest):
            fake_clock(registry).time_ms += 1_000
            await registry.submit(live_table, ANN, f"w{number}", c.Say(f"line {number}"))
        await wait_until_idle(registry, live_table.code)
        before, code = await live_table.state(), live_table.code
        rows = log_of(registry, code)
        assert before.seq > 2 * longest
        assert len(rows) <= longest
        assert replay_log(rows) == before
    async with open_registry(tmp_path / "db") as registry:
        loaded = await registry.services.store.load_state(code)
        assert loaded is not None
        assert len(loaded.rows) < snapshot_every
        assert await (await registry.get(code)).state() == before


async def test_the_end_of_a_match_is_a_snapshot(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", config=make_config(seats=2), bots=("random",))
    await registry.submit(live_table, ANN, "begin", c.Begin())
    await registry.submit(live_table, ANN, "bot", c.StandIn(1, bot=True))
    await wait_until(live_table, is_over)
    await wait_until_idle(registry, live_table.code)
    loaded = await registry.services.store.load_state(live_table.code)
    assert loaded is not None
    assert loaded.snapshot == await live_table.state()
    assert loaded.rows == ()


def known_tables() -> list[LiveTable | TableState]:
    """The tables and states that the garbage collector knows; a type is looked at, because a proxy may be dead."""
    return [found for found in gc.get_objects() if type(found) in (LiveTable, TableState)]


async def test_an_unloaded_table_leaves_nothing_for_the_garbage_collector() -> None:
    services = FakeClockServices(MemoryStore())
    registry = TableRegistry(services)
    gc.collect()
    before = {id(table): table for table in known_tables()}  # of earlier tests, whose codes may be the same
    gc.disable()
    try:
        live_table = await make_table(registry, "Ann", bots=("random",))
        live_table.subscribe(RecordingSubscriber(hash_token("Ann")))
        await registry.submit(live_table, hash_token("Ann"), "begin", c.Begin())
        await registry.submit(live_table, hash_token("Ann"), "leave", c.Leave())
        code = (await wait_until(live_table, is_over)).code
        await wait_until_idle(registry, code)
        unloaded = weakref.ref(live_table)
        registry.unload(code)
        del live_table
        assert unloaded() is None
        with pytest.raises(TableNotFoundError):
            await registry.get("ZZZZ")
        assert not [kept.code for kept in known_tables() if id(kept) not in before]
    finally:
        gc.enable()


async def test_tables_of_tests_have_the_same_code_and_dice_in_every_run(tmp_path: Path) -> None:
    runs = []
    for name in ("first", "second"):
        chance.reseed("a run")
        async with open_registry(tmp_path / name) as registry:
            live_table = await make_table(registry, "Ann", "Bo")
            table = await begin_match(registry, live_table)
            runs.append((live_table.code, match_of(table).state.hands))
    assert runs[0] == runs[1]


async def test_a_test_that_waits_for_what_cannot_come_fails(
    registry: TableRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_tables, "STANDSTILL_S", 0.01)
    live_table = await make_table(registry, "Ann", "Bo")
    await begin_match(registry, live_table)
    with pytest.raises(AssertionError, match="nothing more happens at the table"):
        await wait_until(live_table, is_over)


class Connections:
    """Connections that count how many are closed before each pause, and in which order."""

    def __init__(self, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.closed: list[int] = []
        self.closed_before_pauses: list[int] = []
        self.closings = [partial(self.closed.append, number) for number in range(count)]
        monkeypatch.setattr("liarsdice.server.live.table_registry.asyncio.sleep", self._pause)

    async def _pause(self, _: float) -> None:
        self.closed_before_pauses.append(len(self.closed))


async def test_few_connections_are_closed_at_the_usual_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    connections = Connections(100, monkeypatch)
    await close_gradually(connections.closings, lambda: False)
    step = round(CLOSED_PER_S * STEP_S)
    assert connections.closed_before_pauses == list(range(step, 100, step))
    assert sorted(connections.closed) == list(range(100))
    assert connections.closed != sorted(connections.closed)


async def test_however_many_connections_are_closed_within_a_short_time(monkeypatch: pytest.MonkeyPatch) -> None:
    connections = Connections(20_000, monkeypatch)
    await close_gradually(connections.closings, lambda: False)
    assert len(connections.closed_before_pauses) < MAX_SPREAD_S / STEP_S
    assert len(connections.closed) == 20_000


async def test_an_operator_who_does_not_want_to_wait_closes_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    connections = Connections(1_000, monkeypatch)
    await close_gradually(connections.closings, lambda: bool(connections.closed))
    assert len(connections.closed_before_pauses) == 1
    assert len(connections.closed) == 1_000


async def test_the_pages_of_a_table_that_is_given_up_connect_again(server: RunningServer) -> None:
    browser = server.browser()
    code = await server.open_table(browser)
    async with server.connect(code, browser) as socket:
        await say_hello(socket)
        server.registry.unload(code)
        assert await close_code(socket) == CLOSED_RESTARTING


@pytest.fixture
async def nodes() -> AsyncIterator[Nodes]:
    async with running_nodes() as nodes:
        yield nodes


async def page_at(nodes: TwoNodes) -> RecordingSubscriber:
    """A page that is open at a table of the first node."""
    live_table = await make_table(nodes.first, "Ann", "Bo")
    page = RecordingSubscriber(hash_token("Ann"))
    live_table.subscribe(page)
    return page


class Database:
    """What becomes of the heartbeat of a node: it takes `takes_s`, and then fails for a reason, if there is one."""

    def __init__(self, nodes: TwoNodes, monkeypatch: pytest.MonkeyPatch) -> None:
        self.takes_s = 0.0
        self.fails: BaseException | None = TimeoutError()
        self._now_s = 1000.0
        monkeypatch.setattr(nodes.first.database_silence, "_now_s", lambda: self._now_s)
        monkeypatch.setattr(nodes.store, "heartbeat", self._heartbeat)

    async def _heartbeat(self, _: int) -> None:
        await asyncio.sleep(0)
        self._now_s += self.takes_s
        if self.fails is not None:
            raise failure(self.fails)


def failure(cause: BaseException) -> StoreError:
    error = StoreError("the database does not work")
    error.__cause__ = cause
    return error


async def test_the_pages_of_a_node_connect_elsewhere_while_its_database_answers_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The whole way: what a node does every second fails without an answer."""
    monkeypatch.setattr(table_registry, "SWEEP_S", 0)
    nodes = TwoNodes()
    page, database = await page_at(nodes), Database(nodes, monkeypatch)
    database.takes_s = 2.0
    running = asyncio.create_task(nodes.first.run())
    await until(lambda: page.handed_over)
    assert nodes.first.database_silence.lasts
    database.fails = None
    await until(lambda: not nodes.first.database_silence.lasts)
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not holds():  # noqa: ASYNC110  the condition depends on a task
            await asyncio.sleep(0)


async def listen(nodes: TwoNodes) -> None:
    with suppress(StoreError):
        await nodes.first.database_silence.listen()


async def test_a_short_silence_of_the_database_moves_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = TwoNodes()
    page, database = await page_at(nodes), Database(nodes, monkeypatch)
    for takes_s, moved in ((SILENT_AFTER_S - 1, False), (1, True)):
        database.takes_s = takes_s
        await listen(nodes)
        assert (page.handed_over, nodes.first.database_silence.lasts) == (moved, moved)


@pytest.mark.parametrize("alone", [False, True])
async def test_pages_stay_while_no_other_node_could_serve_them_better(
    alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = TwoNodes()
    page, database = await page_at(nodes), Database(nodes, monkeypatch)
    database.takes_s = SILENT_AFTER_S
    if alone:
        nodes.kill(1)
        nodes.pass_seconds(30)
    else:
        database.fails = ConnectionRefusedError()
    await listen(nodes)
    assert not page.handed_over
    assert not nodes.first.database_silence.lasts


async def test_a_node_that_waits_for_a_free_connection_is_busy_and_keeps_its_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Moving the pages of a busy node would make the others busy, too."""
    monkeypatch.setattr(table_registry, "SWEEP_S", 0)
    nodes = TwoNodes()
    page, database = await page_at(nodes), Database(nodes, monkeypatch)
    database.fails, database.takes_s = None, SILENT_AFTER_S
    waits = 0

    async def wait_in_vain() -> None:
        nonlocal waits
        waits += 1
        raise failure(TimeoutError())

    monkeypatch.setattr(nodes.services[0], "follow_database_clock", wait_in_vain)
    running = asyncio.create_task(nodes.first.run())
    await until(lambda: waits == 3)
    assert not page.handed_over
    assert not nodes.first.database_silence.lasts
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running


async def test_a_node_whose_database_answers_nothing_sends_new_pages_elsewhere(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = server.browser()
    code = await server.open_table(browser)
    monkeypatch.setattr(table_registry.DatabaseSilence, "lasts", True)
    async with server.connect(code, browser) as socket:
        assert await close_code(socket) == CLOSED_RESTARTING


TURN_S = 30


async def test_pages_at_one_node_see_what_happens_at_another(nodes: Nodes) -> None:
    first, second = nodes.registries
    live_table = await make_table(first, "Ann", "Bo")
    other = await second.get(live_table.code)
    page = RecordingSubscriber(BO)
    other.subscribe(page)
    page.frames.clear()
    seq = await first.submit(live_table, ANN, "w", c.Say("hello"))
    await wait_until(other, lambda table: table.seq == seq)
    assert [msgspec.json.decode(frame)["type"] for frame in page.frames] == ["update"]
    assert other.known_state == live_table.known_state


async def test_a_lost_message_costs_one_comparison(nodes: Nodes) -> None:
    first, second = nodes.registries
    live_table = await make_table(first, "Ann", "Bo")
    other = await second.get(live_table.code)
    nodes.lose_messages()
    await first.submit(live_table, ANN, "w", c.Say("hello"))
    assert other.known_state != live_table.known_state
    await nodes.round(1)
    assert other.known_state == live_table.known_state


async def test_after_a_gap_of_the_bus_tables_are_compared_at_once(nodes: Nodes) -> None:
    first, second = nodes.registries
    live_table = await make_table(first, "Ann", "Bo")
    other = await second.get(live_table.code)
    await nodes.round(1)
    nodes.lose_messages()
    await first.submit(live_table, ANN, "w", c.Say("hello"))
    await nodes.round(1)
    assert other.known_state != live_table.known_state, "comparing is not due yet"
    nodes.buses[1].gap_count += 1
    await nodes.round(1)
    assert other.known_state == live_table.known_state


async def test_a_bot_is_asked_once_a_turn_although_several_nodes_have_the_table_loaded() -> None:
    """The command of a person who uses another node may arrive while a bot thinks; that turn is asked twice."""
    async with running_nodes(3) as nodes:
        live_table = await make_table(nodes.registries[0], "Ann", bots=("threshold", "random"))
        for registry in nodes.registries[1:]:
            await registry.get(live_table.code)
        await nodes.registries[1].submit(await nodes.registries[1].get(live_table.code), ANN, "b", c.Begin())
        driver = await nodes.registries[2].get(live_table.code)
        await nodes.registries[2].submit(driver, ANN, "s", c.StandIn(1, bot=True))
        await wait_until(driver, is_over)
        turns = [(match, turn) for _, match, turn in nodes.bot_turns]
        assert len(turns) > 10
        assert len(turns) - len(set(turns)) <= 1


async def test_talk_through_another_node_leaves_the_bot_to_the_node_that_asked_it(nodes: Nodes) -> None:
    first, second = nodes.registries
    live_table = await make_table(first, "Ann", bots=("random",))
    thinking, answer = asyncio.Event(), asyncio.Event()
    choose_move = first.services.bot_runner.choose_move

    async def think(table: TableState, bots: Mapping[int, str]) -> tuple[int, Move] | None:
        thinking.set()
        await answer.wait()
        return await choose_move(table, bots)

    first.services.bot_runner.choose_move = think  # type: ignore[method-assign]
    await begin_match(first, live_table)
    await first.submit(live_table, ANN, "s", c.StandIn(1, bot=True))
    await thinking.wait()
    other = await second.get(live_table.code)
    seq = await second.submit(other, ANN, "talk", c.Say("hello"))
    await wait_until(live_table, lambda table: table.seq >= seq)
    answer.set()
    await wait_until(live_table, is_over)
    turns = [(match, turn) for _, match, turn in nodes.bot_turns]
    assert {node for node, _, _ in nodes.bot_turns} == {0}
    assert len(turns) == len(set(turns)) > 1


async def test_a_table_whose_node_died_goes_on_at_another_after_the_grace(nodes: Nodes) -> None:
    first, second = nodes.registries
    live_table = await make_table(first, "Ann", "Bo", config=make_config(clock=Clock(TURN_S, 0)))
    before = await begin_match(first, live_table)
    await wait_until_idle(first, live_table.code)
    first.stop()
    nodes.pass_time(TURN_S * 1000 + GRACE_MS)
    await nodes.round(1)
    assert live_table.code not in second.loaded_codes
    nodes.pass_time(1)
    await nodes.round(1)
    after = await wait_until(await second.get(live_table.code), lambda table: turn_id(table) > turn_id(before))
    assert after.ongoing_match is not None
    assert len(after.ongoing_match.state.bids) == 1


async def test_no_node_takes_over_a_table_on_which_another_acts(nodes: Nodes) -> None:
    first, second = nodes.registries
    live_table = await make_table(first, "Ann", bots=("random",))
    thinking, answer = asyncio.Event(), asyncio.Event()

    async def think(_: TableState, __: Mapping[int, str]) -> None:
        thinking.set()
        await answer.wait()

    first.services.bot_runner.choose_move = think  # type: ignore[assignment, method-assign]
    await begin_match(first, live_table)
    await first.submit(live_table, ANN, "s", c.StandIn(1, bot=True))
    await thinking.wait()
    for _ in range(6):
        nodes.pass_time(GRACE_MS // 2)
        await nodes.round(0)
        await nodes.round(1)
    assert live_table.code not in second.loaded_codes
    first.stop()
    answer.set()
    await asyncio.wait(fake_clock(first).running_tasks)
    nodes.pass_time(GRACE_MS + 1)
    await nodes.round(1)
    assert live_table.code in second.loaded_codes or fake_clock(second).running_tasks


async def test_a_request_that_another_node_has_handled_is_not_handled_again(nodes: Nodes) -> None:
    first, second = nodes.registries
    live_table = await make_table(first, "Ann", "Bo")
    table = await begin_match(first, live_table)
    other = await second.get(live_table.code)
    nodes.lose_messages()
    token_hash = token_on_turn(table)
    seq = await first.submit(live_table, token_hash, "bid", Bid(2, 3), turn_id(table))
    assert await second.submit(other, token_hash, "bid", Bid(2, 3), turn_id(table)) == seq


async def test_a_move_is_judged_by_the_newest_state(nodes: Nodes) -> None:
    first, second = nodes.registries
    live_table = await make_table(first, "Ann", "Bo")
    table = await begin_match(first, live_table)
    other = await second.get(live_table.code)
    nodes.lose_messages()
    await first.submit(live_table, token_on_turn(table), "bid", Bid(2, 3), turn_id(table))
    table = await live_table.state()
    await second.submit(other, token_on_turn(table), "answer", Bid(3, 3), turn_id(table))
    assert (await other.state()).seq > table.seq


async def test_a_table_that_is_gone_does_not_hold_up_the_others(nodes: Nodes) -> None:
    first, second = nodes.registries
    gone, changed = [await make_table(first, "Ann", "Bo") for _ in range(2)]
    seq = await second.submit(await second.get(changed.code), ANN, "w", c.Say("hello"))
    nodes.store.tables.pop(gone.code)
    await nodes.round(0)
    assert changed.known_state is not None
    assert changed.known_state.seq == seq


async def test_nodes_start_a_process_for_bots_when_a_match_begins_or_another_node_has_begun_it(nodes: Nodes) -> None:
    first, second = nodes.registries
    with_bot, without = await make_table(first, "Ann", bots=("random",)), await make_table(first, "Ann", "Bo")
    for live_table in (without, with_bot):
        await first.submit(live_table, ANN, "begin", c.Begin())
        await second.get(live_table.code)
        await wait_until_idle(second, live_table.code)
        for registry in (first, second):
            assert registry.services.bot_runner.started == (live_table is with_bot)


async def test_a_node_that_stops_drives_nothing_and_still_handles_commands(nodes: Nodes) -> None:
    first, second = nodes.registries
    live_table = await make_table(first, "Ann", bots=("random",), config=make_config(clock=Clock(TURN_S, 0)))
    first.stop()
    await first.submit(live_table, ANN, "b", c.Begin())
    nodes.pass_time(60_000)
    await nodes.round(0)
    await wait_until(await second.get(live_table.code), lambda table: table.match is not None)
    assert not first.acts_now(live_table.code) or not fake_clock(first).running_tasks
    other = await second.get(live_table.code)
    before = await other.state()
    await nodes.round(1)
    await wait_until(other, lambda table: table.seq > before.seq)
    assert other.drives


async def test_a_table_with_entries_of_a_newer_release_is_read_again_and_not_given_up(nodes: Nodes) -> None:
    registry = nodes.registries[1]
    code = (await make_table(nodes.registries[0], "Ann", "Bo")).code
    load_state = nodes.store.load_state

    async def load_newer(_: str) -> StoredState | None:
        read_row(code, (7, 1_000, "", b'{"type":"teleported","player":1}'))
        return None

    nodes.store.load_state = load_newer  # type: ignore[assignment, method-assign]
    for _ in range(2):
        with pytest.raises(NewerEntryError, match="newer release; try again") as refused:
            await registry.get(code)
        assert error_code(refused.value) is ErrorCode.TRY_AGAIN
    nodes.store.load_state = load_state  # type: ignore[method-assign]
    assert (await registry.get(code)).code == code
    assert registry.unreadable_codes == set()


RETENTION_ANN = hash_token("Ann")
DAY_MS = 24 * 3600 * 1000


async def pass_time(registry: TableRegistry, ms: int) -> None:
    """Let time pass, then sweep as often as deleting a few tables takes."""
    fake_clock(registry).time_ms += ms
    for _ in range(3):
        await registry.sweep()


async def is_kept(registry: TableRegistry, code: str) -> bool:
    return await registry.services.store.load_state(code) is not None


async def test_a_table_is_deleted_with_all_that_belongs_to_it(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        fake_clock(registry).keep_ms = 2 * DAY_MS
        live_table = await make_table(registry, "Ann", "Bo")
        store, code = registry.services.store, live_table.code
        await store.save_snapshot(code, take_snapshot(await live_table.state()))
        await store.save_ticket("ticket", code, 1, 10**15)
        await pass_time(registry, 2 * DAY_MS)
        assert await is_kept(registry, code)
        await pass_time(registry, CHECK_EVERY_MS)
        with pytest.raises(TableNotFoundError):
            await registry.get(code)
        assert b"liarsdice_deleted_tables_total 1.0" in fake_clock(registry).metrics.text()
    with closing(sqlite3.connect(tmp_path / "db")) as connection:
        for query in ("tables", "entries", "snapshots", "tickets"):
            assert connection.execute(f"SELECT count(*) FROM {query}").fetchone() == (0,), query  # noqa: S608


async def test_all_tables_are_kept_unless_a_time_is_set(registry: TableRegistry) -> None:
    code = (await make_table(registry, "Ann")).code
    await pass_time(registry, 1_000 * DAY_MS)
    assert await is_kept(registry, code)


async def test_a_table_with_somebody_connected_is_kept(registry: TableRegistry) -> None:
    fake_clock(registry).keep_ms = DAY_MS
    live_table = await make_table(registry, "Ann")
    subscriber = RecordingSubscriber("")
    live_table.subscribe(subscriber)
    await pass_time(registry, 10 * DAY_MS)
    assert await is_kept(registry, live_table.code)
    live_table.unsubscribe(subscriber)
    await pass_time(registry, CHECK_EVERY_MS)
    assert not await is_kept(registry, live_table.code)


async def test_a_table_is_kept_while_the_clock_of_its_match_runs(registry: TableRegistry) -> None:
    fake_clock(registry).keep_ms = 3_600_000
    config = make_config(clock=Clock(24 * 3600))
    live_table = await make_table(registry, "Ann", "Bo", config=config)
    await begin_match(registry, live_table)
    await pass_time(registry, 2 * 3_600_000)
    assert live_table.code not in registry.loaded_codes
    assert await is_kept(registry, live_table.code)


async def test_a_change_keeps_a_table(registry: TableRegistry) -> None:
    fake_clock(registry).keep_ms = 2 * DAY_MS
    live_table = await make_table(registry, "Ann")
    await pass_time(registry, DAY_MS)
    loaded = await registry.get(live_table.code)
    await registry.submit(loaded, RETENTION_ANN, "s", c.Say("still here"))
    await pass_time(registry, DAY_MS + IDLE_MS)
    assert await is_kept(registry, live_table.code)


async def test_old_tables_are_deleted_a_few_at_a_time_and_not_at_once_after_a_start(registry: TableRegistry) -> None:
    codes = []
    for _ in range(MAX_DELETED + 2):
        fake_clock(registry).time_ms += 1
        codes.append((await make_table(registry, "Ann")).code)
    later_ms = fake_clock(registry).time_ms + 10 * DAY_MS
    fake_clock(registry).time_ms = later_ms
    await registry.services.store.heartbeat(later_ms)
    fake_clock(registry).keep_ms = DAY_MS
    registry.stop()
    for code in codes:
        registry.unload(code)
    restarted = TableRegistry(registry.services)
    await restarted.sweep()
    assert [await is_kept(restarted, code) for code in codes] == [True] * len(codes)
    fake_clock(registry).time_ms += FIRST_AFTER_MS
    await restarted.sweep()
    assert [await is_kept(restarted, code) for code in codes] == [False] * MAX_DELETED + [True] * 2
    await restarted.sweep()
    assert [await is_kept(restarted, code) for code in codes] == [False] * len(codes)


async def test_one_of_two_nodes_deletes_and_the_other_one_forgets() -> None:
    nodes = TwoNodes()
    for services in nodes.services:
        services.keep_ms = DAY_MS
    code = (await make_table(nodes.first, "Ann")).code
    nodes.first.unload(code)
    await nodes.second.get(code)
    for services in nodes.services:
        services.time_ms += 2 * DAY_MS
    await nodes.second.sweep()
    assert code in nodes.store.tables, "the second node does not delete"
    await nodes.second.get(code)
    await nodes.first.sweep()
    assert code not in nodes.store.tables
    nodes.network.deliver()
    assert not nodes.second.loaded_codes
    with pytest.raises(TableNotFoundError):
        await nodes.second.get(code)


async def test_a_table_with_somebody_connected_to_another_node_is_kept() -> None:
    nodes = TwoNodes()
    nodes.services[0].keep_ms = DAY_MS
    used, unused = [(await make_table(nodes.first, "Ann")).code for _ in range(2)]
    for code in (used, unused):
        nodes.first.unload(code)
    (await nodes.second.get(used)).subscribe(RecordingSubscriber(""))
    nodes.pass_seconds(1)
    for services in nodes.services:
        services.time_ms += 2 * DAY_MS
    await nodes.first.sweep()
    assert list(nodes.store.tables) == [used]


async def test_the_other_node_deletes_once_the_first_one_is_gone() -> None:
    nodes = TwoNodes()
    nodes.services[1].keep_ms = DAY_MS
    code = (await make_table(nodes.first, "Ann")).code
    for services in nodes.services:
        services.time_ms += 2 * DAY_MS
    nodes.kill(0)
    await nodes.second.sweep()
    assert code in nodes.store.tables
    nodes.pass_seconds(round(EXPIRY_S) + 1)
    await nodes.second.sweep()
    assert code not in nodes.store.tables


async def leave_tables(nodes: Nodes, count: int) -> list[str]:
    """The codes of tables whose turns are over, and whose node does nothing any more."""
    registry = nodes.registries[0]
    codes = []
    for _ in range(count):
        live_table = await make_table(registry, "Ann", "Bo", config=make_config(clock=Clock(TURN_S, 0)))
        await begin_match(registry, live_table)
        await wait_until_idle(registry, live_table.code)
        codes.append(live_table.code)
    registry.stop()
    nodes.pass_time(TURN_S * 1000)
    return codes


async def finish_tasks(registry: TableRegistry) -> None:
    while tasks := fake_clock(registry).running_tasks:
        await asyncio.wait(tasks)


async def test_one_round_takes_over_every_table_that_is_due_and_a_few_at_a_time(
    nodes: Nodes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(table_registry, "MAX_CLAIMED", 2)
    monkeypatch.setattr(table_registry, "MAX_LOADING", 3)
    codes = await leave_tables(nodes, 5)
    nodes.pass_time(GRACE_MS + 1)
    await nodes.round(1)
    await finish_tasks(nodes.registries[1])
    assert nodes.registries[1].loaded_codes == set(codes)
    assert all([(await nodes.registries[1].get(code)).drives for code in codes])


async def test_a_node_whose_process_for_bots_is_starting_leaves_tables_to_the_others(
    nodes: Nodes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await leave_tables(nodes, 1)
    monkeypatch.setattr(BotRunner, "starting", True)
    nodes.pass_time(GRACE_MS + 1)
    await nodes.round(1)
    assert nodes.registries[1].loaded_codes == set()
    nodes.pass_time(STARTING_GRACE_MS - GRACE_MS)
    await nodes.round(1)
    assert nodes.registries[1].loaded_codes


async def test_a_node_whose_process_for_bots_is_starting_does_not_keep_the_table_that_waits_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another node, whose bots are ready, takes it over."""
    postponed: list[Sequence[tuple[str, int, int]]] = []
    async with running_nodes() as nodes:
        first = nodes.registries[0]
        live_table = await make_table(first, "Ann", "Bo")
        monkeypatch.setattr("liarsdice.server.live.timers.TableTimers.acting", True)

        async def record(due_times: Sequence[tuple[str, int, int]]) -> None:
            postponed.append([*due_times])

        monkeypatch.setattr(nodes.store, "postpone", record)
        await nodes.round(0)
        monkeypatch.setattr(BotRunner, "starting", True)
        await nodes.round(0)
    assert [[code for code, _, _ in times] for times in postponed] == [[live_table.code], []]


async def test_pages_at_a_node_that_cannot_read_what_a_newer_one_has_written_connect_to_another() -> None:
    async with running_nodes(old_releases=1) as nodes:
        first, old = nodes.registries
        live_table, readable = [await make_table(first, "Ann", "Bo") for _ in range(2)]
        pages = []
        for table in (live_table, readable):
            pages.append(RecordingSubscriber(BO))
            (await old.get(table.code)).subscribe(pages[-1])
        nodes.old_stores[0].newer_codes.add(live_table.code)
        for table in (live_table, readable):
            await first.submit(table, ANN, "w", c.Say("hello"))
        await finish_tasks(old)
        assert [page.handed_over for page in pages] == [True, False]
        assert old.loaded_codes == {readable.code}
        assert old.unreadable_codes == set()


async def test_a_command_that_only_a_newer_node_can_handle_is_left_to_it() -> None:
    """With an answer, the page would not send it again."""
    async with running_nodes(old_releases=1) as nodes:
        first, old = nodes.registries
        live_table = await make_table(first, "Ann", "Bo")
        other = await old.get(live_table.code)
        nodes.lose_messages()
        nodes.old_stores[0].newer_codes.add(live_table.code)
        seq = await first.submit(live_table, ANN, "w", c.Say("hello"))
        message = msgspec.json.encode(CommandRequest("1", c.Say("hi"))).decode()
        with pytest.raises(NewerEntryError):
            await handle_message(old, other, BO, message)
        assert (await nodes.store.heads([live_table.code]))[live_table.code] == seq


async def test_a_node_leaves_the_deadlines_of_tables_that_it_cannot_read_to_the_others() -> None:
    async with running_nodes(old_releases=1) as nodes:
        code, other_code = await leave_tables(nodes, 2)
        nodes.old_stores[0].newer_codes.add(code)
        for _ in range(2):
            nodes.pass_time(GRACE_MS + 1)
            await nodes.round(1)
            await finish_tasks(nodes.registries[1])
        claimed = nodes.store.tables[code].due_at_ms
        assert claimed == nodes.store.time_ms - GRACE_MS - 1, "it was claimed twice"
        assert nodes.registries[1].loaded_codes == {other_code}
