"""Word that a table has moved on. Only a hint: who misses one finds out at the next append."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

Heard = Callable[[str, int], None]


class Bus(Protocol):
    """Carries (code, seq) between those who serve the same tables."""

    def listen(self, heard: Heard) -> None:
        """Call `heard` for every hint, one's own too."""
        ...

    def tell(self, code: str, seq: int) -> None:
        """Say that a table has reached a seq."""
        ...


class LocalBus:
    """A bus within one process."""

    def __init__(self) -> None:
        self._listeners: list[Heard] = []

    def listen(self, heard: Heard) -> None:
        """As `Bus.listen`."""
        self._listeners.append(heard)

    def tell(self, code: str, seq: int) -> None:
        """As `Bus.tell`."""
        for heard in self._listeners:
            heard(code, seq)
