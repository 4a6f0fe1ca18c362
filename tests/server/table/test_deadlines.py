"""Clocks run against the one who thinks, for as long as the table said, whatever happens beside the turn."""

import asyncio
from pathlib import Path

from liarsdice.core.actions import Challenge
from liarsdice.core.engine.state import Phase
from liarsdice.core.rules.bids import Bid
from liarsdice.server.http.auth import holder_of
from liarsdice.server.live.live_table import Room
from liarsdice.server.live.table_registry import Rooms
from liarsdice.server.table import commands as c
from liarsdice.server.table.deadlines import REVEAL_ALONE_MS, REVEAL_MS, What, due
from liarsdice.server.table.table_config import Clock
from liarsdice.server.table.table_state import Player, TableState
from tests.server.houses import TestHouse, open_house, options, table_of, until

ANN = holder_of("Ann")
PROMPT_S = 10.0


def bidding(table: TableState) -> bool:
    return table.playing is not None and table.playing.state.phase is Phase.BIDDING


def on_turn(table: TableState) -> Player:
    assert table.playing is not None
    return table.players[table.playing.state.turn]


def mark(table: TableState) -> int:
    assert table.match is not None
    return table.match.mark


async def begun(rooms: Rooms, clock: Clock) -> tuple[Room, TableState]:
    room = await table_of(rooms, "Ann", "Bo", set_up=options(clock=clock))
    await rooms.ask(room, ANN, "begin", c.Begin())
    return room, await until(room, bidding)


async def test_a_bot_that_stands_in_during_a_pause_does_not_wait_for_the_clock_of_its_person(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room, table = await begun(rooms, Clock(3600))
        await rooms.ask(room, ANN, "p", c.Pause(paused=True))
        await rooms.ask(room, ANN, "s", c.StandIn(on_turn(table).id, bot=True))
        await rooms.ask(room, ANN, "r", c.Pause(paused=False))
        async with asyncio.timeout(PROMPT_S):
            await until(room, lambda now: mark(now) > mark(table))


async def test_who_gets_the_seat_back_during_a_pause_has_the_whole_time_of_a_turn(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room, table = await begun(rooms, Clock(3600, 60))
        rooms.house.pace = 10.0
        who = on_turn(table).id
        await rooms.ask(room, ANN, "s", c.StandIn(who, bot=True))
        assert room.due is not None
        assert room.due.what is What.BOT_MOVE
        await rooms.ask(room, ANN, "p", c.Pause(paused=True))
        await rooms.ask(room, ANN, "b", c.StandIn(who, bot=False))
        await rooms.ask(room, ANN, "r", c.Pause(paused=False))
        assert room.left_ms() == 3_660_000


async def test_a_pause_outlives_the_server(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room, table = await begun(rooms, Clock(30))
        house = rooms.house
        assert isinstance(house, TestHouse)
        house.ms += 10_000
        await rooms.ask(room, ANN, "p", c.Pause(paused=True))
        code = room.code
    async with open_house(tmp_path / "db") as rooms:
        room = await rooms.room(code)
        assert on_turn(await room.table()) == on_turn(table)
        await rooms.ask(room, ANN, "r", c.Pause(paused=False))
        assert room.left_ms() == 20_000


async def test_who_acts_while_a_bot_stands_in_keeps_the_time_bank(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room, table = await begun(rooms, Clock(10, 60))
        rooms.house.pace = 10.0
        who = on_turn(table)
        await rooms.ask(room, ANN, "s", c.StandIn(who.id, bot=True))
        await rooms.ask(room, holder_of(who.name), "b", Bid(1, 2), mark(table))
        after = (await room.table()).player(who.id)
        assert after is not None
        assert (after.stand_in, after.bank_ms) == (False, 60_000)


async def revealed(rooms: Rooms, *names: str, bots: tuple[str, ...] = ()) -> TableState:
    """The table when the first call has been made."""
    room = await table_of(rooms, *names, bots=bots)
    await rooms.ask(room, ANN, "begin", c.Begin())
    rooms.house.pace = 0
    while True:
        table = await until(room, lambda now: bidding(now) and not on_turn(now).played_by_bot)
        assert table.playing is not None
        rooms.house.pace = 10.0
        move = Challenge() if table.playing.state.bids else Bid(4, 6)
        await rooms.ask(room, holder_of(on_turn(table).name), f"m{mark(table)}", move, mark(table))
        table = await room.table()
        if table.playing is not None and table.playing.verdict is not None:
            return table
        rooms.house.pace = 0


async def test_who_is_alone_with_bots_looks_at_a_reveal_for_as_long_as_it_takes(tmp_path: Path) -> None:
    async with open_house(tmp_path / "alone") as rooms:
        waits = due(await revealed(rooms, "Ann", bots=("random",)))
        assert waits is not None
        assert (waits.what, waits.after_ms) == (What.DEAL, REVEAL_ALONE_MS)
    async with open_house(tmp_path / "two") as rooms:
        waits = due(await revealed(rooms, "Ann", "Bo"))
        assert waits is not None
        assert (waits.what, waits.after_ms) == (What.DEAL, REVEAL_MS)
