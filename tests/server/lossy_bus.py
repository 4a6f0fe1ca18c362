"""Event buses in one process that lose, delay and reorder messages as a test wants."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from liarsdice.server.bus.event_bus import MAX_KEY_LENGTH, MAX_VALUE_LENGTH, Listener

Message = tuple["LossyBus", str, str, str, str]
"""The bus that receives it, the channel, the key, the value, and the id of the node that sent it."""


class Network:
    """Connects buses. Messages wait until `deliver`, which loses a share of them and delivers the rest in any order.

    `sent` keeps the channel, the key and the value of every message. `down`: everything is lost.
    """

    def __init__(self, seed: int = 0, *, loss: float = 0.0) -> None:
        self.loss = loss
        self.down = False
        self.sent: list[tuple[str, str, str]] = []
        self._random = random.Random(seed)
        self._buses: list[LossyBus] = []
        self._waiting: list[Message] = []

    def join(self) -> LossyBus:
        bus = LossyBus(self, f"node{len(self._buses)}")
        self._buses.append(bus)
        return bus

    def remove(self, bus: LossyBus) -> None:
        """A node that was killed sends and receives nothing more."""
        self._buses.remove(bus)

    def send(self, sender: LossyBus, channel: str, key: str, value: str) -> None:
        assert len(key) <= MAX_KEY_LENGTH
        assert len(value) <= MAX_VALUE_LENGTH
        self.sent.append((channel, key, value))
        if self.down or sender not in self._buses:
            return
        self._waiting += [
            (bus, channel, key, value, sender.node_id)
            for bus in self._buses
            if bus is not sender and self._random.random() >= self.loss
        ]

    def deliver(self, share: float = 1.0) -> None:
        """Deliver a share of the messages that wait, in random order."""
        self._random.shuffle(self._waiting)
        count = round(len(self._waiting) * share)
        delivered, self._waiting = self._waiting[:count], self._waiting[count:]
        for bus, channel, key, value, node_id in delivered:
            if bus in self._buses:
                bus.receive(channel, key, value, node_id)


class LossyBus:
    """The `EventBus` of one node of a `Network`."""

    def __init__(self, network: Network, node_id: str) -> None:
        self.node_id = node_id
        self.works = True
        self.gap_count = 0
        self._network = network
        self._listeners: dict[str, list[Listener]] = {}

    def subscribe(self, channel: str, listener: Listener) -> None:
        self._listeners.setdefault(channel, []).append(listener)

    def publish(self, channel: str, key: str, value: str) -> None:
        self._network.send(self, channel, key, value)

    def receive(self, channel: str, key: str, value: str, node_id: str) -> None:
        for listener in self._listeners.get(channel, ()):
            listener(key, value, node_id)

    async def open(self) -> None:
        """There is nothing to open."""

    async def close(self) -> None:
        """There is nothing to close."""


class SteppedClock:
    """Seconds that pass only when a test says so; then every node does what it does each second."""

    def __init__(self, network: Network, ticks: Sequence[Callable[[], object]] = ()) -> None:
        self.now_s = 1000.0
        self.ticks = [*ticks]
        self._network = network

    def __call__(self) -> float:
        return self.now_s

    def pass_seconds(self, count: int) -> None:
        for _ in range(count):
            self.now_s += 1.0
            for tick in self.ticks:
                tick()
            self._network.deliver()
