"""The sending side of a WebSocket: one task sends queued messages; a client that reads too slowly is disconnected."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

MAX_QUEUED_FRAMES = 64


class Connection:
    """A `Subscriber` whose messages go over a socket.

    `ended`: the last message is queued. `on_overflow` is called once, instead of queueing a message beyond
    `MAX_QUEUED_FRAMES`; nothing is queued from then on. Only the latest message about presence waits, behind all
    others, so that a slow client may miss some of these but is never dropped for them.
    """

    def __init__(self, token_hash: str, last_seq: int) -> None:
        self.token_hash = token_hash
        self.player: int | None = None
        self.last_seq = last_seq
        self.ended = False
        self.on_overflow: Callable[[], object] = lambda: None
        self._frames: list[bytes] = []
        self._presence: bytes | None = None
        self._overflowed = False
        self._frame_queued: asyncio.Future[None] | None = None

    def send(self, frame: bytes) -> None:
        """As `Subscriber.send`."""
        if self._overflowed:
            return
        if len(self._frames) == MAX_QUEUED_FRAMES:
            self._overflowed = True
            self.on_overflow()
            return
        self._frames.append(frame)
        self._wake()

    def send_presence(self, frame: bytes) -> None:
        """As `Subscriber.send_presence`."""
        if not self.ended:
            self._presence = frame
            self._wake()

    def end(self, frame: bytes) -> None:
        """As `Subscriber.end`."""
        self.send(frame)
        self._presence = None
        self.ended = True

    async def run(self, deliver: Callable[[bytes], Awaitable[None]]) -> None:
        """Send queued messages through `deliver`, in order, until the last one is sent or the task is cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            while self._frames or self._presence is not None:
                await deliver(self._next_frame())
            if self.ended:
                return
            self._frame_queued = loop.create_future()
            await self._frame_queued

    def _next_frame(self) -> bytes:
        if self._frames:
            return self._frames.pop(0)
        frame, self._presence = self._presence, None
        assert frame is not None
        return frame

    def _wake(self) -> None:
        if self._frame_queued is not None and not self._frame_queued.done():
            self._frame_queued.set_result(None)
