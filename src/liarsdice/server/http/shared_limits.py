"""Tells the other nodes what networks have spent here, so that the limits of an address hold on all nodes together.

Messages name a network by a keyed hash. Each is sent three times, a second apart, because some are lost.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable

import msgspec

from liarsdice.server.bus.event_bus import MAX_VALUE_LENGTH, EventBus
from liarsdice.server.http.address_limits import SETTLE_S
from liarsdice.server.http.rate_limits import RateLimits

CHANNEL = "limits"
TICK_S = 1.0
TIMES_SENT = 3
MESSAGE_KEYS = 256
"""Messages have numbers, of which so many are names on the bus: while it is stuck, later ones replace earlier ones."""

ITEMS_PER_MESSAGE, MAX_ITEMS = 8, 400
"""How many items of each kind fit into a message, and how many of each kind a node tells the others in a second."""

MAX_NODES, MAX_NUMBERS, MAX_COUNTS = 64, 4096, 30_000
"""How many nodes, numbers of messages and counts of open connections are remembered."""


class _Message(msgspec.Struct, frozen=True, array_like=True):
    """What networks did on a node, each by its key.

    `spent`: what they spent of each limit, and how many times the budget of one address they have. `opened`: how many
    connections they have open. `found`: the codes of the tables that they found.
    """

    number: int
    spent: tuple[tuple[str, str, int, float], ...] = ()
    opened: tuple[tuple[str, int], ...] = ()
    found: tuple[tuple[str, str], ...] = ()


class SharedLimits:
    """Makes the limits of this node and the others one. Use it on the event loop only.

    `node_count` returns how many nodes are alive. `now_s` returns seconds of any clock that never goes back.
    """

    def __init__(
        self,
        bus: EventBus,
        rate_limits: RateLimits,
        node_count: Callable[[], int],
        *,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._bus = bus
        self._rate_limits = rate_limits
        self._node_count = node_count
        self._now_s = now_s
        self._number = 0
        self._sent: deque[list[_Message]] = deque(maxlen=TIMES_SENT - 1)
        self._read: OrderedDict[tuple[str, int], None] = OrderedDict()
        self._opened: OrderedDict[str, dict[str, tuple[int, float]]] = OrderedDict()
        self._timer: asyncio.TimerHandle | None = None
        rate_limits.open_connections.elsewhere = self._opened_elsewhere
        bus.subscribe(CHANNEL, self._receive)

    def start(self) -> None:
        """Tell the others every second from now on, until `close`."""
        self.tick()
        self._timer = asyncio.get_running_loop().call_later(TICK_S, self.start)

    def close(self) -> None:
        """Tell the others nothing more."""
        if self._timer is not None:
            self._timer.cancel()

    def tick(self) -> None:
        """Tell the others what happened since the last time, and again what they were told the last times."""
        self._rate_limits.set_node_count(self._node_count())
        messages = self._new_messages()
        for message in (*messages, *(message for earlier in self._sent for message in earlier)):
            text = msgspec.json.encode(message).decode()
            assert len(text) <= MAX_VALUE_LENGTH
            self._bus.publish(CHANNEL, str(message.number % MESSAGE_KEYS), text)
        self._sent.append(messages)

    def _new_messages(self) -> list[_Message]:
        limits = self._rate_limits
        spent = [
            (name, *spending)
            for name, limit in limits.by_name.items()
            for spending in limit.take_spending(MAX_ITEMS // len(limits.by_name))
        ]
        opened = limits.open_connections.counts_to_tell(MAX_ITEMS)
        found = limits.take_hits(MAX_ITEMS)
        messages = []
        for first in range(0, max(len(spent), len(opened), len(found)), ITEMS_PER_MESSAGE):
            items = slice(first, first + ITEMS_PER_MESSAGE)
            self._number += 1
            messages.append(_Message(self._number, tuple(spent[items]), tuple(opened[items]), tuple(found[items])))
        return messages

    def _receive(self, _: str, value: str, node_id: str) -> None:
        """Count what another node tells. A message that cannot be read, such as one of a later release, is lost."""
        try:
            message = msgspec.json.decode(value, type=_Message)
        except msgspec.MsgspecError:
            return
        if (node_id, message.number) in self._read:
            return
        self._read[node_id, message.number] = None
        if len(self._read) > MAX_NUMBERS:
            self._read.popitem(last=False)
        for name, key, times, cost in message.spent:
            if name in self._rate_limits.by_name:
                self._rate_limits.by_name[name].spend_elsewhere(key, times, cost)
        for key, code in message.found:
            self._rate_limits.add_hit(key, code)
        self._take_opened(node_id, message.opened)

    def _take_opened(self, node_id: str, opened: tuple[tuple[str, int], ...]) -> None:
        now_s = self._now_s()
        for key, count in opened:
            counts = self._opened.pop(key, {})
            counts[node_id] = (count, now_s)
            self._opened[key] = counts
            if len(counts) > MAX_NODES:
                del counts[next(iter(counts))]
        while len(self._opened) > MAX_COUNTS:
            self._opened.popitem(last=False)

    def _opened_elsewhere(self, key: str) -> int:
        """Return how many connections a network has on other nodes, which repeat it every second."""
        since_s = self._now_s() - SETTLE_S
        return sum(count for count, told_s in self._opened.get(key, {}).values() if told_s >= since_s)
