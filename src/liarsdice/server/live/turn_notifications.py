"""Tells players of their turn: by web push at slow tables if their page is closed, and programs by a webhook."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from liarsdice.server.live.interfaces import TableServices, WebhookEvent
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.command_handler import change_endpoint
from liarsdice.server.table.table_state import Player, TableState, player_on_turn

TURN, MATCH_OVER = "turn", "match_over"
Moment = tuple[str, int, int]
"""What has begun at a table: the kind of event, the number of the match, and its `turn_id`."""


class TurnWebhooks:
    """Watches one table. It sends what begins while this process watches, on the node that drives the table."""

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


def moment_of(table: TableState) -> Moment | None:
    """Return what webhooks would tell of a table now, None for nothing."""
    match = table.match
    if match is None:
        return None
    if match.over:
        return MATCH_OVER, match.number, match.turn_id
    return None if player_on_turn(table) is None else (TURN, match.number, match.turn_id)


def receivers(table: TableState, moment: Moment) -> tuple[Player, ...]:
    """Return the players of the match who are told of a moment by a webhook."""
    assert table.match is not None
    on_turn = player_on_turn(table)
    players = table.players[: len(table.match.state.names)] if moment[0] == MATCH_OVER else (on_turn,)
    return tuple(player for player in players if player is not None and player.webhook and not player.gone)


def event_of(table: TableState, moment: Moment, player: Player) -> WebhookEvent:
    """Return what a player is told of a moment: nothing that not everybody at the table knows."""
    assert table.match is not None
    kind, number, turn_id = moment
    event = WebhookEvent(event=kind, table=table.code, match=number, turn_id=turn_id, player=player.id)
    if kind != MATCH_OVER:
        return event
    return msgspec.structs.replace(event, winners=table.match.state.winners, stand_ins=table.match.stand_ins)


def change_webhook(url: str, player_of: Callable[[TableState], Player]) -> Callable[[TableState], list[e.LogEntry]]:
    """Return the decision that a player's webhook goes to a URL from now on ("": nowhere); no entry if it does so.

    `player_of` returns the player, or raises.
    """

    def decide(table: TableState) -> list[e.LogEntry]:
        player = player_of(table)
        return [] if player.webhook == url else [e.WebhookChanged(player.id, url)]

    return decide


SLOW_TURN_S = 3600
"""A table whose turns last this long is a slow one: nobody waits at it with an open page."""


def watch_turns(services: TableServices, live_table: LiveTable) -> None:
    """Let players at a table be told of their turns, by web push and by webhooks."""
    TurnPush(services, live_table)
    TurnWebhooks(services, live_table)


class TurnPush:
    """Watches one table. It pushes turns that begin while this process watches, on the node that drives the table."""

    def __init__(self, services: TableServices, live_table: LiveTable) -> None:
        self._services, self._live_table = services, live_table
        self._turn: tuple[int, int, int] | None = None
        self._watching = False
        live_table.on_change.append(self._on_change)

    def _on_change(self) -> None:
        table = self._live_table.known_state
        player = None if table is None else player_on_slow_turn(table)
        turn = None
        if table is not None and table.match is not None and player is not None:
            turn = (table.match.number, table.match.turn_id, player.id)
        begins, self._turn, self._watching = turn != self._turn and self._watching, turn, True
        if player is None or not begins or not self._live_table.drives:
            return
        if not self._live_table.presence.is_connected(player.id):
            for endpoint in player.push_endpoints:
                _ = self._services.start_task(self._push(player.id, endpoint))

    async def _push(self, player_id: int, endpoint: str) -> None:
        """Push to one endpoint, and forget it if the push service says that it is gone."""
        push = self._services.web_push
        if push is None or await push.send(endpoint):
            return

        def forget(table: TableState) -> list[e.LogEntry]:
            player = table.player(player_id)
            return [] if player is None else change_endpoint(player, endpoint, wanted=False)

        await self._live_table.append(forget)


def player_on_slow_turn(table: TableState) -> Player | None:
    """Return the person for whose move a slow table waits, None if there is none."""
    turn_s = table.config.clock.turn_s
    return None if turn_s is None or turn_s < SLOW_TURN_S else player_on_turn(table)
