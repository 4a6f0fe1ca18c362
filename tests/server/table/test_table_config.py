"""What happens at a table beside the game: hosts, clocks, absences, penalties, rematches, seats on other devices."""

from pathlib import Path

import pytest

from liarsdice.core.actions import Challenge
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Penalty, patched
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.http.auth import holder_of
from liarsdice.server.live.live_table import Room, held_by
from liarsdice.server.live.table_registry import HOST_AWAY_MS, Rooms
from liarsdice.server.protocol.messages import NewsKind, Notice, Stage
from liarsdice.server.protocol.views import own_seen, table_seen
from liarsdice.server.table import commands as c
from liarsdice.server.table.table_config import Away, Clock
from liarsdice.server.table.table_state import TableState
from tests.server.houses import TestHouse, open_house, options, table_of, until
from tests.server.watching import Eyes

ANN, BO, CY = map(holder_of, ("Ann", "Bo", "Cy"))


def bidding(table: TableState) -> bool:
    return table.playing is not None and table.playing.state.phase is Phase.BIDDING


def on_turn(table: TableState) -> str:
    assert table.playing is not None
    return holder_of(table.players[table.playing.state.turn].name)


def mark(table: TableState) -> int:
    assert table.match is not None
    return table.match.mark


async def begun(rooms: Rooms, room: Room) -> TableState:
    await rooms.ask(room, ANN, "begin", c.Begin())
    return await until(room, bidding)


def kinds(table: TableState) -> list[NewsKind]:
    return [item.what.kind for item in table.news if isinstance(item.what, Notice)]


async def test_asking_whose_turn_it_is_is_put_to_the_table_and_the_host_takes_the_die(tmp_path: Path) -> None:
    asking = patched(preset("perudo").ruleset, penalties=(Penalty(trigger=PenaltyTrigger.ASKS_WHOSE_TURN),))
    async with open_house(tmp_path / "db") as rooms:
        room = await table_of(rooms, "Ann", "Bo", "Cy", set_up=options(asking))
        await begun(rooms, room)
        await rooms.ask(room, BO, "say", c.Say("wait, whose turn is it?"))
        table = await room.table()
        assert [(charge.player, charge.trigger) for charge in table.charges] == [
            (table.players[1].id, PenaltyTrigger.ASKS_WHOSE_TURN)
        ]
        with pytest.raises(ForbiddenError, match="whom it is about"):
            await rooms.ask(room, CY, "no", c.AnswerPenalty(1, take=True))
        await rooms.ask(room, BO, "no", c.AnswerPenalty(1, take=False))
        assert [(charge.number, charge.denied) for charge in (await room.table()).charges] == [(1, True)]
        await rooms.ask(room, ANN, "yes", c.AnswerPenalty(1, take=True))
        table = await room.table()
        assert table.charges == ()
        seen = table_seen(table, None).match
        assert seen is not None
        assert seen.pending == (0, 1, 0)


async def test_the_same_question_costs_nothing_where_the_house_does_not_say_so(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await table_of(rooms, "Ann", "Bo", set_up=options("basic", seats=4))
        await begun(rooms, room)
        await rooms.ask(room, BO, "say", c.Say("whose turn is it?"))
        assert (await room.table()).charges == ()


async def test_a_pause_stops_everything_and_keeps_what_was_left_on_the_clock(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        house = rooms.house
        assert isinstance(house, TestHouse)
        room = await table_of(rooms, "Ann", "Bo", set_up=options(clock=Clock(30)))
        table = await begun(rooms, room)
        house.ms += 10_000
        assert room.left_ms() == 20_000
        await rooms.ask(room, ANN, "p", c.Pause(paused=True))
        house.ms += 3_600_000
        with pytest.raises(IllegalActionError, match="paused"):
            await rooms.ask(room, on_turn(table), "b", Bid(1, 2), mark(table))
        assert own_seen(await room.table(), held(table, on_turn(table))).bids == ()
        await rooms.ask(room, ANN, "r", c.Pause(paused=False))
        assert room.left_ms() == 20_000


def held(table: TableState, holder: str) -> int:
    player = held_by(table, holder)
    assert player is not None
    return player.id


async def test_a_time_bank_is_spent_only_beyond_the_time_of_the_turn(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        house = rooms.house
        assert isinstance(house, TestHouse)
        room = await table_of(rooms, "Ann", "Bo", set_up=options(clock=Clock(10, 60)))
        table = await begun(rooms, room)
        first = on_turn(table)
        house.ms += 8_000
        await rooms.ask(room, first, "1", Bid(1, 2), mark(table))
        table = await room.table()
        house.ms += 25_000
        await rooms.ask(room, on_turn(table), "2", Bid(1, 3), mark(table))
        banks = {holder_of(one.name): one.bank_ms for one in (await room.table()).players}
        assert banks[first] == 60_000
        assert sorted(banks.values()) == [45_000, 60_000]


async def test_who_is_gone_when_time_is_up_is_stood_in_for_and_may_come_back(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        house = rooms.house
        assert isinstance(house, TestHouse)
        room = await table_of(rooms, "Ann", "Bo", set_up=options(clock=Clock(5), away=Away.BOT))
        table = await begun(rooms, room)
        absent = on_turn(table)
        house.ms += 5_000
        await rooms.ask(room, ANN, "say", c.Say("hello?"))  # anything winds the clock anew
        table = await until(room, lambda now: any(one.stand_in for one in now.players))
        assert NewsKind.STAND_IN in kinds(table)
        await rooms.ask(room, absent, "back", c.TakeBack())
        assert not any(one.stand_in and holder_of(one.name) == absent for one in (await room.table()).players)


async def test_a_host_who_leaves_is_followed_by_another_person(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await table_of(rooms, "Ann", "Bo", bots=("random",))
        await rooms.ask(room, ANN, "go", c.Leave())
        table = await room.table()
        assert [one.name for one in table.players if one.id == table.host] == ["Bo"]
        assert "Ann" not in [one.name for one in table.players]


async def test_a_table_whose_host_stays_away_is_taken_over_by_whoever_sits_there(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        house = rooms.house
        assert isinstance(house, TestHouse)
        room = await table_of(rooms, "Ann", "Bo", "Cy")
        bo, cy = (one.id for one in (await room.table()).players[1:])
        page = Eyes(ANN)
        room.welcome(page)
        house.ms += 3_600_000
        with pytest.raises(ForbiddenError, match="the host is here"):
            await rooms.ask(room, BO, "early", c.MakeHost(bo))
        room.leave(page)
        house.ms += HOST_AWAY_MS - 1
        with pytest.raises(ForbiddenError, match="a moment ago"):
            await rooms.ask(room, BO, "soon", c.MakeHost(bo))
        house.ms += 1
        with pytest.raises(ForbiddenError, match="only the host"):
            await rooms.ask(room, BO, "other", c.MakeHost(cy))
        await rooms.ask(room, BO, "over", c.MakeHost(bo))
        await rooms.ask(room, BO, "begin", c.Begin())
        assert (await room.table()).host == bo


async def test_who_is_sent_away_in_a_match_leaves_a_bot_in_the_seat_and_cannot_act(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await table_of(rooms, "Ann", "Bo", "Cy")
        table = await begun(rooms, room)
        await rooms.ask(room, ANN, "out", c.Remove(table.players[1].id))
        assert (await room.table()).players[1].played_by_bot
        with pytest.raises(ForbiddenError):
            await rooms.ask(room, BO, "x", c.Say("hey"))


async def test_a_muted_player_says_nothing(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await table_of(rooms, "Ann", "Bo")
        await rooms.ask(room, ANN, "m", c.Mute((await room.table()).players[1].id, muted=True))
        with pytest.raises(ForbiddenError, match="muted"):
            await rooms.ask(room, BO, "s", c.Say("mmm"))


async def test_a_rematch_seats_the_same_people_with_full_cups_and_new_seeds(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await table_of(rooms, "Ann", "Bo", set_up=options("openspiel", seats=2))
        await begun(rooms, room)
        promised = table_seen(await room.table(), None).commitment
        while (table := await room.table()).stage is Stage.PLAYING:
            if bidding(table):
                assert table.playing is not None
                move = Challenge() if table.playing.state.bids else Bid(2, 6)
                await rooms.ask(room, on_turn(table), f"m{mark(table)}", move, mark(table))
            else:
                for who in (ANN, BO):
                    await rooms.ask(room, who, f"r{mark(table)}", c.Ready())
                await until(room, lambda now: now.stage is Stage.OVER or bidding(now))
        assert table_seen(table, None).commitment != promised
        await rooms.ask(room, BO, "again", c.Begin())
        table = await until(room, bidding)
        assert table.match is not None
        assert table.match.number == 2
        assert len(set(table.match.state.dice)) == 1
        assert table_seen(table, None).commitment != promised


async def test_another_device_may_hold_the_same_seat(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await table_of(rooms, "Ann", "Bo")
        ann = held(await room.table(), ANN)
        await rooms.share(room, ann, holder_of("Ann's phone"))
        await rooms.ask(room, holder_of("Ann's phone"), "s", c.Say("from the phone"))
        await rooms.ask(room, ANN, "s", c.Say("from the desk"))
        assert held(await room.table(), holder_of("Ann's phone")) == ann


async def test_a_ticket_works_once_and_not_for_ever(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        store = rooms.house.store
        await store.keep_ticket("t1", "ABCD", 7, 1_000)
        await store.keep_ticket("t2", "ABCD", 7, 1_000)
        assert await store.take_ticket("t1", "EFGH", 500) is None
        assert await store.take_ticket("t1", "ABCD", 500) == 7
        assert await store.take_ticket("t1", "ABCD", 500) is None
        assert await store.take_ticket("t2", "ABCD", 1_001) is None


async def test_a_seed_is_letters_and_digits(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await table_of(rooms, "Ann", "Bo")
        with pytest.raises(MalformedError, match="letters and digits"):
            await rooms.ask(room, ANN, "s", c.GiveSeed("a\nb"))


async def test_pictures_that_are_joined_of_several_signs_may_be_said(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await table_of(rooms, "Ann", "Bo")
        await rooms.ask(room, ANN, "flag", c.Say("\U0001f3f4\u200d☠\ufe0f"))
        with pytest.raises(MalformedError):
            await rooms.ask(room, ANN, "turned", c.Say("abc\u202edef"))
