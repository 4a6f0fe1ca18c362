"""What every table of a server shares: where tables are kept, where chance and time come from, and who counts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

from liarsdice.core.errors import LiarsDiceError
from liarsdice.server.http.rate_limits import Limits
from liarsdice.server.live.event_bus import Bus, LocalBus
from liarsdice.server.metrics import Meters
from liarsdice.server.storage.store import Store
from liarsdice.server.table.bot_runner import Minds
from liarsdice.server.table.dice_source import Chances, Fair


def system_ms() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class House:
    """The services of a server. `pace` multiplies the pauses that are made for people to follow; 0 makes none.

    `limits` are how often one address may do what; without them, as often as it likes. `refusal` is why the house could
    not be opened.
    """

    def __init__(
        self,
        store: Store,
        *,
        chances: Chances | None = None,
        bus: Bus | None = None,
        limits: Limits | None = None,
        pace: float = 1.0,
    ) -> None:
        self.store = store
        self.chances = chances or Fair()
        self.bus = bus or LocalBus()
        self.limits = limits or Limits()
        self.minds = Minds()
        self.meters = Meters()
        self.pace = pace
        self.refusal: LiarsDiceError | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    def now_ms(self) -> int:
        """The time, for logs and clocks; tests replace it."""
        return system_ms()

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run something by itself, and keep hold of it until it is done."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def open(self) -> int:
        """Open the store; returns for how many ms nobody was there. Raises `LiarsDiceError`, and keeps it."""
        try:
            return await self.store.open(self.now_ms())
        except LiarsDiceError as error:
            self.refusal = error
            raise

    async def close(self) -> None:
        """Let what is being done be finished, and let go of everything."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5)
        for task in self._tasks:
            task.cancel()
        self.minds.close()
        await self.store.close()
