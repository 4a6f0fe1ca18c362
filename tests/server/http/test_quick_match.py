"""Quick matches: who comes for one sits down with people who wait, or opens a table to wait at."""

import asyncio
from typing import Any

import httpx
import pytest

from liarsdice.server.errors import ForbiddenError
from liarsdice.server.table import commands as c
from liarsdice.server.table.deadlines import QUICK_FULL_MS, QUICK_MS
from liarsdice.wire import Stage
from tests.server.live_tables import make_config, wait_until
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
