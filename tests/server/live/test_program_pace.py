"""The moves of programs wait as long as those of bots would; nothing else waits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from liarsdice.core.rules.bids import Bid
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.table import commands as c
from liarsdice.server.table.deadlines import BOT_MOVE_MS, PACE_FACTORS, bot_delay_ms, program_delay_ms
from liarsdice.server.table.table_config import Clock, Pace
from liarsdice.server.table.table_state import TableState
from tests.server.live_tables import begin_match, fake_clock, make_config, make_table, open_registry, turn_id

ANN, BO = hash_token("Ann"), hash_token("Bo")


@pytest.fixture
async def registry(tmp_path: Path) -> AsyncIterator[TableRegistry]:
    async with open_registry(tmp_path / "db") as opened:
        yield opened


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How many seconds moves have waited, without waiting."""
    delays = list[float]()

    async def sleep(delay_s: float) -> None:
        delays.append(delay_s)

    monkeypatch.setattr("liarsdice.server.live.live_table.asyncio", SimpleNamespace(sleep=sleep))
    return delays


async def table_with_a_program(registry: TableRegistry) -> LiveTable:
    """Ann's table, at which Bo's seat is held by a program."""
    live_table = await make_table(registry, "Ann", config=make_config("classic"))
    await registry.take_seat(live_table, "Bo", BO, "", "sit", program=True)
    return live_table


async def table_on_the_program_s_turn(registry: TableRegistry, live_table: LiveTable) -> TableState:
    table = await begin_match(registry, live_table)
    assert table.match is not None
    if table.match.state.turn == 0:
        await registry.submit(live_table, ANN, "open", Bid(1, 2), turn_id(table))
    return await live_table.state()


async def test_a_program_moves_when_a_bot_would(registry: TableRegistry, slept: list[float]) -> None:
    live_table = await table_with_a_program(registry)
    table = await table_on_the_program_s_turn(registry, live_table)
    assert slept == [], "people wait for nothing"
    fake_clock(registry).pace = 1.0
    fake_clock(registry).time_ms += 500
    await registry.submit(live_table, BO, "move", Bid(2, 3), turn_id(table))
    assert slept == [pytest.approx((program_delay_ms(table, 1) - 500) / 1000)]
    await registry.submit(live_table, BO, "move", Bid(2, 3), turn_id(table))
    await registry.submit(live_table, BO, "say", c.Say("hello"))
    assert len(slept) == 1, "a repeated move and talk wait for nothing"


async def test_a_program_that_has_thought_for_long_waits_no_more(registry: TableRegistry, slept: list[float]) -> None:
    live_table = await table_with_a_program(registry)
    table = await table_on_the_program_s_turn(registry, live_table)
    fake_clock(registry).pace = 1.0
    fake_clock(registry).time_ms += 60_000
    await registry.submit(live_table, BO, "move", Bid(2, 3), turn_id(table))
    assert slept == [0.0]


async def test_the_pace_of_the_table_counts_up_to_half_a_turn(registry: TableRegistry) -> None:
    live_table = await table_with_a_program(registry)
    table = await table_on_the_program_s_turn(registry, live_table)
    normal_ms = program_delay_ms(table, 1)
    assert normal_ms >= BOT_MOVE_MS[0]
    relaxed = replace(table, config=replace(table.config, pace=Pace.RELAXED))
    assert program_delay_ms(relaxed, 1) == round(normal_ms * PACE_FACTORS[Pace.RELAXED])
    fast = replace(relaxed, config=replace(relaxed.config, clock=Clock(turn_s=5)))
    assert program_delay_ms(fast, 1) == min(2_500, program_delay_ms(relaxed, 1))
    assert table.match is not None
    assert program_delay_ms(table, 0) == bot_delay_ms(table.match), "out of turn"
    assert program_delay_ms(replace(table, match=None), 0) == 0
