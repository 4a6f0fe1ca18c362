"""Quick match: who is given a seat where, and who is passed over."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx

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
    unlisted = await server.open_table(server.browser(), "Ann", rules=RULES)
    asking = await server.open_table(server.browser(), "Bo", rules=RULES, listed=True, approval=True)
    full = await server.open_table(server.browser(), "Cy", rules=RULES, listed=True, seats=2, bots=["random"])
    playing = await server.open_table(
        server.browser(), "Dee", rules=RULES, listed=True, seats=3, bots=["random"], begin=True
    )
    taken = await server.open_table(server.browser(), "Eve", rules=RULES, listed=True)
    assert await table_of(server.browser(), "Eve") not in {unlisted, asking, full, playing, taken}


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
