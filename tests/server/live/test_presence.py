"""Everybody at a table is told who is connected, to any node: newcomers at once, the others at a bounded rate."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from liarsdice.core.actions import Challenge, Move
from liarsdice.core.rules.bids import Bid
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.connection import Connection
from liarsdice.server.live.interfaces import Subscriber
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.node_presence import EXPIRY_S
from liarsdice.server.live.table_registry import HOST_AWAY_MS
from liarsdice.server.protocol.messages import Presence
from liarsdice.server.table import commands as c
from liarsdice.server.table.deadlines import DeadlineKind
from liarsdice.server.table.table_config import Away, Clock
from liarsdice.server.table.table_state import TableState, player_on_turn
from tests.server.live_tables import (
    PATIENCE_S,
    RecordingSubscriber,
    begin_match,
    make_config,
    make_table,
    match_of,
    open_registry,
    token_on_turn,
    turn_id,
    wait_until,
    wait_until_idle,
)
from tests.server.running_server import FROM_TABLE
from tests.server.two_nodes import TwoNodes

ANN, BO = hash_token("Ann"), hash_token("Bo")
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


async def test_every_subscriber_is_told_who_is_connected(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
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


async def test_a_subscriber_who_came_between_two_announcements_is_told_what_changed_back(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        ann, bo, spectator = WaitingSubscriber(ANN), WaitingSubscriber(BO), WaitingSubscriber("")
        subscribe_all(live_table, ann, bo, spectator)
        live_table.unsubscribe(bo)
        live_table.unsubscribe(ann)
        await spectator.wait_for(Presence((), 1))


async def test_somebody_who_sits_down_is_told_at_once_that_they_are_here(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann")
        ann, bo = RecordingSubscriber(ANN), RecordingSubscriber(BO)
        subscribe_all(live_table, ann, bo)
        await registry.take_seat(live_table, "Bo", BO, "", "1")
        assert FROM_TABLE.decode(bo.presence[-1]) == Presence((1, 2), 0), "without waiting for the next announcement"
        await registry.submit(live_table, BO, "2", c.Leave())
        assert FROM_TABLE.decode(bo.presence[-1]) == Presence((1,), 1)


async def test_a_crowd_that_comes_and_leaves_causes_a_few_announcements(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
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


async def test_a_crowd_that_leaves_does_not_overflow_the_queue_of_a_player(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann")
        ann, overflows = Connection(ANN, 0, lambda _: False), list[str]()
        ann.on_overflow = lambda: overflows.append("overflow")
        live_table.subscribe(ann)
        crowd = [RecordingSubscriber("") for _ in range(CROWD)]
        subscribe_all(live_table, *crowd)
        for spectator in crowd:
            live_table.unsubscribe(spectator)
        assert not overflows


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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, out_of_turn: bool
) -> None:
    async with open_registry(tmp_path / "db") as registry:
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
