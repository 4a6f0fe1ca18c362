"""A page that keeps every frame it is sent."""

from __future__ import annotations


class Eyes:
    """A watcher of a room."""

    def __init__(self, holder: str, have: int = 0) -> None:
        self.holder = holder
        self.player: int | None = None
        self.have = have
        self.frames: list[bytes] = []
        self.ended = False

    def send(self, frame: bytes) -> None:
        self.frames.append(frame)

    def end(self, frame: bytes) -> None:
        self.frames.append(frame)
        self.ended = True
