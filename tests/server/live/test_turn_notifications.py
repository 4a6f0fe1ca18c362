"""Turns at a slow table are pushed to players who have no page open, also after a restart."""

from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec.structs import replace

from liarsdice.core.actions import Challenge
from liarsdice.core.rules.bids import Bid
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.live.turn_notifications import event_of
from liarsdice.server.table import commands as c
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.command_handler import MAX_ENDPOINTS
from liarsdice.server.table.table_config import SLOW_TURN_S, Clock
from liarsdice.server.table.table_state import TableState
from liarsdice.wire import WebhookEvent
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
LONGEST_TURN_S = 14 * 24 * 3600
SLOW = Clock(turn_s=LONGEST_TURN_S)


class RecordingSender:
    """Web push that only notes the endpoints, and for how long each message is kept."""

    def __init__(self, *, gone: bool = False) -> None:
        self.sent: list[str] = []
        self.ttls_s: list[int] = []
        self.gone = gone

    async def send(self, endpoint: str, ttl_s: int) -> bool:
        self.sent.append(endpoint)
        self.ttls_s.append(ttl_s)
        return not self.gone


async def bid(registry: TableRegistry, live_table: LiveTable, quantity: int) -> str:
    """Let the player on turn bid; return the token of the next one."""
    table = await live_table.state()
    await registry.submit(live_table, token_on_turn(table), f"bid {quantity}", Bid(quantity, 3), turn_id(table))
    await wait_until_idle(registry, live_table.code)
    return token_on_turn(await live_table.state())


async def slow_match(registry: TableRegistry, clock: Clock = SLOW) -> tuple[LiveTable, RecordingSender]:
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
        assert (sender.sent, sender.ttls_s) == ([ENDPOINTS[nxt]], [LONGEST_TURN_S])
    async with open_registry(tmp_path / "db") as registry:
        registry.services.web_push = sender = RecordingSender()
        live_table = await registry.get(live_table.code)
        assert sender.sent == [], "the turn was pushed before the restart"
        assert live_table.left_ms() == LONGEST_TURN_S * 1000
        nxt = await bid(registry, live_table, 2)
        assert sender.sent == [ENDPOINTS[nxt]]


async def test_nothing_is_pushed_to_who_has_a_page_open(registry: TableRegistry) -> None:
    live_table, sender = await slow_match(registry)
    for token in ENDPOINTS:
        live_table.subscribe(RecordingSubscriber(token))
    await bid(registry, live_table, 1)
    assert sender.sent == []


async def test_nothing_is_pushed_at_a_table_of_short_turns(registry: TableRegistry) -> None:
    live_table, sender = await slow_match(registry, Clock(turn_s=SLOW_TURN_S - 1))
    await bid(registry, live_table, 1)
    assert sender.sent == []


async def test_an_endpoint_that_is_gone_is_forgotten(registry: TableRegistry) -> None:
    live_table, sender = await slow_match(registry)
    sender.gone = True
    nxt = await bid(registry, live_table, 1)
    player = (await live_table.state()).player_by_token(nxt)
    assert player is not None
    assert player.push_endpoints == ()


async def test_nobody_is_told_an_endpoint_and_only_the_latest_are_kept(registry: TableRegistry) -> None:
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


class RecordingWebhooks:
    """A sender that only notes what is sent."""

    def __init__(self, *, gone: bool = False) -> None:
        self.sent: list[tuple[str, int, str, WebhookEvent]] = []
        self.still: list[Callable[[], bool]] = []
        self.gone = gone

    def check(self, url: str, address: str) -> None:
        """Take any URL."""

    def secret(self, code: str, player_id: int, url: str) -> str:
        return f"{code}{player_id}{url}"

    async def say(self, url: str, text: str) -> None:
        """Say nothing."""

    async def send(self, code: str, player_id: int, url: str, event: WebhookEvent, still: Callable[[], bool]) -> bool:
        self.sent.append((code, player_id, url, event))
        self.still.append(still)
        return not self.gone


async def begun(registry: TableRegistry) -> tuple[LiveTable, RecordingWebhooks]:
    """A match of Ann and Bo, who have webhooks."""
    live_table = await make_table(registry, "Ann", "Bo", config=make_config("basic"))
    await live_table.append(lambda _: [e.WebhookChanged(player, f"https://bots.example/{player}") for player in (1, 2)])
    registry.services.webhooks = sender = RecordingWebhooks()
    await begin_match(registry, live_table)
    await wait_until_idle(registry, live_table.code)
    return live_table, sender


async def turn_webhooks_bid(registry: TableRegistry, live_table: LiveTable, quantity: int) -> TableState:
    table = await live_table.state()
    await registry.submit(live_table, token_on_turn(table), f"bid {table.seq}", Bid(quantity, 3), turn_id(table))
    await wait_until_idle(registry, live_table.code)
    return await live_table.state()


async def test_the_player_on_turn_is_told_and_nobody_else(registry: TableRegistry) -> None:
    live_table, sender = await begun(registry)
    first = len(sender.sent)
    assert first == 1
    table = await turn_webhooks_bid(registry, live_table, 1)
    assert len(sender.sent) == first + 1
    assert table.match is not None
    player = table.players[table.match.state.turn]
    assert sender.sent[-1] == (
        live_table.code,
        player.id,
        f"https://bots.example/{player.id}",
        WebhookEvent(event="turn", table=live_table.code, match=1, turn_id=table.match.turn_id, player=player.id),
    )
    assert not sender.still[0](), "the first turn is over"
    assert sender.still[-1]()


async def test_everybody_is_told_of_the_end_of_a_match_and_no_event_has_dice(registry: TableRegistry) -> None:
    live_table, sender = await begun(registry)
    for number in range(400):
        table = await live_table.state()
        assert table.match is not None
        if table.match.over:
            break
        if table.match.verdict is not None:
            for token in (ANN, BO):
                await registry.submit(live_table, token, f"ready {number}{token[:4]}", c.Ready())
        elif table.match.state.bids:
            await registry.submit(live_table, token_on_turn(table), f"call {number}", Challenge(), turn_id(table))
        else:
            await turn_webhooks_bid(registry, live_table, 1)
        await wait_until_idle(registry, live_table.code)
    table = await live_table.state()
    assert table.match is not None
    assert table.match.over
    ends = [(player, event) for _, player, _, event in sender.sent if event.event == "match_over"]
    assert [player for player, _ in ends] == [1, 2]
    assert {event.winners for _, event in ends} == {table.match.state.winners}
    for *_, event in sender.sent:
        public = {"event", "table", "match", "turn_id", "player", "winners", "stand_ins"}
        assert set(msgspec.to_builtins(event)) == public
    by_bot = replace(table, match=replace(table.match, stand_ins=(1,)))
    assert event_of(by_bot, ("match_over", 1, 7), by_bot.players[0]).stand_ins == (1,)
    assert event_of(by_bot, ("turn", 1, 7), by_bot.players[0]).stand_ins == ()


async def test_a_url_that_is_gone_is_forgotten_and_after_a_restart_the_next_turn_is_told(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table, _ = await begun(registry)
    async with open_registry(tmp_path / "db") as registry:
        registry.services.webhooks = sender = RecordingWebhooks(gone=True)
        live_table = await registry.get(live_table.code)
        assert sender.sent == [], "the turn was told before the restart"
        table = await turn_webhooks_bid(registry, live_table, 1)
        assert len(sender.sent) == 1
        told = sender.sent[0][1]
        assert [player.webhook == "" for player in table.players] == [player.id == told for player in table.players]
