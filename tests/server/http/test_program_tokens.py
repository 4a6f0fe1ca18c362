"""Programs are admitted as the setting says; tokens of the operator have scopes, a budget, and an end."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest

from liarsdice.server import services
from liarsdice.server.http.auth import COOKIE, hash_token, new_token
from liarsdice.server.http.limits import RateLimits
from liarsdice.server.protocol.error_codes import ErrorCode
from liarsdice.server.protocol.messages import Problem
from liarsdice.server.settings import ProgramAdmission, TokenScope
from liarsdice.server.storage.administration import SqliteAdministration
from liarsdice.server.storage.store import ProgramToken
from liarsdice.server.table.table_state import player_on_turn
from tests.server.live_tables import PATIENCE_S, START_MS, is_bidding, wait_until
from tests.server.running_server import RunningServer, close_code, receive, receive_all, run_server, say_hello

ALL = tuple(TokenScope)


def give_token(server: RunningServer, *scopes: TokenScope, until_ms: int | None = None) -> str:
    """A token that the server knows from now on, and no other."""
    token = new_token()
    server.services.program_tokens.replace([ProgramToken(hash_token(token), "bot", scopes, 0, until_ms)])
    return token


async def outcomes(client: httpx.AsyncClient, code: str, name: str = "Bo") -> dict[str, bool]:
    """What a program may do at a table, by the scope that it needs."""
    answers = {
        "read": await client.get(f"/api/tables/{code}/view"),
        "play": await client.post(f"/api/tables/{code}/seats", json={"name": name, "id": "sit"}),
        "open": await client.post("/api/tables", json={"name": "Bo"}),
    }
    for answer in answers.values():
        assert answer.is_success or (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    return {scope: answer.is_success for scope, answer in answers.items()}


@pytest.mark.parametrize(
    "admission, guest, known",
    [
        (ProgramAdmission.OFF, False, False),
        (ProgramAdmission.GUESTS, True, True),
        (ProgramAdmission.TOKENS, False, True),
    ],
)
async def test_the_setting_says_which_programs_are_admitted(
    server: RunningServer, admission: ProgramAdmission, guest: bool, known: bool
) -> None:
    code = await server.open_table(server.browser())
    token = give_token(server, *ALL)
    server.services.program_tokens.admission = admission
    assert set((await outcomes(server.program(), code, "Cy")).values()) == {guest}
    assert set((await outcomes(server.program(token), code)).values()) == {known}
    assert set((await outcomes(server.browser(), code, "Dee")).values()) == {True}, "people are no programs"


@pytest.mark.parametrize("scope", ALL)
async def test_a_scope_allows_what_it_says_and_nothing_else(server: RunningServer, scope: TokenScope) -> None:
    code = await server.open_table(server.browser())
    client = server.program(give_token(server, scope))
    assert await outcomes(client, code) == {other.value: other is scope for other in ALL}
    refused = await client.post("/api/tables", json={"name": "Bo"})
    assert refused.is_success or "lacks the scope 'open'" in refused.json()["text"]


async def test_a_token_of_the_operator_is_limited_in_a_cookie_too(server: RunningServer) -> None:
    code = await server.open_table(server.browser())
    client = server.browser()
    client.cookies.set(COOKIE, give_token(server, TokenScope.READ, until_ms=START_MS + 1000))
    assert await outcomes(client, code) == {"read": True, "play": False, "open": False}
    async with server.connect(code, client) as socket:
        await socket.send('{"type":"hello"}')
        assert await close_code(socket) == 4403
    server.services.time_ms += 1000
    assert set((await outcomes(client, code)).values()) == {False}, "an ended token is no browser's"


async def test_a_web_socket_needs_the_scope_to_play(server: RunningServer) -> None:
    code = await server.open_table(server.browser())
    async with server.connect(code, bearer=give_token(server, TokenScope.READ)) as socket:
        await socket.send('{"type":"hello"}')
        problem = await receive(socket)
        assert isinstance(problem, Problem)
        assert problem.code is ErrorCode.FORBIDDEN
        assert await close_code(socket) == 4403
    async with server.connect(code, bearer=give_token(server, TokenScope.PLAY)) as socket:
        assert len(await say_hello(socket)) == 2


async def test_a_token_expires(server: RunningServer) -> None:
    code = await server.open_table(server.browser())
    client = server.program(give_token(server, *ALL, until_ms=START_MS + 1000))
    assert (await client.get(f"/api/tables/{code}/view")).status_code == 200
    server.services.time_ms += 1000
    refused = await client.get(f"/api/tables/{code}/view")
    assert refused.status_code == 403
    assert "expired or was revoked" in refused.json()["text"]


async def test_a_running_server_refuses_a_token_that_is_revoked_and_ends_what_it_has_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A guest's token would still be admitted, so the server must not forget a revoked one."""
    monkeypatch.setattr(services, "BAN_REFRESH_S", 0.01)
    administration = SqliteAdministration(tmp_path / "db")
    token = new_token()
    async with run_server(tmp_path / "db") as server:
        code = await server.open_table(server.browser())
        row = ProgramToken(hash_token(token), "bot", (TokenScope.READ, TokenScope.PLAY), START_MS, None)
        await asyncio.to_thread(administration.add_token, row)
        client = server.program(token)
        async with asyncio.timeout(PATIENCE_S):
            while (await client.post("/api/tables", json={"name": "Bo"})).status_code != 403:
                await server.services.refresh_bans()
        seq = (await client.get(f"/api/tables/{code}/view")).json()["update"]["seq"]
        params = {"after": seq, "wait": 30}
        waiting = asyncio.create_task(client.get(f"/api/tables/{code}/view", params=params))
        async with server.connect(code, bearer=token) as socket:
            await say_hello(socket)
            await asyncio.to_thread(administration.revoke_token, "bot", START_MS)
            messages = await receive_all(socket)
        assert isinstance(messages[-1], Problem)
        assert "revoked" in messages[-1].text
        assert (await asyncio.wait_for(waiting, PATIENCE_S)).status_code == 403
        assert (await client.get("/api/lobby")).status_code == 403


async def test_a_move_that_waits_for_the_pace_is_not_made_once_its_token_has_ended(server: RunningServer) -> None:
    token = give_token(server, *ALL)
    client = server.program(token)
    code = await server.open_table(client, bots=["random"], begin=True)
    live_table = await server.registry.get(code)
    await wait_until(live_table, lambda table: is_bidding(table) and player_on_turn(table) == table.players[0])
    match = (await live_table.state()).match
    assert match is not None
    before = await server.log(code)
    server.services.pace = 1000
    body = {"id": "1", "command": {"type": "bid", "quantity": 1, "face": 2}, "turn_id": match.turn_id}
    waiting = asyncio.create_task(client.post(f"/api/tables/{code}/act", json=body))
    assert not (await asyncio.wait((waiting,), timeout=0.2))[0]
    server.services.program_tokens.replace([ProgramToken(hash_token(token), "bot", ALL, 0, START_MS)])
    refused = await asyncio.wait_for(waiting, PATIENCE_S)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert await server.log(code) == before


async def test_a_token_of_the_operator_has_a_budget_of_its_own(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db", RateLimits(work_per_minute=1)) as server:
        code = await server.open_table(server.browser(), rules="classic")
        guest, known = server.program(), server.program(give_token(server, TokenScope.READ))
        statuses = [(await guest.get(f"/api/tables/{code}/view")).status_code for _ in range(6)]
        assert statuses[-1] == 429
        assert [(await known.get(f"/api/tables/{code}/view")).status_code for _ in range(6)] == [200] * 5 + [429]
