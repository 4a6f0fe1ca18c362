"""Nodes take over what another one left: all of it at once, and nothing that only a newer release can read."""

import asyncio
from collections.abc import Sequence

import msgspec
import pytest

from liarsdice.server.errors import NewerEntryError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.http.websocket import handle_message
from liarsdice.server.live import table_registry
from liarsdice.server.live.table_registry import GRACE_MS, STARTING_GRACE_MS, TableRegistry
from liarsdice.server.protocol.messages import CommandRequest
from liarsdice.server.table import commands as c
from liarsdice.server.table.bot_runner import BotRunner
from liarsdice.server.table.table_config import Clock
from tests.server.live_tables import (
    RecordingSubscriber,
    begin_match,
    fake_clock,
    make_config,
    make_table,
    wait_until_idle,
)
from tests.server.running_nodes import Nodes, running_nodes

ANN, BO = hash_token("Ann"), hash_token("Bo")
TURN_S = 30


async def leave_tables(nodes: Nodes, count: int) -> list[str]:
    """The codes of tables whose turns are over, and whose node does nothing any more."""
    registry = nodes.registries[0]
    codes = []
    for _ in range(count):
        live_table = await make_table(registry, "Ann", "Bo", config=make_config(clock=Clock(TURN_S, 0)))
        await begin_match(registry, live_table)
        await wait_until_idle(registry, live_table.code)
        codes.append(live_table.code)
    registry.stop()
    nodes.pass_time(TURN_S * 1000)
    return codes


async def finish_tasks(registry: TableRegistry) -> None:
    while tasks := fake_clock(registry).running_tasks:
        await asyncio.wait(tasks)


async def test_one_round_takes_over_every_table_that_is_due_and_a_few_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(table_registry, "MAX_CLAIMED", 2)
    monkeypatch.setattr(table_registry, "MAX_LOADING", 3)
    async with running_nodes() as nodes:
        codes = await leave_tables(nodes, 5)
        nodes.pass_time(GRACE_MS + 1)
        await nodes.round(1)
        await finish_tasks(nodes.registries[1])
        assert nodes.registries[1].loaded_codes == set(codes)
        assert all([(await nodes.registries[1].get(code)).drives for code in codes])


async def test_a_node_whose_process_for_bots_is_starting_leaves_tables_to_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with running_nodes() as nodes:
        await leave_tables(nodes, 1)
        monkeypatch.setattr(BotRunner, "starting", True)
        nodes.pass_time(GRACE_MS + 1)
        await nodes.round(1)
        assert nodes.registries[1].loaded_codes == set()
        nodes.pass_time(STARTING_GRACE_MS - GRACE_MS)
        await nodes.round(1)
        assert nodes.registries[1].loaded_codes


async def test_a_node_whose_process_for_bots_is_starting_does_not_keep_the_table_that_waits_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another node, whose bots are ready, takes it over."""
    postponed: list[Sequence[tuple[str, int, int]]] = []
    async with running_nodes() as nodes:
        first = nodes.registries[0]
        live_table = await make_table(first, "Ann", "Bo")
        monkeypatch.setattr("liarsdice.server.live.timers.TableTimers.acting", True)

        async def record(due_times: Sequence[tuple[str, int, int]]) -> None:
            postponed.append([*due_times])

        monkeypatch.setattr(nodes.store, "postpone", record)
        await nodes.round(0)
        monkeypatch.setattr(BotRunner, "starting", True)
        await nodes.round(0)
    assert [[code for code, _, _ in times] for times in postponed] == [[live_table.code], []]


async def test_pages_at_a_node_that_cannot_read_what_a_newer_one_has_written_connect_to_another() -> None:
    async with running_nodes(old_releases=1) as nodes:
        first, old = nodes.registries
        live_table, readable = [await make_table(first, "Ann", "Bo") for _ in range(2)]
        pages = []
        for table in (live_table, readable):
            pages.append(RecordingSubscriber(BO))
            (await old.get(table.code)).subscribe(pages[-1])
        nodes.old_stores[0].newer_codes.add(live_table.code)
        for table in (live_table, readable):
            await first.submit(table, ANN, "w", c.Say("hello"))
        await finish_tasks(old)
        assert [page.handed_over for page in pages] == [True, False]
        assert old.loaded_codes == {readable.code}
        assert old.unreadable_codes == set()


async def test_a_command_that_only_a_newer_node_can_handle_is_left_to_it() -> None:
    """With an answer, the page would not send it again."""
    async with running_nodes(old_releases=1) as nodes:
        first, old = nodes.registries
        live_table = await make_table(first, "Ann", "Bo")
        other = await old.get(live_table.code)
        nodes.lose_messages()
        nodes.old_stores[0].newer_codes.add(live_table.code)
        seq = await first.submit(live_table, ANN, "w", c.Say("hello"))
        message = msgspec.json.encode(CommandRequest("1", c.Say("hi"))).decode()
        with pytest.raises(NewerEntryError):
            await handle_message(old, other, BO, message)
        assert (await nodes.store.heads([live_table.code]))[live_table.code] == seq


async def test_a_node_leaves_the_deadlines_of_tables_that_it_cannot_read_to_the_others() -> None:
    async with running_nodes(old_releases=1) as nodes:
        code, other_code = await leave_tables(nodes, 2)
        nodes.old_stores[0].newer_codes.add(code)
        for _ in range(2):
            nodes.pass_time(GRACE_MS + 1)
            await nodes.round(1)
            await finish_tasks(nodes.registries[1])
        claimed = nodes.store.tables[code].due_at_ms
        assert claimed == nodes.store.time_ms - GRACE_MS - 1, "it was claimed twice"
        assert nodes.registries[1].loaded_codes == {other_code}
