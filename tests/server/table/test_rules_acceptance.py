"""Changed rules are shown with what they replace, and no match begins before everybody has accepted them."""

from pathlib import Path

import msgspec
import pytest

from liarsdice.core.errors import IllegalActionError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.protocol.views import public_table, table_setup
from liarsdice.server.table import commands as c
from liarsdice.server.table.table_config import Clock
from liarsdice.server.table.table_state import Stage, TableState
from tests.server.live_tables import make_config, make_table, open_registry, wait_until

ANN, BO, CY = map(hash_token, ("Ann", "Bo", "Cy"))
OLD, NEW = make_config("perudo"), make_config("mustache")


def asked(table: TableState) -> list[str]:
    return [player.name for player in public_table(table, None).players if player.asked_about_rules]


async def test_no_match_begins_before_all_guests_have_accepted_changed_rules(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo", "Cy", config=OLD, bots=("random",))
        await registry.submit(live_table, ANN, "change", c.Change(NEW))
        table = await live_table.state()
        assert asked(table) == ["Bo", "Cy"]
        assert table_setup(table).agreed_config == OLD
        await registry.submit(live_table, BO, "yes", c.AcceptRules())
        with pytest.raises(IllegalActionError, match="Cy has not accepted them yet"):
            await registry.submit(live_table, ANN, "early", c.Begin())
        await registry.submit(live_table, CY, "yes", c.AcceptRules())
        table = await live_table.state()
        assert (asked(table), table_setup(table).agreed_config) == ([], None)
        await registry.submit(live_table, ANN, "begin", c.Begin())
        assert (await live_table.state()).stage is Stage.PLAYING


@pytest.mark.parametrize("change", [{"hints": True}, {"training": True}, {"open_cups": True}, {"clock": Clock(20)}])
async def test_a_change_of_the_clock_or_of_what_players_see_is_accepted_as_rules_are(
    change: dict[str, object], tmp_path: Path
) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo", config=OLD)
        await registry.submit(live_table, ANN, "change", c.Change(msgspec.structs.replace(OLD, **change)))
        assert asked(await live_table.state()) == ["Bo"]
        with pytest.raises(IllegalActionError, match="Bo has not accepted them yet"):
            await registry.submit(live_table, ANN, "early", c.Begin())
        await registry.submit(live_table, BO, "yes", c.AcceptRules())
        await registry.submit(live_table, ANN, "begin", c.Begin())


async def test_a_change_of_other_options_or_back_to_the_known_rules_asks_nobody(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo", config=OLD)
        await registry.submit(live_table, ANN, "title", c.Change(msgspec.structs.replace(OLD, title="The Wet Boot")))
        assert asked(await live_table.state()) == []
        await registry.submit(live_table, ANN, "change", c.Change(NEW))
        await registry.submit(live_table, ANN, "back", c.Change(OLD))
        table = await live_table.state()
        assert (asked(table), table.agreed_config) == ([], None)


async def test_who_sits_down_after_the_change_or_is_removed_is_not_asked(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo", config=OLD)
        await registry.submit(live_table, ANN, "change", c.Change(NEW))
        await registry.take_seat(live_table, "Cy", CY, "", "sit")
        assert asked(await live_table.state()) == ["Bo"]
        await registry.submit(live_table, ANN, "out", c.Remove(2))
        assert asked(await live_table.state()) == []
        await registry.submit(live_table, ANN, "begin", c.Begin())


async def test_a_finished_match_keeps_its_rules_when_the_table_gets_others(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", config=OLD, bots=("random",))
        await registry.submit(live_table, ANN, "begin", c.Begin())
        assert table_setup(await live_table.state()).match_rules is None
        await registry.submit(live_table, ANN, "bot", c.StandIn(1, bot=True))
        await wait_until(live_table, lambda table: table.stage is Stage.OVER)
        await registry.submit(live_table, ANN, "change", c.Change(NEW))
        assert table_setup(await live_table.state()).match_rules == OLD.ruleset
        await registry.submit(live_table, ANN, "again", c.Begin())
        assert table_setup(await live_table.state()).match_rules is None
