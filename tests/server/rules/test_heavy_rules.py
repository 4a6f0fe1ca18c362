"""Rules that nobody has the dice for must not keep the other tables of a server waiting."""

import asyncio
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.server.http.auth import holder_of
from liarsdice.server.protocol.messages import Do, Problem
from liarsdice.server.protocol.views import MOST_DICE_WITH_ODDS, own_seen
from liarsdice.server.table import commands as c
from liarsdice.server.table.table_config import MOST_DICE_EACH, check_options
from tests.server.houses import open_house, options, table_of, until
from tests.server.serving import greeted, heard, served

ANN = holder_of("Ann")


def of(per_player: int, faces: int = 6) -> Ruleset:
    rules = preset("perudo").ruleset
    return replace(rules, dice=replace(rules.dice, per_player=per_player, faces=faces))


@pytest.mark.parametrize("rules", [of(MOST_DICE_EACH + 1), of(5, faces=21)])
def test_no_table_is_opened_with_more_dice_or_faces_than_people_have(rules: Ruleset) -> None:
    with pytest.raises(MalformedError, match="may be at most"):
        check_options(options(rules))


async def test_the_host_cannot_change_a_table_to_such_rules_either(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await table_of(rooms, "Ann", "Bo")
        with pytest.raises(MalformedError, match="may be at most"):
            await rooms.ask(room, ANN, "c", c.Change(options(of(100))))


@pytest.mark.parametrize("bots, shown", [(4, True), (5, False)])
async def test_there_are_no_odds_among_more_than_a_hundred_dice(tmp_path: Path, bots: int, shown: bool) -> None:
    async with open_house(tmp_path / "db") as rooms:
        set_up = options(of(MOST_DICE_EACH), hints=True)
        room = await table_of(rooms, "Ann", set_up=set_up, bots=("random",) * bots)
        await rooms.ask(room, ANN, "begin", c.Begin())

        table = await until(
            room,
            lambda now: (
                now.playing is not None
                and now.playing.state.phase is Phase.BIDDING
                and bool(own_seen(now, now.players[0].id).bids)
            ),
        )
        assert table.playing is not None
        assert (sum(table.playing.state.dice) <= MOST_DICE_WITH_ODDS) is shown
        assert bool(own_seen(table, table.players[0].id).odds) is shown


async def test_rules_that_take_long_to_check_keep_nobody_else_waiting(tmp_path: Path) -> None:
    async with served(tmp_path / "db") as house:
        ann = house.browser()
        code = await house.opened(ann)
        async with house.line(code, ann) as line:
            await greeted(line)
            beats = 0

            async def beat() -> None:
                nonlocal beats
                while True:
                    await asyncio.sleep(0.01)
                    beats += 1

            beating = asyncio.create_task(beat())
            rules = msgspec.to_builtins(of(5)) | {"dice": {"per_player": 5, "faces": 97}}
            wish = Do("c", c.Change(options()))
            told = msgspec.to_builtins(wish)
            told["what"]["options"]["ruleset"] = rules
            await line.send(msgspec.json.encode(told).decode())
            answer = await heard(line)
            beating.cancel()
            assert isinstance(answer, Problem)
            assert "at most 20" in answer.text
            assert beats > 10
