"""Webhooks tell the player on turn, and at the end of a match everybody who asked; never what dice are hidden."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec.structs import replace

from liarsdice.core.actions import Challenge
from liarsdice.core.rules.bids import Bid
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.interfaces import WebhookEvent
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.live.turn_news import event_of
from liarsdice.server.table import commands as c
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.table_state import TableState
from tests.server.live_tables import (
    begin_match,
    make_config,
    make_table,
    open_registry,
    token_on_turn,
    turn_id,
    wait_until_idle,
)

ANN, BO = hash_token("Ann"), hash_token("Bo")


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


async def bid(registry: TableRegistry, live_table: LiveTable, quantity: int) -> TableState:
    table = await live_table.state()
    await registry.submit(live_table, token_on_turn(table), f"bid {table.seq}", Bid(quantity, 3), turn_id(table))
    await wait_until_idle(registry, live_table.code)
    return await live_table.state()


async def test_the_player_on_turn_is_told_and_nobody_else(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table, sender = await begun(registry)
        first = len(sender.sent)
        assert first == 1
        table = await bid(registry, live_table, 1)
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


async def test_everybody_is_told_of_the_end_of_a_match_and_no_event_has_dice(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
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
                await bid(registry, live_table, 1)
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
        over, turn = ("match_over", 1, table.match.turn_id), ("turn", 1, table.match.turn_id)
        assert event_of(by_bot, over, by_bot.players[0]).stand_ins == (1,)
        assert event_of(by_bot, turn, by_bot.players[0]).stand_ins == ()


async def test_a_url_that_is_gone_is_forgotten_and_after_a_restart_the_next_turn_is_told(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table, _ = await begun(registry)
    async with open_registry(tmp_path / "db") as registry:
        registry.services.webhooks = sender = RecordingWebhooks(gone=True)
        live_table = await registry.get(live_table.code)
        assert sender.sent == [], "the turn was told before the restart"
        table = await bid(registry, live_table, 1)
        assert len(sender.sent) == 1
        told = sender.sent[0][1]
        assert [player.webhook == "" for player in table.players] == [player.id == told for player in table.players]
