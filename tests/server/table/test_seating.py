"""People and bots come and go between and during matches, and no table is left in a state that nobody can change."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from liarsdice.core.actions import Challenge
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import preset
from liarsdice.play.player_names import InvalidNameError, ReservedNameError, look_alike
from liarsdice.server.errors import ForbiddenError, NameTakenError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import HOST_AWAY_MS, TableRegistry
from liarsdice.server.table import commands as c
from liarsdice.server.table.deadlines import AWAY_MS, LISTED_PAUSE_MS, LISTED_TURN_MS
from liarsdice.server.table.seating import (
    BOT_NAMES,
    MAX_LISTED_PAUSES,
    MAX_STAND_INS,
    free_bot_name,
    present_players,
)
from liarsdice.server.table.table_config import Away, Clock, TableConfig
from liarsdice.server.table.table_state import Stage, TableState
from tests.server.live_tables import (
    RecordingSubscriber,
    begin_match,
    fake_clock,
    is_bidding,
    is_over,
    make_config,
    make_table,
    match_of,
    open_registry,
    token_on_turn,
    turn_id,
    wait_until,
    wait_until_idle,
)

ANN, BO, CY = map(hash_token, ("Ann", "Bo", "Cy"))


async def table_in_match(registry: TableRegistry, *names: str, config: TableConfig | None = None) -> LiveTable:
    live_table = await make_table(registry, *names, config=config)
    await begin_match(registry, live_table)
    return live_table


async def table_after_match(registry: TableRegistry, *names: str) -> LiveTable:
    """A table whose match bots have played to its end for these people."""
    live_table = await table_in_match(registry, *names)
    for player in (await live_table.state()).players:
        await registry.submit(live_table, hash_token(names[0]), f"bot{player.id}", c.StandIn(player.id, bot=True))
    await wait_until(live_table, is_over)
    return live_table


async def test_after_a_match_bots_can_be_exchanged_any_number_of_times(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await table_after_match(registry, "Ann", "Bo")
        for turn in range(20):
            fake_clock(registry).time_ms += 4_000
            await registry.submit(live_table, ANN, f"add{turn}", c.AddBot("random"))
            table = await live_table.state()
            assert len(table.players) == 3
            await registry.submit(live_table, ANN, f"remove{turn}", c.Remove(table.players[-1].id))
        assert [player.name for player in (await live_table.state()).players] == ["Ann", "Bo"]


async def test_only_the_host_and_who_played_begin_a_rematch(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await table_after_match(registry, "Ann", "Bo")
        await registry.take_seat(live_table, "Cy", CY, "", "sit")
        with pytest.raises(ForbiddenError, match="player of the last match"):
            await registry.submit(live_table, CY, "again", c.Begin())
        await registry.submit(live_table, BO, "again", c.Begin())
        assert (await live_table.state()).stage is Stage.PLAYING


async def test_a_host_who_has_not_played_begins_a_rematch(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await table_after_match(registry, "Ann", "Bo")
        assert await registry.take_seat(live_table, "Cy", CY, "", "sit") == 3
        await registry.submit(live_table, ANN, "host", c.MakeHost(3))
        await registry.submit(live_table, CY, "again", c.Begin())
        assert (await live_table.state()).stage is Stage.PLAYING


async def test_a_player_who_leaves_after_a_match_keeps_the_seat_in_its_result(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await table_after_match(registry, "Ann", "Bo")
        await registry.submit(live_table, ANN, "leave", c.Leave())
        await registry.take_seat(live_table, "Cy", CY, "", "sit")
        assert [(player.name, player.gone) for player in (await live_table.state()).players] == [
            ("Ann", True),
            ("Bo", False),
            ("Cy", False),
        ]


async def test_a_pause_ends_when_the_last_person_leaves(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await table_in_match(registry, "Ann", "Bo")
        await registry.submit(live_table, ANN, "p", c.Pause(paused=True))
        await registry.submit(live_table, ANN, "a", c.Leave())
        assert (await live_table.state()).paused
        await registry.submit(live_table, BO, "b", c.Leave())
        await wait_until(live_table, is_over)
        await registry.take_seat(live_table, "Cy", CY, "", "sit")
        table = await live_table.state()
        assert table.player_by_token(CY) == table.player(table.host)


async def test_open_accusations_end_with_the_match(tmp_path: Path) -> None:
    rules = patched(preset("openspiel").ruleset, penalties=(Penalty(trigger=PenaltyTrigger.ASKS_WHOSE_TURN),))
    async with open_registry(tmp_path / "db") as registry:
        live_table = await table_in_match(registry, "Ann", "Bo", config=make_config(rules, seats=2))
        await registry.submit(live_table, BO, "say", c.Say("whose turn is it?"))
        assert (await live_table.state()).accusations
        while not is_over(table := await wait_until(live_table, lambda table: is_bidding(table) or is_over(table))):
            assert table.ongoing_match is not None
            move = Challenge() if table.ongoing_match.state.bids else Bid(2, 6)
            await registry.submit(live_table, token_on_turn(table), f"m{turn_id(table)}", move, turn_id(table))
        assert table.accusations == ()


async def test_a_seat_link_does_not_work_after_the_player_has_left(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await table_in_match(registry, "Ann", "Bo")
        bo = (await live_table.state()).player_by_token(BO)
        assert bo is not None
        await registry.submit(live_table, BO, "leave", c.Leave())
        with pytest.raises(ForbiddenError, match="free again"):
            await registry.add_device(live_table, bo.id, CY)


async def test_a_device_that_holds_a_seat_cannot_redeem_a_link_to_another(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        with pytest.raises(ForbiddenError, match="as Bo"):
            await registry.add_device(live_table, 1, BO)
        await registry.add_device(live_table, 1, ANN)


@pytest.mark.parametrize("name", ["ann", "\u0410nn", "A\u0578n", "\uff21nn"])
async def test_nobody_sits_down_under_a_name_that_looks_like_anothers(tmp_path: Path, name: str) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann")
        with pytest.raises(NameTakenError, match="choose another name"):
            await registry.take_seat(live_table, name, BO, "", "sit")


@pytest.mark.parametrize("after_match", [False, True])
async def test_the_name_of_who_has_left_stays_theirs_at_the_table(tmp_path: Path, *, after_match: bool) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        if after_match:
            await begin_match(registry, live_table)
            for player in (1, 2):
                await registry.submit(live_table, ANN, f"bot{player}", c.StandIn(player, bot=True))
            await wait_until(live_table, is_over)
        await registry.submit(live_table, BO, "leave", c.Leave())
        with pytest.raises(NameTakenError, match="who sat here before; choose another name"):
            await registry.take_seat(live_table, "B\u043e", CY, "", "sit")
        await registry.take_seat(live_table, "Cy", CY, "", "sit")
        await registry.take_seat(live_table, "Bo", BO, "", "back")
        assert present_names(await live_table.state()) == ["Ann", "Cy", "Bo"]


async def test_a_person_sits_down_under_no_name_of_a_role(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann")
        with pytest.raises(ReservedNameError, match="choose another name"):
            await registry.take_seat(live_table, "Ann (host)", BO, "", "sit")
        with pytest.raises(ReservedNameError, match="choose another name"):
            await make_table(registry, "Server")
        await registry.take_seat(live_table, "Wren bot", BO, "", "sit", program=True)


async def test_names_and_titles_are_stored_in_their_normal_form(tmp_path: Path) -> None:
    config = msgspec.structs.replace(make_config(), title=" The\u00a0Spoon ")
    async with open_registry(tmp_path / "db") as registry:
        live_table, _ = await registry.open_table(config, "\uff21nn ", ANN, "", ())
        await registry.take_seat(live_table, " Zoe\u0308", BO, "", "sit")
        table = await live_table.state()
        assert (table.config.title, present_names(table)) == ("The Spoon", ["Ann", "Zoë"])
        await registry.submit(live_table, ANN, "c", c.Change(msgspec.structs.replace(config, title="Spoon  2")))
        assert (await live_table.state()).config.title == "Spoon 2"


async def test_no_table_has_an_invisible_name(tmp_path: Path) -> None:
    config = make_config()
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann")
        unnamed = msgspec.structs.replace(config, title="\u3164")
        with pytest.raises(InvalidNameError, match="a table's name"):
            await registry.submit(live_table, ANN, "c", c.Change(unnamed))
        with pytest.raises(InvalidNameError, match="a player's name"):
            await registry.open_table(config, "A\u202ennA", BO, "", ())
        with pytest.raises(InvalidNameError, match="a player's name"):
            await registry.take_seat(live_table, "\u2800", BO, "", "sit")


async def test_a_bot_has_no_name_that_looks_like_a_players(tmp_path: Path) -> None:
    looks_like_bot = BOT_NAMES[1].replace("e", "\u0435")
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, looks_like_bot)
        for number in range(5):
            await registry.submit(live_table, hash_token(looks_like_bot), f"b{number}", c.AddBot("random"))
        table = await live_table.state()
        assert len(table.players) == 6
        assert not any(look_alike(looks_like_bot, bot.name) for bot in table.players[1:])
        assert not any(look_alike(free_bot_name(table), player.name) for player in table.players)


def present_names(table: TableState) -> list[str]:
    return [player.name for player in present_players(table)]


async def test_whoever_opened_the_table_is_host_again_when_they_connect(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        fake_clock(registry).time_ms += HOST_AWAY_MS
        await registry.submit(live_table, BO, "over", c.MakeHost(2))
        live_table.subscribe(RecordingSubscriber(BO))
        await wait_until_idle(registry, live_table.code)
        assert (await live_table.state()).host == 2
        live_table.subscribe(RecordingSubscriber(ANN))
        assert (await wait_until(live_table, lambda table: table.host == 1)).host == 1


async def test_whoever_opened_the_table_is_host_again_when_they_sit_down(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        await registry.submit(live_table, ANN, "leave", c.Leave())
        assert (await live_table.state()).host == 2
        assert await registry.take_seat(live_table, "Ann", ANN, "", "back") == 3
        assert (await live_table.state()).host == 3


async def test_whoever_made_somebody_else_host_does_not_become_host_again_by_themselves(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        await registry.submit(live_table, ANN, "host", c.MakeHost(2))
        live_table.subscribe(RecordingSubscriber(ANN))
        await wait_until_idle(registry, live_table.code)
        await registry.submit(live_table, ANN, "leave", c.Leave())
        await registry.take_seat(live_table, "Ann", ANN, "", "back")
        assert (await live_table.state()).host == 2


async def test_a_host_has_a_bot_play_only_for_who_is_away_and_three_times_a_match(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        await begin_match(registry, live_table)
        page = RecordingSubscriber(BO)
        live_table.subscribe(page)
        with pytest.raises(ForbiddenError, match="Bo is here"):
            await registry.submit(live_table, ANN, "here", c.StandIn(2, bot=True))
        live_table.unsubscribe(page)
        for number in range(MAX_STAND_INS):
            await registry.submit(live_table, ANN, f"bot {number}", c.StandIn(2, bot=True))
            await registry.submit(live_table, ANN, f"back {number}", c.StandIn(2, bot=False))
        with pytest.raises(ForbiddenError, match="in this match already"):
            await registry.submit(live_table, ANN, "again", c.StandIn(2, bot=True))
        await registry.submit(live_table, ANN, "self", c.StandIn(1, bot=True))


@pytest.mark.parametrize("away", Away)
async def test_a_player_of_a_listed_match_without_a_clock_who_never_moves_stops_it_for_five_minutes(
    tmp_path: Path, away: Away
) -> None:
    config = msgspec.structs.replace(make_config(away=away), listed=True)
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo", config=config)
        table = await begin_match(registry, live_table)
        late = table.players[match_of(table).state.turn]
        live_table.subscribe(RecordingSubscriber(hash_token(late.name)))
        for wait_ms in (AWAY_MS, LISTED_TURN_MS - AWAY_MS - 1, 1):
            assert turn_id(await live_table.state()) == turn_id(table)
            fake_clock(registry).time_ms += wait_ms
            await live_table.refresh()  # the timers look at the clock again
            await asyncio.sleep(0)
            while tasks := fake_clock(registry).running_tasks:
                await asyncio.wait(tasks)
        moved = await wait_until(live_table, lambda after: turn_id(after) > turn_id(table))
        assert not moved.players[late.id - 1].stand_in


async def test_a_listed_match_is_paused_a_few_times_and_for_five_minutes(tmp_path: Path) -> None:
    config = msgspec.structs.replace(make_config(clock=Clock(30)), listed=True)
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo", config=config)
        await begin_match(registry, live_table)
        for number in range(MAX_LISTED_PAUSES):
            fake_clock(registry).time_ms += 10_000
            left_ms = live_table.left_ms()
            await registry.submit(live_table, ANN, f"pause {number}", c.Pause(paused=True))
            assert live_table.left_ms() == LISTED_PAUSE_MS
            fake_clock(registry).time_ms += LISTED_PAUSE_MS
            await live_table.refresh()
            await wait_until(live_table, lambda table: not table.paused)
            assert live_table.left_ms() == left_ms
        with pytest.raises(ForbiddenError, match="paused 3 times"):
            await registry.submit(live_table, ANN, "again", c.Pause(paused=True))
        assert not (await live_table.state()).paused
