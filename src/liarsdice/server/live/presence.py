"""Announces which players are connected to a table, at a bounded rate."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from liarsdice.server.live.interfaces import Subscriber
from liarsdice.server.protocol.encoding import ENCODER
from liarsdice.server.protocol.messages import Presence

ANNOUNCE_EVERY_S = 0.25
"""The shortest time between two announcements at one table. A crowd that comes or leaves causes a few, not hundreds."""


class PresenceAnnouncer:
    """Announces the connected players of one table and the number of its spectators. Use it on the event loop only.

    `subscribers` is the live collection of the table: the announcements say what it holds when they are sent.
    """

    def __init__(self, subscribers: Collection[Subscriber]) -> None:
        self._subscribers = subscribers
        self._timer: asyncio.TimerHandle | None = None
        self._announced = b""

    def announce(self) -> None:
        """Tell every subscriber what has changed: at once, or `ANNOUNCE_EVERY_S` after the last announcement."""
        if self._timer is not None or not self._subscribers:
            return
        frame = self._frame()
        if frame == self._announced:
            return
        self._announced = frame
        for subscriber in tuple(self._subscribers):
            subscriber.send_presence(frame)
        self._timer = asyncio.get_running_loop().call_later(ANNOUNCE_EVERY_S, self._end_pause)

    def greet(self, subscriber: Subscriber) -> None:
        """Tell a subscriber at once what is true now: a new one, or one who has taken or left a seat."""
        frame = self._frame()
        if frame != self._announced:
            self._announced = b""  # no longer what all of them know
        subscriber.send_presence(frame)

    def _end_pause(self) -> None:
        self._timer = None
        self.announce()

    def _frame(self) -> bytes:
        players = {subscriber.player for subscriber in self._subscribers if subscriber.player is not None}
        watching = sum(subscriber.player is None for subscriber in self._subscribers)
        return ENCODER.encode(Presence(tuple(sorted(players)), watching))
