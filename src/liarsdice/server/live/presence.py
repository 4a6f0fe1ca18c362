"""Who has a page open at a table, on this node or another one, and who is told, at a bounded rate."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from liarsdice.server.live.interfaces import Subscriber, TableServices
from liarsdice.server.live.other_nodes import OpenPages
from liarsdice.server.protocol.encoding import ENCODER
from liarsdice.server.protocol.error_codes import ErrorCode
from liarsdice.server.protocol.messages import Presence, Problem
from liarsdice.server.table.table_state import TableState

NO_SPECTATORS = "only those who play may see this table"
ANNOUNCE_EVERY_S = 0.25
"""The shortest time between two announcements at one table. A crowd that comes or leaves causes a few, not hundreds."""


class TablePresence:
    """The connected players of one table and the number of its spectators. Use it on the event loop only.

    `subscribers` is the live set of the table: the announcements say what it holds when they are sent.
    """

    def __init__(self, services: TableServices, code: str, subscribers: set[Subscriber]) -> None:
        self.code = code
        self._services = services
        self._subscribers = subscribers
        self._elsewhere = services.node_presence.pages_elsewhere(code)
        self._loaded_at_ms = services.now_ms()
        self._last_here_ms: dict[int, int] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._announced = b""

    def is_connected(self, player_id: int) -> bool:
        """Return whether a player has a page open at this table, on any node."""
        return player_id in self.connected()

    def connected(self) -> set[int]:
        """Return the ids of the players who have a page open at this table, on any node."""
        here = {subscriber.player for subscriber in self._subscribers if subscriber.player is not None}
        return here.union(self._elsewhere.players)

    def away_ms(self, player_id: int) -> int:
        """Return for how many milliseconds, as far as this node knows, a player has had no page open here."""
        return self._services.now_ms() - self._last_here_ms.get(player_id, self._loaded_at_ms)

    def is_away(self, player_id: int, for_ms: int) -> bool:
        """Return whether a player has had no page open here for a time."""
        return not self.is_connected(player_id) and self.away_ms(player_id) >= for_ms

    def local_pages(self) -> OpenPages:
        """As `LocalTable.local_pages`."""
        players = {subscriber.player for subscriber in self._subscribers if subscriber.player is not None}
        watching = sum(subscriber.player is None for subscriber in self._subscribers)
        return OpenPages(tuple(sorted(players)), watching)

    def subscribers_changed(self, left: Collection[Subscriber] = ()) -> None:
        """Tell every subscriber and the other nodes that pages were opened or closed here. `left`: whose were closed.

        They are told at once, or `ANNOUNCE_EVERY_S` after the last announcement.
        """
        for subscriber in left:
            if subscriber.player is not None:
                self._last_here_ms[subscriber.player] = self._services.now_ms()
        self._services.node_presence.changed(self, empty=not self._subscribers)
        self._announce()

    def remove_spectators(self, table: TableState) -> None:
        """Disconnect the subscribers that may not see the table any more."""
        if table.is_visible_to(None):
            return
        removed = [subscriber for subscriber in self._subscribers if not table.is_visible_to(subscriber.player)]
        self._subscribers.difference_update(removed)
        for subscriber in removed:
            subscriber.end(ENCODER.encode(Problem(ErrorCode.NO_SPECTATORS, NO_SPECTATORS)))
        if removed:
            self.subscribers_changed(removed)

    def elsewhere_changed(self) -> None:
        """Take over what other nodes have told since, and tell every subscriber."""
        before, self._elsewhere = self._elsewhere, self._services.node_presence.pages_elsewhere(self.code)
        for player_id in set(before.players) - set(self._elsewhere.players):
            self._last_here_ms[player_id] = self._services.now_ms()
        self._announce()

    def greet(self, subscriber: Subscriber) -> None:
        """Tell a subscriber at once what is true now: a new one, or one who has taken or left a seat."""
        frame = self._frame()
        if frame != self._announced:
            self._announced = b""  # no longer what all of them know
        subscriber.send_presence(frame)

    def _announce(self) -> None:
        if self._timer is not None or not self._subscribers:
            return
        frame = self._frame()
        if frame == self._announced:
            return
        self._announced = frame
        for subscriber in tuple(self._subscribers):
            subscriber.send_presence(frame)
        self._timer = asyncio.get_running_loop().call_later(ANNOUNCE_EVERY_S, self._end_pause)

    def _end_pause(self) -> None:
        self._timer = None
        self._announce()

    def _frame(self) -> bytes:
        watching = self.local_pages().watching + self._elsewhere.watching
        return ENCODER.encode(Presence(tuple(sorted(self.connected())), watching))
