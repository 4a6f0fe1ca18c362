"""The line to one page: frames wait in a queue and one task sends them. Who reads too slowly is dropped."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

LONGEST_QUEUE = 64


class Line:
    """A watcher of a room that sends over a socket."""

    def __init__(self, holder: str, have: int) -> None:
        self.holder = holder
        self.player: int | None = None
        self.have = have
        self.ended = False
        self.on_overflow: Callable[[], object] = lambda: None
        self._frames: list[bytes] = []
        self._more: asyncio.Future[None] | None = None

    def send(self, frame: bytes) -> None:
        """Hand over a frame; one too many is the end of the line."""
        if len(self._frames) == LONGEST_QUEUE:
            self.on_overflow()
            return
        self._frames.append(frame)
        if self._more is not None and not self._more.done():
            self._more.set_result(None)

    def end(self, frame: bytes) -> None:
        """Hand over a last frame."""
        self.send(frame)
        self.ended = True

    async def run(self, deliver: Callable[[bytes], Awaitable[None]]) -> None:
        """Send frames as they come, until the last one or until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            while self._frames:
                await deliver(self._frames.pop(0))
            if self.ended:
                return
            self._more = loop.create_future()
            await self._more


class Allowance:
    """How fast somebody may speak: `burst` at once, and then `per_s`."""

    def __init__(self, burst: float, per_s: float, now_s: float) -> None:
        self._burst, self._per_s = burst, per_s
        self._left, self._at_s = burst, now_s

    def left(self, now_s: float) -> float:
        """How much is allowed now."""
        self._left = min(self._burst, self._left + (now_s - self._at_s) * self._per_s)
        self._at_s = now_s
        return self._left

    def spend(self, now_s: float, cost: float = 1.0) -> bool:
        """Whether one more is allowed now.

        >>> two = Allowance(2, 1, 0.0)
        >>> two.spend(0.0), two.spend(0.0), two.spend(0.0), two.spend(1.0)
        (True, True, False, True)
        """
        if self.left(now_s) < cost:
            return False
        self._left -= cost
        return True
