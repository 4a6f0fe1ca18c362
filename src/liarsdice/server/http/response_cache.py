"""Keeps the latest responses that are costly to compute and do not change."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable


class ResponseCache:
    """Response bodies by key, of at most `max_bytes` in all: the ones that were not used for longest are dropped."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._size = 0
        self._bodies: OrderedDict[Hashable, bytes] = OrderedDict()

    def get(self, key: Hashable) -> bytes | None:
        """Return a body, None if it is not kept."""
        body = self._bodies.get(key)
        if body is not None:
            self._bodies.move_to_end(key)
        return body

    def put(self, key: Hashable, body: bytes) -> None:
        """Keep a body, unless it is larger than the whole cache."""
        if len(body) > self._max_bytes:
            return
        self._size += len(body) - len(self._bodies.get(key, b""))
        self._bodies[key] = body
        self._bodies.move_to_end(key)
        while self._size > self._max_bytes:
            _, dropped = self._bodies.popitem(last=False)
            self._size -= len(dropped)
