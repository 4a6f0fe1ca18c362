"""Bearer tokens of programs, beside the cookies of browsers."""

import asyncio
from pathlib import Path

import httpx
import msgspec
import pytest

from liarsdice.server import services
from liarsdice.server.http.address_limits import RateLimits
from liarsdice.server.http.auth import COOKIE, hash_token, new_token
from liarsdice.server.protocol.messages import Done, ErrorCode, Problem
from liarsdice.server.settings import ProgramAdmission, TokenScope
from liarsdice.server.storage.administration import SqliteAdministration
from liarsdice.server.storage.store import ProgramToken
from liarsdice.server.table import commands as c
from liarsdice.server.table.log_entries import Joined, Spoke
from liarsdice.server.table.table_state import player_on_turn
from tests.server.live_tables import PATIENCE_S, START_MS, is_bidding, wait_until
from tests.server.running_server import (
    RunningServer,
    close_code,
    receive,
    receive_all,
    run_server,
    say_hello,
    send_command,
)


async def test_a_bearer_token_holds_a_seat_over_http_and_over_a_web_socket(server: RunningServer) -> None:
    token = new_token()
    client = server.program(token)
    code = await server.open_table(client)
    joined = [row.entry for row in server.log(code) if isinstance(row.entry, Joined)]
    assert [entry.token_hash for entry in joined] == [hash_token(token)]
    assert (await client.get(f"/api/tables/{code}")).json()["seated"]
    cookieless = httpx.AsyncClient(headers={"cookie": "liarsdice=other", **client.headers}, base_url=server.address)
    server.clients.append(cookieless)
    assert (await cookieless.get(f"/api/tables/{code}")).json()["seated"], "the header counts, not the cookie"
    async with server.connect(code, bearer=token) as socket:
        await say_hello(socket)
        await send_command(socket, "1", c.Say("hello"))
        assert Done("1", 5) in [await receive(socket), await receive(socket)]


async def test_a_bearer_token_counts_and_not_the_cookie_beside_it(server: RunningServer) -> None:
    ann, bo = server.browser(), server.program()
    code = await server.open_table(ann)
    assert (await bo.post(f"/api/tables/{code}/seats", json={"name": "Bo", "id": "sit"})).status_code == 201
    for authorization, player in ((bo.headers["authorization"], 2), (f"Bearer {new_token()}", None)):
        ann.headers["authorization"] = authorization
        view = (await ann.get(f"/api/tables/{code}/view")).json()
        assert view["update"]["own"]["player"] == player
        command = {"id": str(player), "command": {"type": "say", "text": "hello"}}
        said = await ann.post(f"/api/tables/{code}/act", json=command)
        assert said.status_code == (403 if player is None else 200)
        players = [row.entry.player for row in server.log(code) if isinstance(row.entry, Spoke)]
        assert players == [2]


async def test_a_program_gets_no_cookie_and_a_browser_gets_one(server: RunningServer) -> None:
    answer = await server.program().post("/api/tables", json={"name": "Ann"})
    assert "set-cookie" not in answer.headers
    answer = await server.browser().post("/api/tables", json={"name": "Ann"})
    assert "set-cookie" in answer.headers


@pytest.mark.parametrize("token", ["", "a", "x" * 44, "é", "x" * 5000])
async def test_a_bearer_token_of_another_form_is_refused(server: RunningServer, token: str) -> None:
    """Otherwise a program that has cut its token short would be a spectator, and not know why."""
    client = server.browser()
    code = await server.open_table(client)
    headers = {b"authorization": f"Bearer {token}".strip().encode()}
    for answer in (
        await client.post("/api/tables", json={"name": "Ann"}, headers=headers),
        await client.get(f"/api/tables/{code}/view", headers=headers),
        await client.post(f"/api/tables/{code}/act", json={"id": "1", "command": {"type": "begin"}}, headers=headers),
    ):
        assert answer.status_code == 400
        assert "43 letters" in answer.json()["text"]


async def test_another_scheme_of_authorization_is_no_bearer_token(server: RunningServer) -> None:
    """Such as the password of a proxy."""
    client = server.browser()
    client.headers["authorization"] = "Basic YTpi"
    code = await server.open_table(client)
    assert (await client.get(f"/api/tables/{code}")).json()["seated"], "by the cookie"


async def test_a_seat_is_marked_as_a_program_s_however_it_was_taken(server: RunningServer) -> None:
    ann, program = server.browser(), server.program()
    code = await server.open_table(ann, approval=True)
    await program.post(f"/api/tables/{code}/seats", json={"name": "Botty", "id": "sit"})
    answer = c.AnswerSeat(1, give=True)
    body = {"id": "1", "command": msgspec.to_builtins(answer)}
    assert (await ann.post(f"/api/tables/{code}/act", json=body)).status_code == 200
    assert await programs_at(server, code) == {"Ann": False, "Botty": True}
    ticket = (await ann.post(f"/api/tables/{code}/ticket")).json()["ticket"]
    redeemed = await server.program().post(f"/api/tables/{code}/redeem", json={"ticket": ticket})
    assert redeemed.status_code == 201
    assert await programs_at(server, code) == {"Ann": True, "Botty": True}
    form = {"name": "Cy", "rules": "perudo", "id": "quick"}
    code = (await server.program().post("/api/quick-match", json=form)).json()["code"]
    await server.browser().post("/api/quick-match", json=form | {"name": "Dee"})
    assert await programs_at(server, code) == {"Cy": True, "Dee": False}


@pytest.mark.parametrize("by_socket", [False, True])
async def test_a_seat_of_a_browser_is_marked_once_a_program_uses_its_token(
    server: RunningServer, by_socket: bool
) -> None:
    ann = server.browser()
    code = await server.open_table(ann)
    token = ann.cookies[COOKIE]
    assert await programs_at(server, code) == {"Ann": False}
    if by_socket:
        async with server.connect(code, bearer=token) as socket:
            await say_hello(socket)
    else:
        body = {"id": "1", "command": {"type": "say", "text": "hello"}}
        assert (await server.program(token).post(f"/api/tables/{code}/act", json=body)).status_code == 200
    assert await programs_at(server, code) == {"Ann": True}
    before = len(server.log(code))
    await server.program(token).get(f"/api/tables/{code}/view")
    assert len(server.log(code)) == before, "it is marked once"
    assert (await (await server.registry.get(code)).state()).players[0].token_hashes == (hash_token(token),)


async def programs_at(server: RunningServer, code: str) -> dict[str, bool]:
    """Which players of a table everybody sees as programs."""
    view = (await server.browser().get(f"/api/tables/{code}/view")).json()
    return {player["name"]: player.get("program", False) for player in view["update"]["table"]["players"]}


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
    before = server.log(code)
    server.services.pace = 1000
    body = {"id": "1", "command": {"type": "bid", "quantity": 1, "face": 2}, "turn_id": match.turn_id}
    waiting = asyncio.create_task(client.post(f"/api/tables/{code}/act", json=body))
    assert not (await asyncio.wait((waiting,), timeout=0.2))[0]
    server.services.program_tokens.replace([ProgramToken(hash_token(token), "bot", ALL, 0, START_MS)])
    refused = await asyncio.wait_for(waiting, PATIENCE_S)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert server.log(code) == before


async def test_a_token_of_the_operator_has_a_budget_of_its_own(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db", RateLimits(work_per_minute=1, now_s=lambda: 0.0)) as server:
        code = await server.open_table(server.browser(), rules="classic")
        guest, known = server.program(), server.program(give_token(server, TokenScope.READ))
        statuses = [(await guest.get(f"/api/tables/{code}/view")).status_code for _ in range(6)]
        assert statuses[-1] == 429
        assert [(await known.get(f"/api/tables/{code}/view")).status_code for _ in range(6)] == [200] * 5 + [429]
