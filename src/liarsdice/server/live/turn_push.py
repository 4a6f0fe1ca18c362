"""Web push for slow tables: tells a player whose page is closed that it is their turn."""

from __future__ import annotations

from liarsdice.server.live.interfaces import TableServices
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.turn_webhooks import TurnWebhooks
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.push_endpoints import change_endpoint
from liarsdice.server.table.table_state import Player, TableState, player_on_turn

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
