"""Tables as they live in a server: matches go on by themselves, wishes are done once, nobody is lost."""

from pathlib import Path

import pytest

from liarsdice.core.actions import Challenge
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.records.record import read_record
from liarsdice.core.rules.bids import Bid
from liarsdice.play.provable_dice import verify
from liarsdice.server.errors import ForbiddenError, NoTableError, StaleError
from liarsdice.server.http.auth import holder_of
from liarsdice.server.http.public_info import match_record
from liarsdice.server.live.event_bus import LocalBus
from liarsdice.server.live.live_table import Room
from liarsdice.server.live.table_registry import Rooms
from liarsdice.server.protocol.messages import Stage
from liarsdice.server.table import commands as c
from liarsdice.server.table.table_state import TableState
from tests.server.houses import open_house, options, table_of, until

ANN, BO = holder_of("Ann"), holder_of("Bo")


def bidding(table: TableState) -> bool:
    return table.playing is not None and table.playing.state.phase is Phase.BIDDING


def on_turn(table: TableState) -> str:
    assert table.playing is not None
    return holder_of(table.players[table.playing.state.turn].name)


@pytest.mark.parametrize("rules", ["classic+aces+palifico+calza", "perudo", "mustache", "official", "snyd-stairs"])
async def test_bots_play_a_match_to_its_end_and_its_dice_can_be_verified(tmp_path: Path, rules: str) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await table_of(rooms, "Ann", set_up=options(rules, seats=4), bots=("inference", "random", "threshold"))
        await rooms.ask(room, ANN, "begin", c.Begin())
        ann = (await room.table()).players[0].id
        await rooms.ask(room, ANN, "bot", c.StandIn(ann, bot=True))
        table = await until(room, lambda now: now.stage is Stage.OVER)
        assert table.match is not None
        kept = await rooms.house.store.load(room.code)
        assert kept is not None
        assert [row.seq for row in kept.rows] == list(range(1, table.seq + 1))
        text = match_record(kept.rows, 1)
        assert text is not None
        assert verify(read_record(text)).rounds == table.match.state.round_number
        assert match_record(kept.rows, 2) is None


async def test_a_match_that_is_on_has_no_record(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await playing(rooms)
        kept = await rooms.house.store.load(room.code)
        assert kept is not None
        assert match_record(kept.rows, 1) is None


async def playing(rooms: Rooms, *, rules: str = "perudo") -> Room:
    room = await table_of(rooms, "Ann", "Bo", set_up=options(rules))
    await rooms.ask(room, ANN, "begin", c.Begin())
    await until(room, bidding)
    return room


async def test_a_wish_said_twice_is_done_once(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await playing(rooms)
        table = await room.table()
        assert table.match is not None
        who, mark = on_turn(table), table.match.mark
        first = await rooms.ask(room, who, "a1", Bid(2, 3), mark)
        assert await rooms.ask(room, who, "a1", Bid(2, 3), mark) == first
        after = await room.table()
        assert after.match is not None
        assert len(after.match.state.bids) == 1
        assert after.seq == first


async def test_a_move_that_answers_an_older_situation_is_stale(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await playing(rooms)
        table = await room.table()
        assert table.match is not None
        mark = table.match.mark
        await rooms.ask(room, on_turn(table), "a1", Bid(2, 3), mark)
        with pytest.raises(StaleError):
            await rooms.ask(room, on_turn(await room.table()), "a2", Challenge(), mark)


async def test_a_move_that_the_rules_forbid_changes_nothing(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await playing(rooms)
        table = await room.table()
        assert table.match is not None
        with pytest.raises(IllegalActionError):
            await rooms.ask(room, on_turn(table), "a1", Challenge(), table.match.mark)
        assert (await room.table()).seq == table.seq


async def test_only_the_host_begins_and_strangers_do_nothing(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await table_of(rooms, "Ann", "Bo")
        with pytest.raises(ForbiddenError, match="host"):
            await rooms.ask(room, BO, "x", c.Begin())
        with pytest.raises(ForbiddenError, match="those who sit"):
            await rooms.ask(room, holder_of("Eve"), "x", c.Say("hello"))
        with pytest.raises(ForbiddenError, match="those who sit"):
            await rooms.ask(room, "", "x", c.Say("hello"))


async def test_names_are_told_apart_and_seats_run_out(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await table_of(rooms, "Ann", "Bo", set_up=options(seats=3))
        with pytest.raises(MalformedError, match="another name"):
            await rooms.sit(room, "bo", holder_of("b2"), "", "s")
        await rooms.sit(room, "Cy", holder_of("Cy"), "", "s")
        with pytest.raises(IllegalActionError, match="all 3 seats"):
            await rooms.sit(room, "Di", holder_of("Di"), "", "s")


async def test_two_servers_on_one_store_agree_on_what_happened(tmp_path: Path) -> None:
    bus = LocalBus()
    async with open_house(tmp_path / "db", bus=bus) as here, open_house(tmp_path / "db", bus=bus) as there:
        room = await table_of(here, "Ann", "Bo")
        other = await there.room(room.code)
        await here.ask(room, ANN, "1", c.Say("one"))
        await there.ask(other, BO, "1", c.Say("two"))
        await here.ask(room, ANN, "2", c.Say("three"))
        kept = await here.house.store.load(room.code)
        assert kept is not None
        said = [row.entry.text for row in kept.rows if hasattr(row.entry, "text")]
        assert said == ["one", "two", "three"]
        assert [row.seq for row in kept.rows] == list(range(1, len(kept.rows) + 1))


async def test_a_table_outlives_its_server(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await playing(rooms)
        before = await room.table()
        code = room.code
    async with open_house(tmp_path / "db") as rooms:
        after = await (await rooms.room(code.lower())).table()
    assert after == before


@pytest.mark.parametrize("code", ["ZZZZ", "../x", "", "O0O0", "ABCDEFGHJ"])
async def test_a_code_without_a_table_says_so(tmp_path: Path, code: str) -> None:
    async with open_house(tmp_path / "db") as rooms:
        with pytest.raises(NoTableError):
            await rooms.room(code)
