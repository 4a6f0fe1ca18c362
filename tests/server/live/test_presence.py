"""Everybody at a table is told who is connected: newcomers at once, the others at a bounded rate."""

import asyncio
from pathlib import Path

from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.connection import Connection
from liarsdice.server.live.interfaces import Subscriber
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.protocol.messages import Presence
from liarsdice.server.table import commands as c
from tests.server.live_tables import PATIENCE_S, RecordingSubscriber, make_table, open_registry
from tests.server.running_server import FROM_TABLE

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
        assert live_table.is_connected(1)
        assert not live_table.is_connected(2)
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
