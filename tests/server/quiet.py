"""Waiting until a table does nothing by itself any more."""

from __future__ import annotations

import asyncio

from liarsdice.server.live.live_table import Room
from liarsdice.server.live.table_registry import Rooms
from liarsdice.server.live.timers import Clockwork
from liarsdice.server.table.bot_runner import callers_out_of_turn
from tests.server.houses import PATIENCE_S


async def quiet(rooms: Rooms, code: str) -> None:
    """Wait until nothing is due at a table, no bot looks on, and nothing is being done."""
    room, clockwork = rooms._awake[code]  # noqa: SLF001  nobody else asks
    async with asyncio.timeout(PATIENCE_S):
        while True:
            if busy := set(rooms.house._tasks):  # noqa: SLF001  as above
                await asyncio.wait(busy)
            elif _waits(room, clockwork):
                await asyncio.sleep(0)
            else:
                return


def _waits(room: Room, clockwork: Clockwork) -> bool:
    table = room.known
    if table is None or table.playing is None:
        return False
    if room.due is not None and room.left_ms() == 0:
        return True
    situation = (table.playing.number, table.playing.mark)
    return clockwork._looked_at != situation and bool(callers_out_of_turn(table))  # noqa: SLF001  as above
