"""A house to test in: a store in a folder of its own, a clock that a test sets, and people who sit down."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.server.http.auth import holder_of
from liarsdice.server.live.event_bus import Bus
from liarsdice.server.live.live_table import Room
from liarsdice.server.live.table_registry import Rooms
from liarsdice.server.services import House
from liarsdice.server.storage.sqlite import SqliteStore
from liarsdice.server.table.dice_source import Chances
from liarsdice.server.table.table_config import Away, Clock, Options
from liarsdice.server.table.table_state import TableState

START_MS = 1_790_000_000_000
PATIENCE_S = 20.0


class TestHouse(House):
    """A house whose time stands still unless a test moves it."""

    __test__ = False

    def __init__(self, path: Path, *, chances: Chances | None = None, bus: Bus | None = None) -> None:
        super().__init__(SqliteStore(path), chances=chances, bus=bus, pace=0)
        self.ms = START_MS

    def now_ms(self) -> int:
        return self.ms


@asynccontextmanager
async def open_house(path: Path, *, chances: Chances | None = None, bus: Bus | None = None) -> AsyncIterator[Rooms]:
    house = TestHouse(path, chances=chances, bus=bus)
    rooms = Rooms(house)
    await house.store.open(house.now_ms())
    try:
        yield rooms
    finally:
        await house.close()


def options(
    rules: str | Ruleset = "perudo",
    *,
    seats: int = 6,
    clock: Clock | None = None,
    hints: bool = False,
    spectators: bool = True,
    away: Away = Away.WAIT,
) -> Options:
    ruleset = preset(rules).ruleset if isinstance(rules, str) else rules
    return Options(
        title="The Crooked Spoon",
        ruleset=ruleset,
        rules_name=rules if isinstance(rules, str) else "",
        seats=seats,
        clock=clock or Clock(),
        hints=hints,
        spectators=spectators,
        away=away,
    )


async def table_of(rooms: Rooms, *names: str, set_up: Options | None = None, bots: tuple[str, ...] = ()) -> Room:
    """A table at which these people sit, the first of them the host; each holds the seat by their own name."""
    room, _ = await rooms.open(set_up or options(), names[0], holder_of(names[0]), "", bots)
    for name in names[1:]:
        await rooms.sit(room, name, holder_of(name), "", f"sit-{name}")
    return room


async def until(room: Room, holds: Callable[[TableState], bool]) -> TableState:
    """The table once something holds of it."""
    moved = asyncio.Event()
    room.after.append(moved.set)
    async with asyncio.timeout(PATIENCE_S):
        while not holds(table := await room.table()):
            moved.clear()
            await moved.wait()
    return table
