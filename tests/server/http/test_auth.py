"""Bearer tokens of programs, beside the cookies of browsers."""

from __future__ import annotations

import httpx
import msgspec
import pytest

from liarsdice.server.http.auth import COOKIE, hash_token, new_token
from liarsdice.server.protocol.messages import Done
from liarsdice.server.table import commands as c
from liarsdice.server.table.log_entries import Joined, Spoke
from tests.server.running_server import RunningServer, receive, say_hello, send_command


async def test_a_bearer_token_holds_a_seat_over_http_and_over_a_web_socket(server: RunningServer) -> None:
    token = new_token()
    client = server.program(token)
    code = await server.open_table(client)
    joined = [row.entry for row in await server.log(code) if isinstance(row.entry, Joined)]
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
        players = [row.entry.player for row in await server.log(code) if isinstance(row.entry, Spoke)]
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
    before = len(await server.log(code))
    await server.program(token).get(f"/api/tables/{code}/view")
    assert len(await server.log(code)) == before, "it is marked once"
    assert (await (await server.registry.get(code)).state()).players[0].token_hashes == (hash_token(token),)


async def programs_at(server: RunningServer, code: str) -> dict[str, bool]:
    """Which players of a table everybody sees as programs."""
    view = (await server.browser().get(f"/api/tables/{code}/view")).json()
    return {player["name"]: player.get("program", False) for player in view["update"]["table"]["players"]}
