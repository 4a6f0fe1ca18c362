"""The sending side of a WebSocket: messages go out at once, and a client that reads too slowly is disconnected."""

from __future__ import annotations

from collections.abc import Callable

MAX_QUEUED_FRAMES = 64


class Connection:
    """A `Subscriber` whose messages go over a socket.

    `write` sends messages, or returns False if the client reads too slowly; messages then wait for `flush`. Only the
    latest message about presence waits, behind all others, so that a slow client may miss some of these but is never
    dropped for them. `on_overflow` is called once, instead of queueing a message beyond `MAX_QUEUED_FRAMES`; nothing is
    queued from then on. `ended`: the last message is queued. `on_ended` is called once it is sent.
    """

    __slots__ = (
        "_frames",
        "_held",
        "_overflowed",
        "_presence",
        "_write",
        "ended",
        "last_seq",
        "on_ended",
        "on_overflow",
        "player",
        "token_hash",
    )

    def __init__(self, token_hash: str, last_seq: int, write: Callable[..., bool]) -> None:
        self.token_hash = token_hash
        self.player: int | None = None
        self.last_seq = last_seq
        self.ended = False
        self.on_overflow: Callable[[], object] = _do_nothing
        self.on_ended: Callable[[], object] = _do_nothing
        self._write = write
        self._held: list[bytes] | None = None
        self._frames: list[bytes] = []
        self._presence: bytes | None = None
        self._overflowed = False

    def send(self, frame: bytes) -> None:
        """As `Subscriber.send`."""
        if self._held is not None:
            if len(self._held) < MAX_QUEUED_FRAMES:
                self._held.append(frame)
                return
            self.release()
        if self._overflowed or (not self._frames and self._write(frame)):
            return
        if len(self._frames) == MAX_QUEUED_FRAMES:
            self._overflowed = True
            self.on_overflow()
        else:
            self._frames.append(frame)

    def hold(self) -> None:
        """Keep messages until `release`, so that the update that a command causes is written with the answer."""
        self._held = []

    def release(self) -> None:
        """Send what `hold` has kept."""
        held, self._held = self._held, None
        if held and (self._frames or not self._write(*held)):
            for frame in held:
                self.send(frame)

    def send_presence(self, frame: bytes) -> None:
        """As `Subscriber.send_presence`."""
        if not self.ended and (self._frames or not self._write(frame)):
            self._presence = frame

    def end(self, frame: bytes) -> None:
        """As `Subscriber.end`."""
        self.release()
        self.send(frame)
        self._presence = None
        self.ended = True
        if not self._frames:
            self.on_ended()

    def hand_over(self) -> None:
        """As `Subscriber.hand_over`."""
        self.on_ended()

    def flush(self) -> None:
        """Send what waits, as far as the client reads it."""
        while self._frames:
            if not self._write(self._frames[0]):
                return
            del self._frames[0]
        if self._presence is not None and self._write(self._presence):
            self._presence = None
        if self.ended:
            self.on_ended()


def _do_nothing() -> None:
    pass
