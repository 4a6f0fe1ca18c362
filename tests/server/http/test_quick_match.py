"""Quick match: who is given a seat where, and who is passed over."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from liarsdice.server.errors import AddressLimitError, ForbiddenError
from liarsdice.server.http.api import MAX_SHOWN_PER_NETWORK
from liarsdice.server.live.table_registry import HOST_AWAY_MS, MAX_LISTED_PER_NETWORK
from liarsdice.server.services import AddressPolicy
from liarsdice.server.table import commands as c
from liarsdice.server.table.deadlines import QUICK_FULL_MS, QUICK_MS
from liarsdice.server.table.table_state import STALLED_MS, Stage
from tests.server.live_tables import RecordingSubscriber, make_config, wait_until
from tests.server.running_server import RunningServer

RULES = "perudo"


async def quick_match(client: httpx.AsyncClient, name: str, **form: object) -> httpx.Response:
    return await client.post("/api/quick-match", json={"name": name, "rules": RULES, "id": name, "seats": 3, **form})


async def table_of(client: httpx.AsyncClient, name: str, **form: object) -> str:
    """The code of the table at which a quick match gives a seat."""
    answer = await quick_match(client, name, **form)
    assert answer.status_code == 201, answer.text
    code: str = answer.json()["code"]
    return code


async def players_at(server: RunningServer, code: str) -> list[str]:
    summary: dict[str, Any] = (await server.browser().get(f"/api/tables/{code}")).json()
    return [str(name) for name in summary["player_names"]]


async def test_who_comes_at_once_sits_at_one_table_until_it_is_full(server: RunningServer) -> None:
    names = ("Ann", "Bo", "Cy", "Dee")
    codes = await asyncio.gather(*(table_of(server.browser(), name) for name in names))
    tables = {code: await players_at(server, code) for code in codes}
    assert sorted(len(players) for players in tables.values()) == [1, 3]
    assert sorted(name for players in tables.values() for name in players) == sorted(names)


async def test_a_listed_table_of_other_rules_is_passed_over(server: RunningServer) -> None:
    other = await table_of(server.browser(), "Ann", rules="basic")
    code = await table_of(server.browser(), "Bo")
    assert code != other
    assert await table_of(server.browser(), "Cy", rules="basic") == other


async def test_tables_that_cannot_be_joined_are_passed_over(server: RunningServer) -> None:
    host_begins = await server.open_table(server.browser(), "Abe", rules=RULES, listed=True)
    unlisted = await server.open_table(server.browser(), "Ann", rules=RULES)
    asking = await server.open_table(server.browser(), "Bo", rules=RULES, listed=True, approval=True)
    full = await server.open_table(server.browser(), "Cy", rules=RULES, listed=True, seats=2, bots=["random"])
    playing = await server.open_table(
        server.browser(), "Dee", rules=RULES, listed=True, seats=3, bots=["random"], begin=True
    )
    taken = await server.open_table(server.browser(), "Eve", rules=RULES, listed=True)
    assert await table_of(server.browser(), "Eve") not in {host_begins, unlisted, asking, full, playing, taken}


async def test_a_table_whose_host_has_gone_is_passed_over(server: RunningServer) -> None:
    code = await table_of(server.browser(), "Ann")
    assert await table_of(server.browser(), "Bo") == code
    server.services.time_ms += 10_000
    assert await table_of(server.browser(), "Cy") != code


async def test_asking_again_keeps_the_seat(server: RunningServer) -> None:
    client = server.browser()
    code = await table_of(client, "Ann")
    assert await table_of(client, "Ann") == code
    assert await players_at(server, code) == ["Ann"]


async def test_a_name_that_cannot_be_and_unknown_rules_open_no_table(server: RunningServer) -> None:
    assert (await quick_match(server.browser(), "")).status_code == 400
    assert (await quick_match(server.browser(), "Ann", rules="chess")).status_code in {400, 404}
    assert (await server.browser().get("/api/lobby")).json() == []


async def test_the_match_of_a_full_table_begins_without_its_host(server: RunningServer) -> None:
    codes = [await table_of(server.browser(), name) for name in ("Ann", "Bo", "Cy")]
    live_table = await server.registry.get(codes[0])
    assert live_table.left_ms() == QUICK_FULL_MS
    server.services.time_ms += QUICK_FULL_MS
    await live_table.refresh()
    table = await wait_until(live_table, lambda table: table.stage is Stage.PLAYING)
    assert [player.name for player in table.players] == ["Ann", "Bo", "Cy"]


async def test_bots_take_the_free_seats_if_nobody_else_comes(server: RunningServer) -> None:
    code = await table_of(server.browser(), "Ann", seats=4)
    live_table = await server.registry.get(code)
    assert live_table.deadline is None, "Ann may wait for as long as she likes"
    await table_of(server.browser(), "Bo", seats=4)
    assert live_table.left_ms() == QUICK_MS
    server.services.time_ms += QUICK_MS
    await live_table.refresh()
    await wait_until(live_table, lambda table: len(table.players) == 4)
    server.services.time_ms += QUICK_FULL_MS
    await live_table.refresh()
    table = await wait_until(live_table, lambda table: table.stage is Stage.PLAYING)
    assert [player.bot is None for player in table.players] == [True, True, False, False]


@pytest.mark.parametrize(
    "command",
    [c.Lock(locked=True), c.Remove(2), c.MakeHost(2), c.Change(make_config(RULES))],
    ids=lambda c: type(c).__name__,
)
async def test_the_host_of_a_quick_match_cannot_keep_it_from_beginning(
    server: RunningServer, command: c.Command
) -> None:
    live_table = await server.registry.get(await table_of(server.browser(), "Ann"))
    await table_of(server.browser(), "Bo")
    host = (await live_table.state()).players[0].token_hashes[0]
    with pytest.raises(ForbiddenError, match="begins by itself"):
        await server.registry.submit(live_table, host, "1", command)


async def test_tables_of_one_network_do_not_push_others_out_of_the_lobby(server: RunningServer) -> None:
    """The honest table is the oldest, and its two players come from two networks."""
    server.services.address_policy = AddressPolicy(b"key", seats_per_address=3)
    config = replace(make_config(RULES), listed=True)
    honest, _ = await server.registry.open_table(config, "Ann", "ann", "", (), "192.0.2.1")
    await server.registry.take_seat(honest, "Bo", "bo", "", "sit", "198.51.100.7")
    pages = [RecordingSubscriber(token_hash) for token_hash in ("ann", "bo")]
    for page in pages:
        honest.subscribe(page)
    for number in range(60):
        server.services.time_ms += HOST_AWAY_MS  # the hosts before have gone
        network = f"2001:db8:1:{number:x}::1"
        await server.registry.open_table(config, "Eve", f"eve {number}", "", (), network)
    listed = (await server.browser().get("/api/lobby")).json()
    assert listed[0]["code"] == honest.code
    assert len(listed) == 1 + MAX_SHOWN_PER_NETWORK


async def test_one_network_opens_few_listed_tables(server: RunningServer) -> None:
    server.services.address_policy = AddressPolicy(b"key", seats_per_address=3)
    hidden, listed = make_config(RULES), replace(make_config(RULES), listed=True)
    registry = server.registry
    for number in range(MAX_LISTED_PER_NETWORK):
        await registry.open_table(listed, "Eve", f"eve {number}", "", (), "192.0.2.1")
    with pytest.raises(AddressLimitError):
        await registry.open_table(listed, "Eve", "eve", "", (), "192.0.2.1")
    later, _ = await registry.open_table(hidden, "Eve", "eve", "", (), "192.0.2.1")
    with pytest.raises(AddressLimitError):
        await registry.submit(later, "eve", "list", c.Change(listed))
    await registry.open_table(listed, "Ann", "ann", "", (), "198.51.100.7")


async def test_a_guest_takes_over_from_a_host_who_is_here_and_never_begins(server: RunningServer) -> None:
    registry, config = server.registry, replace(make_config(RULES), listed=True)
    live_table, _ = await registry.open_table(config, "Ann", "ann", "", ())
    page = RecordingSubscriber("ann")
    live_table.subscribe(page)
    await registry.take_seat(live_table, "Bo", "bo", "", "sit")
    server.services.time_ms += STALLED_MS - 1
    with pytest.raises(ForbiddenError, match="the host is here"):
        await registry.submit(live_table, "bo", "early", c.MakeHost(2))
    server.services.time_ms += 1
    with pytest.raises(ForbiddenError):
        await registry.submit(live_table, "nobody", "host", c.MakeHost(2))
    await registry.submit(live_table, "bo", "host", c.MakeHost(2))
    live_table.unsubscribe(page)
    live_table.subscribe(page)
    await registry.submit(live_table, "bo", "begin", c.Begin())
    assert (await live_table.state()).host == 2
