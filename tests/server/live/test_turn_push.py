"""Turns at a slow table are pushed to players who have no page open, also after a restart."""

from __future__ import annotations

from pathlib import Path

from liarsdice.core.rules.bids import Bid
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.live.turn_news import SLOW_TURN_S
from liarsdice.server.table import commands as c
from liarsdice.server.table.command_handler import MAX_ENDPOINTS
from liarsdice.server.table.table_config import Clock
from tests.server.live_tables import (
    RecordingSubscriber,
    begin_match,
    make_config,
    make_table,
    open_registry,
    token_on_turn,
    turn_id,
    wait_until,
    wait_until_idle,
)

ANN, BO = hash_token("Ann"), hash_token("Bo")
ENDPOINTS = {ANN: "https://fcm.googleapis.com/ann", BO: "https://fcm.googleapis.com/bo"}
DAY = Clock(turn_s=24 * 3600)


class RecordingSender:
    """Web push that only notes the endpoints."""

    def __init__(self, *, gone: bool = False) -> None:
        self.sent: list[str] = []
        self.gone = gone

    async def send(self, endpoint: str) -> bool:
        self.sent.append(endpoint)
        return not self.gone


async def bid(registry: TableRegistry, live_table: LiveTable, quantity: int) -> str:
    """Let the player on turn bid; return the token of the next one."""
    table = await live_table.state()
    await registry.submit(live_table, token_on_turn(table), f"bid {quantity}", Bid(quantity, 3), turn_id(table))
    await wait_until_idle(registry, live_table.code)
    return token_on_turn(await live_table.state())


async def slow_match(registry: TableRegistry, clock: Clock = DAY) -> tuple[LiveTable, RecordingSender]:
    """A match of Ann and Bo, who have no page open and want their turns pushed."""
    live_table = await make_table(registry, "Ann", "Bo", config=make_config(clock=clock))
    for token, endpoint in ENDPOINTS.items():
        await registry.submit(live_table, token, "push", c.SetPush(endpoint, wanted=True))
    await begin_match(registry, live_table)
    await wait_until_idle(registry, live_table.code)
    sender = RecordingSender()
    registry.services.web_push = sender
    return live_table, sender


async def test_a_turn_is_pushed_to_its_player_and_after_a_restart_the_next_one_is_too(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table, sender = await slow_match(registry)
        nxt = await bid(registry, live_table, 1)
        assert sender.sent == [ENDPOINTS[nxt]]
    async with open_registry(tmp_path / "db") as registry:
        registry.services.web_push = sender = RecordingSender()
        live_table = await registry.get(live_table.code)
        assert sender.sent == [], "the turn was pushed before the restart"
        assert live_table.left_ms() == 24 * 3600 * 1000
        nxt = await bid(registry, live_table, 2)
        assert sender.sent == [ENDPOINTS[nxt]]


async def test_nothing_is_pushed_to_who_has_a_page_open(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table, sender = await slow_match(registry)
        for token in ENDPOINTS:
            live_table.subscribe(RecordingSubscriber(token))
        await bid(registry, live_table, 1)
        assert sender.sent == []


async def test_nothing_is_pushed_at_a_table_of_short_turns(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table, sender = await slow_match(registry, Clock(turn_s=SLOW_TURN_S - 1))
        await bid(registry, live_table, 1)
        assert sender.sent == []


async def test_an_endpoint_that_is_gone_is_forgotten(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table, sender = await slow_match(registry)
        sender.gone = True
        nxt = await bid(registry, live_table, 1)
        player = (await live_table.state()).player_by_token(nxt)
        assert player is not None
        assert player.push_endpoints == ()


async def test_nobody_is_told_an_endpoint_and_only_the_latest_are_kept(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table, _ = await slow_match(registry)
        others = [RecordingSubscriber(""), RecordingSubscriber(BO), RecordingSubscriber(ANN)]
        for subscriber in others:
            live_table.subscribe(subscriber)
        for number in range(MAX_ENDPOINTS + 2):
            endpoint = f"https://fcm.googleapis.com/{number}"
            await registry.submit(live_table, ANN, f"push {number}", c.SetPush(endpoint, wanted=True))
        player = (await live_table.state()).player_by_token(ANN)
        assert player is not None
        assert [endpoint[-1] for endpoint in player.push_endpoints] == ["2", "3", "4"]
        frames = [frame for subscriber in others for frame in subscriber.frames]
        assert len(frames) > 3
        assert not any(b"googleapis" in frame for frame in frames)
        await registry.submit(live_table, ANN, "no push", c.SetPush("https://fcm.googleapis.com/4", wanted=False))
        await wait_until(live_table, lambda table: len(table.players[0].push_endpoints) == 2)
