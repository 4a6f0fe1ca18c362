"""Closes the connections of a server that stops, a few at a time, so that the pages do not all reconnect at once."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable
from typing import Protocol

CLOSED_PER_S = 400
MAX_SPREAD_S = 5.0
"""However many connections there are, they are closed within this time."""

STEP_S = 0.05


class OpenProtocol(Protocol):
    """A connection as uvicorn knows it."""

    def shutdown(self) -> None:
        """Close it: a WebSocket with code 1012, HTTP after the response in progress."""
        ...


async def close_gradually(connections: Iterable[OpenProtocol], stop_waiting: Callable[[], bool]) -> None:
    """Close connections in random order, at `CLOSED_PER_S` or faster; all at once when `stop_waiting` returns True."""
    waiting = list(connections)
    random.shuffle(waiting)
    per_step = max(1, round(STEP_S * max(CLOSED_PER_S, len(waiting) / MAX_SPREAD_S)))
    while waiting:
        closing = waiting if stop_waiting() else waiting[-per_step:]
        waiting = [] if stop_waiting() else waiting[:-per_step]
        for connection in closing:
            connection.shutdown()
        if waiting:
            await asyncio.sleep(STEP_S)
