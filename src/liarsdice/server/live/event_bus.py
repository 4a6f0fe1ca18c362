"""Notifies the server processes that share a database when a table has changed.

A notification is only a hint: a process that misses one notices at its next append, which the database refuses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

Listener = Callable[[str, int], None]
"""Called with the code of a table and the seq of its last entry."""


class EventBus(Protocol):
    """Carries notifications between the processes that serve the same tables."""

    def subscribe(self, listener: Listener) -> None:
        """Call `listener` for every notification, those of this process included."""
        ...

    def publish(self, code: str, seq: int) -> None:
        """Notify all processes that the log of a table has reached `seq`."""
        ...


class LocalEventBus:
    """An event bus within one process; `publish` calls the listeners at once."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def subscribe(self, listener: Listener) -> None:
        """As `EventBus.subscribe`."""
        self._listeners.append(listener)

    def publish(self, code: str, seq: int) -> None:
        """As `EventBus.publish`."""
        for listener in self._listeners:
            listener(code, seq)
