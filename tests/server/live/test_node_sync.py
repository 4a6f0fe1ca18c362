"""Several nodes serve the same tables: each sees what the others append, and one of them drives each table."""

import asyncio
from collections.abc import Mapping

import msgspec
import pytest

from liarsdice.core.actions import Move
from liarsdice.core.rules.bids import Bid
from liarsdice.server.errors import NewerEntryError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.table_registry import GRACE_MS
from liarsdice.server.protocol.error_codes import ErrorCode, error_code
from liarsdice.server.storage.rows import read_row
from liarsdice.server.storage.store import StoredState
from liarsdice.server.table import commands as c
from liarsdice.server.table.table_config import Clock
from liarsdice.server.table.table_state import TableState
from tests.server.live_tables import (
    RecordingSubscriber,
    begin_match,
    fake_clock,
    is_over,
    make_config,
    make_table,
    token_on_turn,
    turn_id,
    wait_until,
    wait_until_idle,
)
from tests.server.running_nodes import running_nodes

ANN, BO = hash_token("Ann"), hash_token("Bo")
TURN_S = 30


async def test_pages_at_one_node_see_what_happens_at_another() -> None:
    async with running_nodes() as nodes:
        first, second = nodes.registries
        live_table = await make_table(first, "Ann", "Bo")
        other = await second.get(live_table.code)
        page = RecordingSubscriber(BO)
        other.subscribe(page)
        page.frames.clear()
        seq = await first.submit(live_table, ANN, "w", c.Say("hello"))
        await wait_until(other, lambda table: table.seq == seq)
        assert [msgspec.json.decode(frame)["type"] for frame in page.frames] == ["update"]
        assert other.known_state == live_table.known_state


async def test_a_lost_message_costs_one_comparison() -> None:
    async with running_nodes() as nodes:
        first, second = nodes.registries
        live_table = await make_table(first, "Ann", "Bo")
        other = await second.get(live_table.code)
        nodes.lose_messages()
        await first.submit(live_table, ANN, "w", c.Say("hello"))
        assert other.known_state != live_table.known_state
        await nodes.round(1)
        assert other.known_state == live_table.known_state


async def test_after_a_gap_of_the_bus_tables_are_compared_at_once() -> None:
    async with running_nodes() as nodes:
        first, second = nodes.registries
        live_table = await make_table(first, "Ann", "Bo")
        other = await second.get(live_table.code)
        await nodes.round(1)
        nodes.lose_messages()
        await first.submit(live_table, ANN, "w", c.Say("hello"))
        await nodes.round(1)
        assert other.known_state != live_table.known_state, "comparing is not due yet"
        nodes.buses[1].gap_count += 1
        await nodes.round(1)
        assert other.known_state == live_table.known_state


async def test_a_bot_is_asked_once_a_turn_although_several_nodes_have_the_table_loaded() -> None:
    """The command of a person who uses another node may arrive while a bot thinks; that turn is asked twice."""
    async with running_nodes(3) as nodes:
        live_table = await make_table(nodes.registries[0], "Ann", bots=("threshold", "random"))
        for registry in nodes.registries[1:]:
            await registry.get(live_table.code)
        await nodes.registries[1].submit(await nodes.registries[1].get(live_table.code), ANN, "b", c.Begin())
        driver = await nodes.registries[2].get(live_table.code)
        await nodes.registries[2].submit(driver, ANN, "s", c.StandIn(1, bot=True))
        await wait_until(driver, is_over)
        turns = [(match, turn) for _, match, turn in nodes.bot_turns]
        assert len(turns) > 10
        assert len(turns) - len(set(turns)) <= 1


async def test_talk_through_another_node_leaves_the_bot_to_the_node_that_asked_it() -> None:
    async with running_nodes() as nodes:
        first, second = nodes.registries
        live_table = await make_table(first, "Ann", bots=("random",))
        thinking, answer = asyncio.Event(), asyncio.Event()
        choose_move = first.services.bot_runner.choose_move

        async def think(table: TableState, bots: Mapping[int, str]) -> tuple[int, Move] | None:
            thinking.set()
            await answer.wait()
            return await choose_move(table, bots)

        first.services.bot_runner.choose_move = think  # type: ignore[method-assign]
        await begin_match(first, live_table)
        await first.submit(live_table, ANN, "s", c.StandIn(1, bot=True))
        await thinking.wait()
        other = await second.get(live_table.code)
        seq = await second.submit(other, ANN, "talk", c.Say("hello"))
        await wait_until(live_table, lambda table: table.seq >= seq)
        answer.set()
        await wait_until(live_table, is_over)
        turns = [(match, turn) for _, match, turn in nodes.bot_turns]
        assert {node for node, _, _ in nodes.bot_turns} == {0}
        assert len(turns) == len(set(turns)) > 1


async def test_a_table_whose_node_died_goes_on_at_another_after_the_grace() -> None:
    async with running_nodes() as nodes:
        first, second = nodes.registries
        live_table = await make_table(first, "Ann", "Bo", config=make_config(clock=Clock(TURN_S, 0)))
        before = await begin_match(first, live_table)
        await wait_until_idle(first, live_table.code)
        first.stop()
        nodes.pass_time(TURN_S * 1000 + GRACE_MS)
        await nodes.round(1)
        assert live_table.code not in second.loaded_codes
        nodes.pass_time(1)
        await nodes.round(1)
        after = await wait_until(await second.get(live_table.code), lambda table: turn_id(table) > turn_id(before))
        assert after.ongoing_match is not None
        assert len(after.ongoing_match.state.bids) == 1


async def test_no_node_takes_over_a_table_on_which_another_acts() -> None:
    async with running_nodes() as nodes:
        first, second = nodes.registries
        live_table = await make_table(first, "Ann", bots=("random",))
        thinking, answer = asyncio.Event(), asyncio.Event()

        async def think(_: TableState, __: Mapping[int, str]) -> None:
            thinking.set()
            await answer.wait()

        first.services.bot_runner.choose_move = think  # type: ignore[assignment, method-assign]
        await begin_match(first, live_table)
        await first.submit(live_table, ANN, "s", c.StandIn(1, bot=True))
        await thinking.wait()
        for _ in range(6):
            nodes.pass_time(GRACE_MS // 2)
            await nodes.round(0)
            await nodes.round(1)
        assert live_table.code not in second.loaded_codes
        first.stop()
        answer.set()
        await asyncio.wait(fake_clock(first).running_tasks)
        nodes.pass_time(GRACE_MS + 1)
        await nodes.round(1)
        assert live_table.code in second.loaded_codes or fake_clock(second).running_tasks


async def test_a_request_that_another_node_has_handled_is_not_handled_again() -> None:
    async with running_nodes() as nodes:
        first, second = nodes.registries
        live_table = await make_table(first, "Ann", "Bo")
        table = await begin_match(first, live_table)
        other = await second.get(live_table.code)
        nodes.lose_messages()
        token_hash = token_on_turn(table)
        seq = await first.submit(live_table, token_hash, "bid", Bid(2, 3), turn_id(table))
        assert await second.submit(other, token_hash, "bid", Bid(2, 3), turn_id(table)) == seq


async def test_a_move_is_judged_by_the_newest_state() -> None:
    async with running_nodes() as nodes:
        first, second = nodes.registries
        live_table = await make_table(first, "Ann", "Bo")
        table = await begin_match(first, live_table)
        other = await second.get(live_table.code)
        nodes.lose_messages()
        await first.submit(live_table, token_on_turn(table), "bid", Bid(2, 3), turn_id(table))
        table = await live_table.state()
        await second.submit(other, token_on_turn(table), "answer", Bid(3, 3), turn_id(table))
        assert (await other.state()).seq > table.seq


async def test_a_table_that_is_gone_does_not_hold_up_the_others() -> None:
    async with running_nodes() as nodes:
        first, second = nodes.registries
        gone, changed = [await make_table(first, "Ann", "Bo") for _ in range(2)]
        seq = await second.submit(await second.get(changed.code), ANN, "w", c.Say("hello"))
        nodes.store.tables.pop(gone.code)
        await nodes.round(0)
        assert changed.known_state is not None
        assert changed.known_state.seq == seq


async def test_nodes_start_a_process_for_bots_when_a_match_begins_or_another_node_has_begun_it() -> None:
    async with running_nodes() as nodes:
        first, second = nodes.registries
        with_bot, without = await make_table(first, "Ann", bots=("random",)), await make_table(first, "Ann", "Bo")
        for live_table in (without, with_bot):
            await first.submit(live_table, ANN, "begin", c.Begin())
            await second.get(live_table.code)
            await wait_until_idle(second, live_table.code)
            for registry in (first, second):
                assert registry.services.bot_runner.started == (live_table is with_bot)


async def test_a_node_that_stops_drives_nothing_and_still_handles_commands() -> None:
    async with running_nodes() as nodes:
        first, second = nodes.registries
        live_table = await make_table(first, "Ann", bots=("random",), config=make_config(clock=Clock(TURN_S, 0)))
        first.stop()
        await first.submit(live_table, ANN, "b", c.Begin())
        nodes.pass_time(60_000)
        await nodes.round(0)
        await wait_until(await second.get(live_table.code), lambda table: table.match is not None)
        assert not first.acts_now(live_table.code) or not fake_clock(first).running_tasks
        other = await second.get(live_table.code)
        before = await other.state()
        await nodes.round(1)
        await wait_until(other, lambda table: table.seq > before.seq)
        assert other.drives


async def test_a_table_with_entries_of_a_newer_release_is_read_again_and_not_given_up() -> None:
    async with running_nodes() as nodes:
        registry = nodes.registries[1]
        code = (await make_table(nodes.registries[0], "Ann", "Bo")).code
        load_state = nodes.store.load_state

        async def load_newer(_: str) -> StoredState | None:
            read_row(code, (7, 1_000, "", b'{"type":"teleported","player":1}'))
            return None

        nodes.store.load_state = load_newer  # type: ignore[assignment, method-assign]
        for _ in range(2):
            with pytest.raises(NewerEntryError, match="newer release; try again") as refused:
                await registry.get(code)
            assert error_code(refused.value) is ErrorCode.TRY_AGAIN
        nodes.store.load_state = load_state  # type: ignore[method-assign]
        assert (await registry.get(code)).code == code
        assert registry.unreadable_codes == set()
