"""The timers of a table survive errors, and do nothing at a table that waits for a command."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from liarsdice.core.actions import Move
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live import timers
from liarsdice.server.live.timers import TableTimers
from liarsdice.server.table import commands as c
from liarsdice.server.table.log_entries import Played
from liarsdice.server.table.table_state import TableState
from tests.server.live_tables import PATIENCE_S, begin_match, is_over, make_table, open_registry, wait_until


async def test_a_table_goes_on_after_an_error_in_its_timers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timers, "RETRY_MS", 0)
    async with open_registry(tmp_path / "db") as registry:
        choose_move, failures = registry.services.bot_runner.choose_move, 0

        async def fail_at_first(table: TableState, bots: Mapping[int, str]) -> tuple[int, Move] | None:
            nonlocal failures
            failures += 1
            if failures <= 3:
                raise OSError("no bot answers")
            return await choose_move(table, bots)

        monkeypatch.setattr(registry.services.bot_runner, "choose_move", fail_at_first)
        live_table = await make_table(registry, "Ann", bots=("random",))
        await registry.submit(live_table, hash_token("Ann"), "begin", c.Begin())
        await registry.submit(live_table, hash_token("Ann"), "bot", c.StandIn(1, bot=True))
        await wait_until(live_table, is_over)
        assert failures > 3


async def test_a_table_does_not_try_again_after_its_timers_were_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timers, "RETRY_MS", 0)
    async with open_registry(tmp_path / "db") as registry:
        failures, failed = 0, asyncio.Event()

        async def fail(_: TableState, __: Mapping[int, str]) -> None:
            nonlocal failures
            failures += 1
            failed.set()
            registry.stop()
            raise OSError("no bot answers")

        monkeypatch.setattr(registry.services.bot_runner, "choose_move", fail)
        live_table = await make_table(registry, "Ann", bots=("random",))
        await registry.submit(live_table, hash_token("Ann"), "begin", c.Begin())
        await registry.submit(live_table, hash_token("Ann"), "bot", c.StandIn(1, bot=True))
        async with asyncio.timeout(PATIENCE_S):
            await failed.wait()
        for _ in range(100):
            await asyncio.sleep(0)
        assert failures == 1


async def test_timers_do_nothing_while_a_person_without_a_clock_is_on_turn(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        await begin_match(registry, live_table)
        assert live_table.deadline is None
        assert not TableTimers(registry.services, live_table).acts_now


async def test_a_bot_decides_each_of_its_turns_once(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", bots=("random",))
        await registry.submit(live_table, hash_token("Ann"), "begin", c.Begin())
        await registry.submit(live_table, hash_token("Ann"), "bot", c.StandIn(1, bot=True))
        await wait_until(live_table, is_over)
        stored = await registry.services.store.load(live_table.code)
        assert stored is not None
        moves = [row for row in stored.rows if isinstance(row.entry, Played) and row.entry.seat is not None]
        assert f"liarsdice_bot_turns_total {len(moves)}.0".encode() in registry.services.metrics.text().splitlines()
