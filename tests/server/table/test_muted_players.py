"""Muted players: nobody hears them, whatever they do to be heard again."""

from pathlib import Path

import pytest

from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import preset
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.table import commands as c
from liarsdice.server.table.seating import MAX_BANS
from tests.server.live_tables import (
    begin_match,
    fake_clock,
    make_config,
    make_table,
    open_registry,
)

ANN, BO, CY = map(hash_token, ("Ann", "Bo", "Cy"))


async def test_a_muted_player_cannot_talk(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        await registry.submit(live_table, ANN, "m", c.Mute((await live_table.state()).players[1].id, muted=True))
        with pytest.raises(ForbiddenError, match="muted"):
            await registry.submit(live_table, BO, "s", c.Say("mmm"))


async def test_a_muted_player_can_neither_talk_nor_accuse(tmp_path: Path) -> None:
    rules = patched(preset("perudo").ruleset, penalties=(Penalty(trigger=PenaltyTrigger.ASKS_WHOSE_TURN),))
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo", config=make_config(rules))
        await begin_match(registry, live_table)
        await registry.submit(live_table, ANN, "m", c.Mute(2, muted=True))
        commands: tuple[c.Command, ...] = (c.Say("hello"), c.Accuse(1, PenaltyTrigger.ASKS_WHOSE_TURN))
        for number, command in enumerate(commands):
            with pytest.raises(ForbiddenError, match="muted"):
                await registry.submit(live_table, BO, f"c{number}", command)


async def test_a_muted_player_stays_muted_under_another_name_and_in_another_browser(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann")
        await registry.take_seat(live_table, "Bo", BO, "", "sit", "192.0.2.1")
        await registry.submit(live_table, ANN, "m", c.Mute(2, muted=True))
        await registry.submit(live_table, BO, "leave", c.Leave())
        assert await registry.take_seat(live_table, "Robert", BO, "", "again", "192.0.2.2") == 3
        with pytest.raises(ForbiddenError, match="muted"):
            await registry.submit(live_table, BO, "say", c.Say("mmm"))
        assert await registry.take_seat(live_table, "Cy", CY, "", "sit", "192.0.2.1") == 4
        with pytest.raises(ForbiddenError, match="muted"):
            await registry.submit(live_table, CY, "say", c.Say("mmm"))
        await registry.submit(live_table, ANN, "u", c.Mute(3, muted=False))
        await registry.submit(live_table, BO, "leave2", c.Leave())
        await registry.take_seat(live_table, "Bo", BO, "", "third")
        await registry.submit(live_table, BO, "thanks", c.Say("thanks"))


async def test_nobody_is_heard_again_because_another_muted_player_leaves_many_times(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo", "Cy")
        await registry.submit(live_table, ANN, "m2", c.Mute(2, muted=True))
        await registry.submit(live_table, ANN, "m3", c.Mute(3, muted=True))
        await registry.submit(live_table, BO, "leave", c.Leave())
        await registry.submit(live_table, CY, "leave", c.Leave())
        for number in range(MAX_BANS + 1):
            name = f"Guest {number}" if number % 2 else "Cy"
            token = hash_token(name) if number % 2 else CY
            fake_clock(registry).time_ms += 10_000
            await registry.take_seat(live_table, name, token, "", f"sit {number}", "192.0.2.1")
            if number < 2:
                player = (await live_table.state()).players[-1].id
                await registry.submit(live_table, ANN, f"m{number} again", c.Mute(player, muted=True))
            await registry.submit(live_table, token, f"leave {number}", c.Leave())
        await registry.take_seat(live_table, "Bo", BO, "", "again")
        with pytest.raises(ForbiddenError, match="muted"):
            await registry.submit(live_table, BO, "say", c.Say("mmm"))


async def test_a_muted_player_who_becomes_host_stays_muted(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        await registry.submit(live_table, ANN, "m", c.Mute(2, muted=True))
        await registry.submit(live_table, ANN, "h", c.MakeHost(2))
        with pytest.raises(ForbiddenError, match="themselves"):
            await registry.submit(live_table, BO, "u", c.Mute(2, muted=False))
