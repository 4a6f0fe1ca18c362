"""A live table appends to its log one command at a time, and sends each subscriber what it has not received yet."""

import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import get_args

import msgspec
import pytest
from msgspec.structs import replace
from websockets.exceptions import ConnectionClosed

from liarsdice.core.actions import Challenge, Move
from liarsdice.core.engine.engine import legal
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import IllegalActionError, LiarsDiceError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import preset
from liarsdice.play.provable_dice import commitment_to
from liarsdice.server.errors import (
    ForbiddenError,
    RateLimitError,
    StoreError,
    TableNotFoundError,
    TryAgainError,
    UnreadableTableError,
)
from liarsdice.server.http.auth import hash_token
from liarsdice.server.http.websocket import Connection
from liarsdice.server.live import live_table
from liarsdice.server.live import live_table as live_table_module
from liarsdice.server.live.live_table import (
    ENTRY_BURST,
    MAX_ROWS_ON_LOOP,
    MAX_TRIES,
    MESSAGE_BURST,
    REPORT_BURST,
    SEAT_BURST,
    LiveTable,
    RecentFrames,
    load_table,
    save_snapshot,
    stored_deadline_at_ms,
)
from liarsdice.server.live.node_presence import EXPIRY_S
from liarsdice.server.live.table_registry import HOST_AWAY_MS, TableRegistry
from liarsdice.server.live.table_services import Subscriber
from liarsdice.server.protocol import encoding, views
from liarsdice.server.protocol.encoding import ENCODER
from liarsdice.server.protocol.messages import CommandRequest, Done, Presence, Problem, TableSetup
from liarsdice.server.protocol.views import public_table
from liarsdice.server.storage.audit_log import audit_path
from liarsdice.server.storage.store import LogAppend, StoredState, StoredTable
from liarsdice.server.table import commands as c
from liarsdice.server.table.deadlines import (
    AWAY_MS,
    BOT_MOVE_MS,
    PACE_FACTORS,
    Deadline,
    DeadlineKind,
    bot_delay_ms,
    program_delay_ms,
)
from liarsdice.server.table.log_entries import Joined, LogRow, Opened, Spoke, WasReady
from liarsdice.server.table.reducer import replay_log
from liarsdice.server.table.seating import BOT_NAMES, free_bot_name
from liarsdice.server.table.snapshots import Snapshot
from liarsdice.server.table.table_config import MAX_PLAYERS, Away, BanScope, Clock, Pace, TableConfig
from liarsdice.server.table.table_state import TableState, player_on_turn
from liarsdice.wire import PlayoutSpeed, Stage, Update
from tests.server.live_tables import (
    PATIENCE_S,
    START_MS,
    RecordingSubscriber,
    begin_match,
    fake_clock,
    log_of,
    make_config,
    make_table,
    match_of,
    open_registry,
    token_on_turn,
    turn_id,
    wait_until,
    wait_until_idle,
)
from tests.server.memory_store import MemoryStore
from tests.server.nodes import TwoNodes, running_nodes
from tests.server.running_server import FROM_TABLE, RunningServer, receive_all, say_hello

ANN, BO = hash_token("Ann"), hash_token("Bo")


def messages(subscriber: RecordingSubscriber) -> list[msgspec.Struct]:
    return [FROM_TABLE.decode(frame) for frame in subscriber.frames]


async def test_an_update_contains_only_the_news_since_the_last_one(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    ann = RecordingSubscriber(ANN)
    live_table.subscribe(ann)
    seq = await registry.submit(live_table, ANN, "1", c.Say("hello"))
    updates = [message for message in messages(ann) if isinstance(message, Update)]
    assert updates[-1].seq == seq
    assert [item.seq for item in updates[-1].news] == [seq]


async def test_a_command_fails_if_other_writers_are_always_faster(
    registry: TableRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    live_table = await make_table(registry, "Ann")
    tries = 0

    async def lose(_: LogAppend) -> bool:
        nonlocal tries
        tries += 1
        return False

    with monkeypatch.context() as patch:
        patch.setattr(registry.services.store, "append", lose)
        with pytest.raises(TryAgainError, match="too many commands"):
            await registry.submit(live_table, ANN, "1", c.Say("hello"))
    assert tries == MAX_TRIES
    assert await registry.submit(live_table, ANN, "1", c.Say("hello"))


@pytest.mark.parametrize("is_written", [True, False])
async def test_an_action_whose_caller_is_cancelled_is_neither_lost_nor_done_twice(
    registry: TableRegistry, monkeypatch: pytest.MonkeyPatch, *, is_written: bool
) -> None:
    """Whether the entry reached the log is unknown then, so the table is read again."""
    live_table, store = await make_table(registry, "Ann"), registry.services.store
    before = await live_table.state()
    append, appending = store.append, asyncio.Event()

    async def hang(request: LogAppend) -> bool:
        if is_written:
            await append(request)
        appending.set()
        return bool(await asyncio.get_running_loop().create_future())

    with monkeypatch.context() as patch:
        patch.setattr(store, "append", hang)
        cancelled = asyncio.create_task(registry.submit(live_table, ANN, "1", c.Say("hello")))
        await appending.wait()
        cancelled.cancel()
        assert isinstance((await asyncio.gather(cancelled, return_exceptions=True))[0], asyncio.CancelledError)
    assert (await live_table.state()).seq == before.seq + is_written
    for _ in range(2):
        assert await registry.submit(live_table, ANN, "1", c.Say("hello")) == before.seq + 1
    rows = log_of(registry, live_table.code)
    assert [row.seq for row in rows] == [*range(1, before.seq + 2)]


async def test_commands_at_one_table_wait_together_for_a_database_that_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second command does not begin to wait when the first one has waited long enough."""
    async with asyncio.timeout(60), running_nodes() as nodes:
        live_table = await make_table(nodes.registries[0], "Ann")
        seq = (await live_table.state()).seq

        async def hang(_: LogAppend) -> bool:
            return bool(await asyncio.get_running_loop().create_future())

        with monkeypatch.context() as patch:
            patch.setattr(nodes.store, "append", hang)
            patch.setattr(live_table_module, "ANSWER_TIMEOUT_S", 0.01)
            commands = [nodes.registries[0].submit(live_table, ANN, f"{number}", c.Say("hi")) for number in range(3)]
            answers = await asyncio.gather(*commands, return_exceptions=True)
        assert [type(answer) for answer in answers] == [TryAgainError] * 3
        assert await nodes.registries[0].submit(live_table, ANN, "0", c.Say("hi")) == seq + 1


DEAL = Deadline(DeadlineKind.DEAL, 2_000, ())
TURN = Deadline(DeadlineKind.TIME_UP, 2_000, (), paced=False)


def test_a_stored_deadline_is_at_most_its_whole_wait_away() -> None:
    assert stored_deadline_at_ms(TURN, 11_000, 10_000, 0.5) == 11_000
    assert stored_deadline_at_ms(TURN, 99_000, 10_000, 0.5) == 12_000
    assert stored_deadline_at_ms(DEAL, 99_000, 10_000, 0.5) == 11_000
    assert stored_deadline_at_ms(DEAL, None, 10_000, 0.5) is None


CROWD = 100


class WaitingSubscriber(RecordingSubscriber):
    """A subscriber of which a test can wait for the next message about presence."""

    def __init__(self, token_hash: str) -> None:
        super().__init__(token_hash)
        self.told = asyncio.Event()

    def send_presence(self, frame: bytes) -> None:
        super().send_presence(frame)
        self.told.set()

    async def wait_for(self, presence: Presence) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while FROM_TABLE.decode(self.presence[-1]) != presence:
                self.told.clear()
                await self.told.wait()


def subscribe_all(live_table: LiveTable, *subscribers: Subscriber) -> None:
    for subscriber in subscribers:
        live_table.subscribe(subscriber)


async def test_every_subscriber_is_told_who_is_connected(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    ann, bo, spectator = WaitingSubscriber(ANN), WaitingSubscriber(BO), WaitingSubscriber("")
    subscribe_all(live_table, ann, bo, spectator)
    assert FROM_TABLE.decode(spectator.presence[0]) == Presence((1, 2), 1), "a newcomer is told at once"
    await ann.wait_for(Presence((1, 2), 1))
    live_table.unsubscribe(bo)
    assert live_table.presence.is_connected(1)
    assert not live_table.presence.is_connected(2)
    await ann.wait_for(Presence((1,), 1))
    await spectator.wait_for(Presence((1,), 1))


async def test_a_subscriber_who_came_between_two_announcements_is_told_what_changed_back(
    registry: TableRegistry,
) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    ann, bo, spectator = WaitingSubscriber(ANN), WaitingSubscriber(BO), WaitingSubscriber("")
    subscribe_all(live_table, ann, bo, spectator)
    live_table.unsubscribe(bo)
    live_table.unsubscribe(ann)
    await spectator.wait_for(Presence((), 1))


async def test_somebody_who_sits_down_is_told_at_once_that_they_are_here(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann")
    ann, bo = RecordingSubscriber(ANN), RecordingSubscriber(BO)
    subscribe_all(live_table, ann, bo)
    await registry.take_seat(live_table, "Bo", BO, "", "1")
    assert FROM_TABLE.decode(bo.presence[-1]) == Presence((1, 2), 0), "without waiting for the next announcement"
    await registry.submit(live_table, BO, "2", c.Leave())
    assert FROM_TABLE.decode(bo.presence[-1]) == Presence((1,), 1)


async def test_a_crowd_that_comes_and_leaves_causes_a_few_announcements(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann")
    ann = WaitingSubscriber(ANN)
    live_table.subscribe(ann)
    crowd = [RecordingSubscriber("") for _ in range(CROWD)]
    subscribe_all(live_table, *crowd)
    await ann.wait_for(Presence((1,), CROWD))
    for spectator in crowd:
        live_table.unsubscribe(spectator)
    await ann.wait_for(Presence((1,), 0))
    assert len(ann.presence) < 10


async def test_a_crowd_that_leaves_does_not_overflow_the_queue_of_a_player(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann")
    ann, overflows = Connection(ANN, 0, lambda _: False), list[str]()
    ann.on_overflow = lambda: overflows.append("overflow")
    live_table.subscribe(ann)
    crowd = [RecordingSubscriber("") for _ in range(CROWD)]
    subscribe_all(live_table, *crowd)
    for spectator in crowd:
        live_table.unsubscribe(spectator)
    assert not overflows


async def test_twenty_people_play_a_whole_match_before_a_crowd(registry: TableRegistry) -> None:
    """Everybody calls the second bid of a round. A page is sent a few kilobytes for each move, spectators no more."""
    names = ("Ann", *(f"Player {number}" for number in range(2, MAX_PLAYERS + 1)))
    live_table = await make_table(registry, *names, config=make_config("basic", seats=MAX_PLAYERS, hints=True))
    assert free_bot_name(await live_table.state()) in BOT_NAMES
    player, spectator = RecordingSubscriber(ANN), RecordingSubscriber("")
    subscribe_all(live_table, player, spectator, *(RecordingSubscriber("") for _ in range(CROWD)))
    table, move, most = await begin_match(registry, live_table), 0, 0
    while table.stage is Stage.PLAYING:
        match = match_of(table)
        if match.state.phase is Phase.BIDDING:
            move += 1
            action = Challenge() if match.state.bids else legal(match.state).bids[0]
            await registry.submit(live_table, token_on_turn(table), f"move {move}", action, turn_id(table))
        else:
            for name in names:
                with suppress(LiarsDiceError):  # whoever is out is not asked
                    await registry.submit(live_table, hash_token(name), f"ready {move}", c.Ready())
        table = await wait_until(live_table, lambda table: table.stage is not Stage.PLAYING or is_at_rest(table))
        most = max(most, *(len(frame) for frame in (player.frames + spectator.frames)[-8:]))
    shown = public_table(table, None).match
    assert shown is not None
    assert shown.places.count(1) == 1
    assert match_of(table).state.round_number >= MAX_PLAYERS * 5 - 5
    assert most < 16 * 1024
    assert len(spectator.frames) <= len(player.frames)


def is_at_rest(table: TableState) -> bool:
    """Whether somebody's move, or a look at a reveal, is awaited."""
    match = table.ongoing_match
    return match is not None and (match.state.phase is Phase.BIDDING or match.verdict is not None)


@pytest.mark.parametrize(
    "config, waits_ms",
    [
        (make_config(away=Away.BOT), AWAY_MS),
        (make_config(away=Away.WAIT), None),
        (make_config(away=Away.BOT, clock=Clock(60, 30)), 80_000),
    ],
)
async def test_everybody_is_told_when_a_bot_plays_for_the_player_on_turn_who_is_away(
    registry: TableRegistry, config: TableConfig, waits_ms: int | None
) -> None:
    """With a clock, when the time is up; else a while after the player closed or hid the page."""
    live_table = await make_table(registry, "Ann", "Bo", config=config)
    pages = {1: WaitingSubscriber(ANN), 2: WaitingSubscriber(BO)}
    subscribe_all(live_table, *pages.values())
    player = player_on_turn(await begin_match(registry, live_table))
    assert player is not None
    page, (other_id, other) = pages.pop(player.id), pages.popitem()
    fake_clock(registry).time_ms += 10_000
    live_table.look(page, looking=False)
    await other.wait_for(Presence((other_id,), 0, waits_ms))
    live_table.look(page, looking=True)
    await other.wait_for(Presence((1, 2), 0))
    live_table.look(page, looking=False)
    fake_clock(registry).time_ms += 5_000
    live_table.unsubscribe(page)  # it was hidden before, so nothing has changed since
    spectator = RecordingSubscriber("")
    live_table.subscribe(spectator)
    left_ms = None if waits_ms is None else waits_ms - 5_000
    assert FROM_TABLE.decode(spectator.presence[0]) == Presence((other_id,), 1, left_ms)
    if left_ms is not None:
        fake_clock(registry).time_ms += left_ms
        await registry.submit(live_table, other.token_hash, "say", c.Say("hello?"))  # sets the timers again
        await wait_until(live_table, lambda table: any(player.stand_in for player in table.players))
        await other.wait_for(Presence((other_id,), 1))


async def test_people_are_told_who_is_connected_to_another_node() -> None:
    nodes = TwoNodes()
    live_table = await make_table(nodes.first, "Ann", "Bo")
    ann, bo, spectator = WaitingSubscriber(ANN), WaitingSubscriber(BO), WaitingSubscriber("")
    live_table.subscribe(ann)
    other = await nodes.second.get(live_table.code)
    subscribe_all(other, bo, spectator)
    nodes.pass_seconds(1)
    await ann.wait_for(Presence((1, 2), 1))
    await bo.wait_for(Presence((1, 2), 1))
    other.unsubscribe(bo)
    nodes.pass_seconds(1)
    await ann.wait_for(Presence((1,), 1))
    newcomer = RecordingSubscriber("")
    live_table.subscribe(newcomer)
    assert FROM_TABLE.decode(newcomer.presence[0]) == Presence((1,), 2)


async def test_a_table_that_is_loaded_later_knows_who_is_connected_to_another_node() -> None:
    nodes = TwoNodes()
    live_table = await make_table(nodes.first, "Ann", "Bo")
    live_table.subscribe(RecordingSubscriber(ANN))
    nodes.pass_seconds(1)
    other = await nodes.second.get(live_table.code)
    assert other.presence.is_connected(1)
    assert not other.presence.is_connected(2)


async def test_a_host_who_is_connected_to_another_node_is_not_away() -> None:
    """A killed node makes the host away once the others notice, and not at once."""
    nodes = TwoNodes()
    live_table = await make_table(nodes.first, "Ann", "Bo")
    (await nodes.second.get(live_table.code)).subscribe(RecordingSubscriber(ANN))
    nodes.pass_seconds(HOST_AWAY_MS // 1000 + 1)
    with pytest.raises(ForbiddenError, match="the host is here"):
        await nodes.first.submit(live_table, BO, "early", c.MakeHost(2))
    nodes.kill(1)
    nodes.pass_seconds(round(EXPIRY_S) + HOST_AWAY_MS // 1000 - 1)
    with pytest.raises(ForbiddenError, match="a moment ago"):
        await nodes.first.submit(live_table, BO, "soon", c.MakeHost(2))
    nodes.pass_seconds(1)
    await nodes.first.submit(live_table, BO, "late", c.MakeHost(2))
    assert (await live_table.state()).host == 2


@pytest.mark.parametrize("way", ["the same page", "another device", "another node"])
async def test_whoever_opens_the_table_again_has_the_seat_at_once(way: str) -> None:
    nodes = TwoNodes()
    config = make_config(clock=Clock(5), away=Away.BOT)
    live_table = await make_table(nodes.first, "Ann", "Bo", config=config)
    table = await begin_match(nodes.first, live_table)
    player, token = player_on_turn(table), token_on_turn(table)
    assert player is not None
    page = RecordingSubscriber(token)
    live_table.subscribe(page)
    live_table.unsubscribe(page)
    for services in nodes.services:
        services.pace = 100.0  # a bot would move after minutes
    nodes.pass_seconds(5)
    await nodes.first.submit(live_table, ANN, "say", c.Say("hello?"))  # any change sets the timers again
    await wait_until(live_table, lambda table: any(player.stand_in for player in table.players))
    assert live_table.deadline is not None
    assert live_table.deadline.kind is DeadlineKind.BOT_MOVE
    if way == "another device":
        token = hash_token("phone")
        await nodes.first.add_device(live_table, player.id, token)
    opened_at = await nodes.second.get(live_table.code) if way == "another node" else live_table
    opened_at.subscribe(RecordingSubscriber(token))
    after = await wait_until(opened_at, lambda table: not any(player.stand_in for player in table.players))
    assert turn_id(after) == turn_id(table)
    assert (back := player_on_turn(after)) is not None
    assert back.id == player.id
    assert opened_at.left_ms() == 5_000
    for services in nodes.services:
        await services.close()


@pytest.mark.parametrize("out_of_turn", [False, True])
async def test_a_bot_that_thinks_when_the_player_comes_back_does_nothing(
    registry: TableRegistry, monkeypatch: pytest.MonkeyPatch, *, out_of_turn: bool
) -> None:
    live_table = await make_table(registry, "Ann", "Bo", "Cem", config=make_config("official"))
    table = await begin_match(registry, live_table)
    if out_of_turn:
        await registry.submit(live_table, token_on_turn(table), "bid", Bid(15, 6), turn_id(table))
    table = await live_table.state()
    seat = (match_of(table).state.turn + (1 if out_of_turn else 0)) % 3
    came_back = asyncio.Event()

    async def come_back(_: TableState, __: Mapping[int, str]) -> tuple[int, Move]:
        live_table.subscribe(RecordingSubscriber(hash_token(table.players[seat].name)))
        came_back.set()
        return seat, Challenge() if out_of_turn else Bid(1, 2)

    monkeypatch.setattr(registry.services.bot_runner, "choose_move", come_back)
    await registry.submit(live_table, ANN, "bot", c.StandIn(table.players[seat].id, bot=True))
    async with asyncio.timeout(PATIENCE_S):
        await came_back.wait()
    await wait_until_idle(registry, live_table.code)
    after = await live_table.state()
    assert not after.players[seat].stand_in
    assert turn_id(after) == turn_id(table)


async def test_no_bot_takes_the_seat_of_a_player_who_is_connected_to_another_node() -> None:
    """Their time is up, so a bot makes this move, but they keep their seat."""
    nodes = TwoNodes()
    config = make_config(clock=Clock(5), away=Away.BOT)
    live_table = await make_table(nodes.first, "Ann", "Bo", config=config)
    table = await begin_match(nodes.first, live_table)
    late = token_on_turn(table)
    (await nodes.second.get(live_table.code)).subscribe(RecordingSubscriber(late))
    nodes.second.stop()  # only the first node acts
    nodes.pass_seconds(5)
    await nodes.first.submit(live_table, ANN, "say", c.Say("hello?"))  # any change sets the timers again
    table = await wait_until(live_table, lambda table: table.match is not None and bool(table.match.state.bids))
    assert not any(player.stand_in for player in table.players)
    for services in nodes.services:
        await services.close()


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How many seconds moves have waited, without waiting."""
    delays = list[float]()

    async def sleep(delay_s: float) -> None:
        delays.append(delay_s)

    monkeypatch.setattr("liarsdice.server.live.live_table.asyncio", SimpleNamespace(**vars(asyncio) | {"sleep": sleep}))
    return delays


async def table_with_a_program(registry: TableRegistry) -> LiveTable:
    """Ann's table, at which Bo's seat is held by a program."""
    live_table = await make_table(registry, "Ann", config=make_config("classic"))
    await registry.take_seat(live_table, "Bo", BO, "", "sit", program=True)
    return live_table


async def table_on_the_program_s_turn(registry: TableRegistry, live_table: LiveTable) -> TableState:
    table = await begin_match(registry, live_table)
    assert table.match is not None
    if table.match.state.turn == 0:
        await registry.submit(live_table, ANN, "open", Bid(1, 2), turn_id(table))
    return await live_table.state()


async def test_a_program_moves_when_a_bot_would(registry: TableRegistry, slept: list[float]) -> None:
    live_table = await table_with_a_program(registry)
    table = await table_on_the_program_s_turn(registry, live_table)
    assert slept == [], "people wait for nothing"
    fake_clock(registry).pace = 1.0
    fake_clock(registry).time_ms += 500
    await registry.submit(live_table, BO, "move", Bid(2, 3), turn_id(table))
    assert slept == [pytest.approx((program_delay_ms(table, 1) - 500) / 1000)]
    await registry.submit(live_table, BO, "move", Bid(2, 3), turn_id(table))
    await registry.submit(live_table, BO, "say", c.Say("hello"))
    assert len(slept) == 1, "a repeated move and talk wait for nothing"


async def test_a_program_that_has_thought_for_long_waits_no_more(registry: TableRegistry, slept: list[float]) -> None:
    live_table = await table_with_a_program(registry)
    table = await table_on_the_program_s_turn(registry, live_table)
    fake_clock(registry).pace = 1.0
    fake_clock(registry).time_ms += 60_000
    await registry.submit(live_table, BO, "move", Bid(2, 3), turn_id(table))
    assert slept == [0.0]


async def test_the_pace_of_the_table_counts_up_to_half_a_turn(registry: TableRegistry) -> None:
    live_table = await table_with_a_program(registry)
    table = await table_on_the_program_s_turn(registry, live_table)
    normal_ms = program_delay_ms(table, 1)
    assert normal_ms >= BOT_MOVE_MS[0]
    relaxed = replace(table, config=replace(table.config, pace=Pace.RELAXED))
    assert program_delay_ms(relaxed, 1) == round(normal_ms * PACE_FACTORS[Pace.RELAXED])
    fast = replace(relaxed, config=replace(relaxed.config, clock=Clock(turn_s=5)))
    assert program_delay_ms(fast, 1) == min(2_500, program_delay_ms(relaxed, 1))
    assert table.match is not None
    assert program_delay_ms(table, 0) == bot_delay_ms(table.match), "out of turn"
    assert program_delay_ms(replace(table, match=None), 0) == 0


async def test_the_messages_to_a_crowd_that_comes_at_once_are_built_once(
    registry: TableRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = list[str]()

    def count_setup(table: TableState) -> TableSetup:
        built.append("setup")
        return views.table_setup(table)

    monkeypatch.setattr(encoding, "table_setup", count_setup)
    live_table = await make_table(registry, "Ann")
    crowd = [RecordingSubscriber("") for _ in range(CROWD)]
    for spectator in crowd:
        live_table.subscribe(spectator)
    assert built == ["setup"]
    assert {tuple(map(id, spectator.frames)) for spectator in crowd} == {tuple(map(id, crowd[0].frames))}


async def test_somebody_who_comes_after_a_change_receives_the_new_state(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann")
    before, after = RecordingSubscriber(""), RecordingSubscriber("")
    live_table.subscribe(before)
    seq = await registry.submit(live_table, ANN, "1", c.Lock(locked=True))
    live_table.subscribe(after)
    setup, update = map(FROM_TABLE.decode, after.frames)
    assert isinstance(setup, TableSetup)
    assert isinstance(update, Update)
    assert (setup.locked, update.seq) == (True, seq)


async def test_somebody_who_comes_later_receives_the_time_that_is_left_then(
    registry: TableRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_table, "KEPT_S", 0)
    table = await (await make_table(registry, "Ann")).state()
    recent, later = RecentFrames(), asyncio.Event()
    frames = recent.of(table, lambda: 2_000)
    assert recent.of(table, lambda: 1_999) is frames
    asyncio.get_running_loop().call_later(0, later.set)
    await later.wait()
    assert recent.of(table, lambda: 1_000) is not frames


def test_tables_with_the_same_rules_share_one_bid_chart() -> None:
    first, second = (make_config(patched(preset("perudo").ruleset, dice__per_player=7)) for _ in range(2))
    charts = [views.table_setup(TableState(code="FLEA", config=config)).cells for config in (first, second)]
    assert charts[0] is charts[1]


RULES = patched(preset("perudo").ruleset, penalties=(Penalty(trigger=PenaltyTrigger.ASKS_WHOSE_TURN),))
CONFIG = make_config(RULES)
CONNECTIONS, ROUNDS = 20, 8
PUSH = "https://fcm.googleapis.com/x"
TOGGLES: dict[type[c.TableCommand], tuple[c.TableCommand, ...]] = {
    c.Say: (c.Say("hello"),),
    c.Begin: (c.Begin(),),
    c.NotYet: (c.NotYet(),),
    c.Ready: (c.Ready(),),
    c.Leave: (c.Leave(),),
    c.AcceptRules: (c.AcceptRules(),),
    c.PlayOut: (c.PlayOut(PlayoutSpeed.FAST), c.PlayOut(PlayoutSpeed.NORMAL)),
    c.GuessCall: (c.GuessCall(0, right=True), c.GuessCall(1, right=False)),
    c.ChooseFace: (c.ChooseFace(1), c.ChooseFace(2)),
    c.SetPush: (c.SetPush(PUSH, wanted=True), c.SetPush(PUSH, wanted=False)),
    c.Report: (c.Report(2), c.Report(3)),
    c.CommitSeed: tuple(c.CommitSeed(commitment_to(seed * 32)) for seed in "ab"),
    c.RevealSeed: (c.RevealSeed("a" * 32), c.RevealSeed("b" * 32)),
    c.Accuse: (c.Accuse(2, PenaltyTrigger.ASKS_WHOSE_TURN), c.AnswerPenalty(1, take=False)),
    c.AnswerPenalty: (c.AnswerPenalty(1, take=True), c.AnswerPenalty(1, take=False)),
    c.Arrange: (c.Arrange((3, 2, 1)), c.Arrange((1, 2, 3))),
    c.AddBot: (c.AddBot("random"), c.Remove(4)),
    c.Remove: (c.Remove(3), c.LiftBan(3)),
    c.LiftBan: (c.Remove(2, BanScope.FOR_GOOD), c.LiftBan(2)),
    c.AnswerSeat: (c.AnswerSeat(1, give=True), c.AnswerSeat(1, give=False)),
    c.Lock: (c.Lock(locked=True), c.Lock(locked=False)),
    c.Mute: (c.Mute(2, muted=True), c.Mute(2, muted=False)),
    c.Pause: (c.Pause(paused=True), c.Pause(paused=False)),
    c.StandIn: (c.StandIn(2, bot=True), c.StandIn(2, bot=False)),
    c.MakeHost: (c.MakeHost(2), c.MakeHost(1)),
    c.Change: (c.Change(CONFIG), c.Change(make_config(RULES, hints=True))),
}
MOST_ENTRIES_EACH = 2
"""`Leave` and `Begin` append two entries, and so does a penalty."""


def test_every_command_is_walked() -> None:
    assert set(TOGGLES) == {*get_args(c.PlainTableCommand), c.Change}


@pytest.mark.parametrize("kind", TOGGLES, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("in_match", [False, True])
async def test_what_a_seat_appends_is_bounded(
    kind: type[c.TableCommand], registry: TableRegistry, *, in_match: bool
) -> None:
    """Ann, who is the host, and Bo and somebody without a seat each send the same from twenty connections."""
    live_table = await make_table(registry, "Ann", "Bo", "Cy", config=CONFIG)
    if in_match:
        await begin_match(registry, live_table)
    before, refused = (await live_table.state()).seq, Counter[str]()
    for number in range(CONNECTIONS * ROUNDS):
        for name in ("Ann", "Bo", "Nobody"):
            command = TOGGLES[kind][number % len(TOGGLES[kind])]
            if isinstance(command, c.AnswerPenalty):
                open_now = (await live_table.state()).accusations
                command = c.AnswerPenalty(open_now[0].number if open_now else 1, command.take)
            try:
                await registry.submit(live_table, hash_token(name), f"{number}", command)
            except LiarsDiceError as error:
                refused[type(error).__name__] += 1
    appended = (await live_table.state()).seq - before
    assert appended <= 2 * MOST_ENTRIES_EACH * ENTRY_BURST
    if appended > ENTRY_BURST * MOST_ENTRIES_EACH:
        assert refused[RateLimitError.__name__]


async def test_a_seat_says_one_line_a_second(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    said = 0
    for number in range(100):
        fake_clock(registry).time_ms += 100
        try:
            await registry.submit(live_table, ANN, f"{number}", c.Say("hello"))
        except RateLimitError:
            continue
        said += 1
    assert said == 10
    await registry.submit(live_table, BO, "bo", c.Say("hello"))


async def test_a_report_reaches_the_audit_log_a_few_times_and_only_from_a_seat(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        fake_clock(registry).key_base = tmp_path / "db"
        live_table = await make_table(registry, "Ann", "Bo", "Cy")
        await registry.submit(live_table, BO, "say", c.Say("something bad"))
        for reporter, player, error in (("Eve", 2, ForbiddenError), ("Ann", 1, IllegalActionError)):
            with pytest.raises(error):
                await registry.submit(live_table, hash_token(reporter), "report", c.Report(player))
        before = (await live_table.state()).seq
        for number in range(REPORT_BURST):
            await registry.submit(live_table, hash_token("Cy"), f"{number}", c.Report(2))
        with pytest.raises(RateLimitError):
            await registry.submit(live_table, hash_token("Cy"), "more", c.Report(2))
        assert (await live_table.state()).seq == before
        lines = [json.loads(line) for line in audit_path(tmp_path / "db").read_text().splitlines()]
        assert [line["outcome"] for line in lines] == ["reported"] * REPORT_BURST
        assert lines[0]["arguments"]["said"] == "something bad"


async def test_sitting_down_and_leaving_is_bounded_for_an_address(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann")
    sat = 0
    for number in range(3 * SEAT_BURST):
        token_hash = hash_token(f"guest {number}")
        try:
            await registry.take_seat(live_table, f"Guest {number}", token_hash, "", "sit", "192.0.2.1")
        except RateLimitError:
            continue
        sat += 1
        await registry.submit(live_table, token_hash, "go", c.Leave())
    assert sat == SEAT_BURST
    await registry.take_seat(live_table, "Cy", hash_token("Cy"), "", "sit", "192.0.2.2")


async def test_all_connections_of_a_seat_have_one_budget_of_messages(server: RunningServer) -> None:
    """The clock stands still, so the budgets are not refilled."""
    ann = server.browser()
    code = await server.open_table(ann)
    done = 0
    for number in range(3):
        async with server.connect(code, ann) as socket:
            await say_hello(socket)
            with suppress(ConnectionClosed):
                for face in range(MESSAGE_BURST + 1):
                    request = CommandRequest(f"{number}-{face}", c.ChooseFace(1 + face % 2))
                    await socket.send(ENCODER.encode(request).decode())
            answers = await receive_all(socket)
            done += sum(isinstance(answer, Done) for answer in answers)
            assert isinstance(answers[-1], Problem)
    assert done <= MESSAGE_BURST


OPENED = LogRow(1, START_MS, "", Opened("ABCD", make_config()))


class FailingStore(MemoryStore):
    async def load_state(self, code: str) -> StoredState | None:  # noqa: ARG002  as `Store` has it
        raise StoreError("cannot be read just now")

    async def save_snapshot(self, code: str, snapshot: Snapshot) -> None:
        raise StoreError(f"{code} cannot be written at {snapshot.seq}")


@pytest.mark.parametrize(
    "rows, error",
    [
        (None, TableNotFoundError),
        ((), UnreadableTableError),
        ((LogRow(1, START_MS, "", WasReady(1)),), UnreadableTableError),
        ((OPENED, LogRow(2, START_MS, "", WasReady(1))), UnreadableTableError),
    ],
)
async def test_a_log_that_leads_to_no_state_is_refused(
    rows: tuple[LogRow, ...] | None, error: type[LiarsDiceError]
) -> None:
    store = MemoryStore()
    if rows is not None:
        store.tables["ABCD"] = StoredTable(rows, None)
    with pytest.raises(error, match=r"ABCD|the log of a table"):
        await load_table(store, "ABCD")


async def test_a_database_that_fails_is_to_be_tried_again() -> None:
    with pytest.raises(TryAgainError):
        await load_table(FailingStore(), "ABCD")


async def test_a_table_is_loaded_with_its_deadline() -> None:
    store = MemoryStore()
    store.tables["ABCD"] = StoredTable((OPENED,), START_MS + 5)
    loaded = await load_table(store, "ABCD")
    assert (loaded.state.code, loaded.state.seq, loaded.due_at_ms) == ("ABCD", 1, START_MS + 5)


async def test_a_long_log_without_a_snapshot_is_loaded_and_then_has_one() -> None:
    rows = (OPENED, LogRow(2, START_MS, "", Joined(1, "Ann", "token")))
    talk = tuple(LogRow(seq, START_MS, "", Spoke(1, f"line {seq}")) for seq in range(3, 3 * MAX_ROWS_ON_LOOP))
    store = MemoryStore()
    store.tables["ABCD"] = StoredTable((*rows, *talk), None)
    loaded = await load_table(store, "ABCD")
    assert (loaded.state, loaded.snapshot_seq) == (replay_log((*rows, *talk)), 0)
    await save_snapshot(store, loaded.state)
    again = await load_table(store, "ABCD")
    assert (again.state, again.snapshot_seq) == (loaded.state, loaded.state.seq)


async def test_a_snapshot_that_cannot_be_written_changes_nothing() -> None:
    store = FailingStore()
    await save_snapshot(store, TableState(code="ABCD", config=make_config()))
    assert store.snapshots == {}
