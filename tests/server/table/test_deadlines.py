"""Clocks run for the player on turn only, and pauses, stand-ins and restarts of the server keep the time right."""

import asyncio
from pathlib import Path

from msgspec.structs import replace

from liarsdice.core.actions import Challenge
from liarsdice.core.rules.bids import Bid
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.table import commands as c
from liarsdice.server.table.deadlines import REVEAL_ALONE_MS, REVEAL_MS, DeadlineKind, next_deadline, reveal_viewers
from liarsdice.server.table.table_config import Clock
from liarsdice.server.table.table_state import Player, TableState
from tests.server.live_tables import (
    begin_match,
    fake_clock,
    is_bidding,
    make_config,
    make_table,
    open_registry,
    turn_id,
    wait_until,
)

ANN = hash_token("Ann")
AT_ONCE_S = 10.0


def player_on_turn(table: TableState) -> Player:
    assert table.ongoing_match is not None
    return table.players[table.ongoing_match.state.turn]


async def table_in_match(registry: TableRegistry, clock: Clock) -> tuple[LiveTable, TableState]:
    live_table = await make_table(registry, "Ann", "Bo", config=make_config(clock=clock))
    return live_table, await begin_match(registry, live_table)


async def test_a_bot_that_stands_in_during_a_pause_moves_at_once_afterwards(registry: TableRegistry) -> None:
    live_table, table = await table_in_match(registry, Clock(3600))
    await registry.submit(live_table, ANN, "p", c.Pause(paused=True))
    await registry.submit(live_table, ANN, "s", c.StandIn(player_on_turn(table).id, bot=True))
    await registry.submit(live_table, ANN, "r", c.Pause(paused=False))
    async with asyncio.timeout(AT_ONCE_S):
        await wait_until(live_table, lambda later: turn_id(later) > turn_id(table))


async def test_a_player_who_gets_the_seat_back_during_a_pause_has_the_whole_time_of_a_turn(
    registry: TableRegistry,
) -> None:
    live_table, table = await table_in_match(registry, Clock(3600, 60))
    registry.services.pace = 10.0
    player = player_on_turn(table)
    await registry.submit(live_table, ANN, "s", c.StandIn(player.id, bot=True))
    assert live_table.deadline is not None
    assert live_table.deadline.kind is DeadlineKind.BOT_MOVE
    await registry.submit(live_table, ANN, "p", c.Pause(paused=True))
    await registry.submit(live_table, ANN, "b", c.StandIn(player.id, bot=False))
    await registry.submit(live_table, ANN, "r", c.Pause(paused=False))
    assert live_table.left_ms() == 3_660_000


async def test_a_pause_continues_after_a_restart_of_the_server(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table, table = await table_in_match(registry, Clock(30))
        fake_clock(registry).time_ms += 10_000
        await registry.submit(live_table, ANN, "p", c.Pause(paused=True))
        code = live_table.code
    async with open_registry(tmp_path / "db") as registry:
        live_table = await registry.get(code)
        assert player_on_turn(await live_table.state()) == player_on_turn(table)
        await registry.submit(live_table, ANN, "r", c.Pause(paused=False))
        assert live_table.left_ms() == 20_000


async def test_a_player_who_acts_while_a_bot_stands_in_keeps_the_time_bank(registry: TableRegistry) -> None:
    live_table, table = await table_in_match(registry, Clock(10, 60))
    registry.services.pace = 10.0
    player = player_on_turn(table)
    await registry.submit(live_table, ANN, "s", c.StandIn(player.id, bot=True))
    await registry.submit(live_table, hash_token(player.name), "b", Bid(1, 2), turn_id(table))
    after = (await live_table.state()).player(player.id)
    assert after is not None
    assert (after.stand_in, after.bank_ms) == (False, 60_000)


async def table_after_call(registry: TableRegistry, *names: str, bots: tuple[str, ...] = ()) -> TableState:
    """A table that shows the reveal of its first call."""
    live_table = await make_table(registry, *names, bots=bots)
    await registry.submit(live_table, ANN, "begin", c.Begin())
    registry.services.pace = 0
    while True:
        table = await wait_until(
            live_table, lambda table: is_bidding(table) and not player_on_turn(table).played_by_bot
        )
        assert table.ongoing_match is not None
        move = Challenge() if table.ongoing_match.state.bids else Bid(4, 6)
        registry.services.pace = 10.0 if isinstance(move, Challenge) else 0  # a bot answers the bid at once
        token_hash = hash_token(player_on_turn(table).name)
        await registry.submit(live_table, token_hash, f"m{turn_id(table)}", move, turn_id(table))
        table = await live_table.state()
        if table.ongoing_match is not None and table.ongoing_match.verdict is not None:
            return table


async def test_a_player_alone_with_bots_gets_up_to_two_minutes_to_look_at_a_reveal(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "alone") as registry:
        deadline = next_deadline(await table_after_call(registry, "Ann", bots=("random",)))
        assert deadline is not None
        assert (deadline.kind, deadline.after_ms) == (DeadlineKind.DEAL, REVEAL_ALONE_MS)
    async with open_registry(tmp_path / "two") as registry:
        deadline = next_deadline(await table_after_call(registry, "Ann", "Bo"))
        assert deadline is not None
        assert (deadline.kind, deadline.after_ms) == (DeadlineKind.DEAL, REVEAL_MS)


async def test_a_reveal_does_not_wait_for_a_program(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        table = await table_after_call(registry, "Ann", "Bo")
    ann, bo = table.players
    assert reveal_viewers(table) == (0, 1)
    table = replace(table, players=(ann, replace(bo, program=True)))
    assert reveal_viewers(table) == (0,)
    deadline = next_deadline(table)
    assert deadline is not None
    assert deadline.after_ms == REVEAL_ALONE_MS
