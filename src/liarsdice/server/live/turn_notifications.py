"""Tells players of their turn: by web push at slow tables if their page is closed, and programs by a webhook."""

from __future__ import annotations

from typing import Literal

import msgspec

from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_services import TableServices
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.command_handler import change_endpoint
from liarsdice.server.table.table_state import Player, TableState, player_on_turn
from liarsdice.wire import WebhookEvent

EventKind = Literal["turn", "match_over"]
Moment = tuple[EventKind, int, int]
"""What has begun at a table: the kind of event, the number of the match, and its `turn_id`."""


class TurnNotifications:
    """Watches one table. It tells what begins while this process watches, on the node that drives the table."""

    def __init__(self, services: TableServices, live_table: LiveTable) -> None:
        self._services, self._live_table = services, live_table
        self._moment: Moment | None = None
        self._watching = False
        live_table.on_change.append(self._on_change)

    def _on_change(self) -> None:
        table = self._live_table.known_state
        moment = None if table is None else moment_of(table)
        begins, self._moment, self._watching = moment != self._moment and self._watching, moment, True
        if table is None or moment is None or not begins or not self._live_table.drives:
            return
        if self._services.webhooks is not None:
            for player in receivers(table, moment):
                _ = self._services.start_task(self._send(player, moment, event_of(table, moment, player)))
        player_to_push, clock = player_on_turn(table), table.config.clock
        if player_to_push is None or clock.turn_s is None or not clock.slow:
            return
        if not self._live_table.presence.is_connected(player_to_push.id):
            for endpoint in player_to_push.push_endpoints:
                _ = self._services.start_task(self._push(player_to_push.id, endpoint, clock.turn_s))

    async def _send(self, player: Player, moment: Moment, event: WebhookEvent) -> None:
        """Send an event of a moment, and forget the webhook if its URL is gone."""
        webhooks = self._services.webhooks
        if webhooks is None or await webhooks.send(
            self._live_table.code, player.id, player.webhook, event, still=lambda: self._moment == moment
        ):
            return

        def forget(table: TableState) -> list[e.LogEntry]:
            known = table.player(player.id)
            return [] if known is None or known.webhook != player.webhook else [e.WebhookChanged(player.id, "")]

        await self._live_table.append(forget)

    async def _push(self, player_id: int, endpoint: str, turn_s: int) -> None:
        """Push to one endpoint, and forget it if the push service says that it is gone."""
        push = self._services.web_push
        if push is None or await push.send(endpoint, turn_s):
            return

        def forget(table: TableState) -> list[e.LogEntry]:
            player = table.player(player_id)
            return [] if player is None else change_endpoint(player, endpoint, wanted=False)

        await self._live_table.append(forget)


def moment_of(table: TableState) -> Moment | None:
    """Return what webhooks would tell of a table now, None for nothing."""
    match = table.match
    if match is None:
        return None
    if match.over:
        return "match_over", match.number, match.turn_id
    return None if player_on_turn(table) is None else ("turn", match.number, match.turn_id)


def receivers(table: TableState, moment: Moment) -> tuple[Player, ...]:
    """Return the players of the match who are told of a moment by a webhook."""
    assert table.match is not None
    on_turn = player_on_turn(table)
    players = table.players[: len(table.match.state.names)] if moment[0] == "match_over" else (on_turn,)
    return tuple(player for player in players if player is not None and player.webhook and not player.gone)


def event_of(table: TableState, moment: Moment, player: Player) -> WebhookEvent:
    """Return what a player is told of a moment: nothing that not everybody at the table knows."""
    assert table.match is not None
    kind, number, turn_id = moment
    event = WebhookEvent(event=kind, table=table.code, match=number, turn_id=turn_id, player=player.id)
    if kind != "match_over":
        return event
    return msgspec.structs.replace(event, winners=table.match.state.winners, stand_ins=table.match.stand_ins)
