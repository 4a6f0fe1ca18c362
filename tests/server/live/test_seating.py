"""People and bots come and go between matches and in them, and no table is left that nobody can do anything at."""

from pathlib import Path

import pytest

from liarsdice.core.actions import Challenge
from liarsdice.core.engine.state import Phase
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Penalty, patched
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.http.auth import holder_of
from liarsdice.server.live.live_table import Room, held_by
from liarsdice.server.live.table_registry import Rooms
from liarsdice.server.protocol.messages import Stage
from liarsdice.server.table import commands as c
from liarsdice.server.table.table_config import Options
from liarsdice.server.table.table_state import TableState
from tests.server.houses import open_house, options, table_of, until

ANN, BO, CY = map(holder_of, ("Ann", "Bo", "Cy"))


def bidding(table: TableState) -> bool:
    return table.playing is not None and table.playing.state.phase is Phase.BIDDING


def over(table: TableState) -> bool:
    return table.stage is Stage.OVER


async def begun(rooms: Rooms, *names: str, set_up: Options | None = None) -> Room:
    room = await table_of(rooms, *names, set_up=set_up)
    await rooms.ask(room, holder_of(names[0]), "begin", c.Begin())
    await until(room, bidding)
    return room


async def played(rooms: Rooms, *names: str, set_up: Options | None = None) -> Room:
    """A table whose match bots have played to its end for these people."""
    room = await begun(rooms, *names, set_up=set_up)
    for one in (await room.table()).players:
        await rooms.ask(room, holder_of(names[0]), f"bot{one.id}", c.StandIn(one.id, bot=True))
    await until(room, over)
    return room


async def test_after_a_match_bots_can_be_swapped_for_ever(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await played(rooms, "Ann", "Bo")
        for turn in range(20):
            await rooms.ask(room, ANN, f"add{turn}", c.AddBot("random"))
            table = await room.table()
            assert len(table.players) == 3
            await rooms.ask(room, ANN, f"remove{turn}", c.Remove(table.players[-1].id))
        assert [one.name for one in (await room.table()).players] == ["Ann", "Bo"]


async def test_who_played_keeps_the_place_in_what_is_told_of_the_match(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await played(rooms, "Ann", "Bo")
        await rooms.ask(room, ANN, "leave", c.Leave())
        await rooms.sit(room, "Cy", CY, "", "sit")
        assert [(one.name, one.gone) for one in (await room.table()).players] == [
            ("Ann", True),
            ("Bo", False),
            ("Cy", False),
        ]


async def test_a_pause_ends_when_the_last_person_leaves(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await begun(rooms, "Ann", "Bo")
        await rooms.ask(room, ANN, "p", c.Pause(paused=True))
        await rooms.ask(room, ANN, "a", c.Leave())
        assert (await room.table()).paused
        await rooms.ask(room, BO, "b", c.Leave())
        await until(room, over)
        await rooms.sit(room, "Cy", CY, "", "sit")
        table = await room.table()
        assert held_by(table, CY) == table.player(table.host)


async def test_what_nobody_has_settled_is_settled_when_the_match_is_over(tmp_path: Path) -> None:
    rules = patched(preset("openspiel").ruleset, penalties=(Penalty(trigger=PenaltyTrigger.ASKS_WHOSE_TURN),))
    async with open_house(tmp_path / "db") as rooms:
        room = await begun(rooms, "Ann", "Bo", set_up=options(rules, seats=2))
        await rooms.ask(room, BO, "say", c.Say("whose turn is it?"))
        assert (await room.table()).charges
        while not over(table := await until(room, lambda now: bidding(now) or over(now))):
            assert table.playing is not None
            who = holder_of(table.players[table.playing.state.turn].name)
            move = Challenge() if table.playing.state.bids else Bid(2, 6)
            await rooms.ask(room, who, f"m{table.playing.mark}", move, table.playing.mark)
        assert table.charges == ()


async def test_a_link_to_a_seat_that_its_player_has_left_leads_nowhere(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await begun(rooms, "Ann", "Bo")
        bo = held_by(await room.table(), BO)
        assert bo is not None
        await rooms.ask(room, BO, "leave", c.Leave())
        with pytest.raises(ForbiddenError, match="free by now"):
            await rooms.share(room, bo.id, CY)


async def test_a_device_that_sits_at_a_table_is_told_so_by_the_link_to_another_seat(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await table_of(rooms, "Ann", "Bo")
        with pytest.raises(ForbiddenError, match="as Bo"):
            await rooms.share(room, 1, BO)
        await rooms.share(room, 1, ANN)
