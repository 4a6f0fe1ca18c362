"""Bearer tokens of programs, beside the cookies of browsers."""

from __future__ import annotations

import httpx
import pytest

from liarsdice.server.http.auth import hash_token, new_token
from liarsdice.server.protocol.messages import Done
from liarsdice.server.table import commands as c
from liarsdice.server.table.log_entries import Joined
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


async def test_a_program_gets_no_cookie_and_a_browser_gets_one(server: RunningServer) -> None:
    answer = await server.program().post("/api/tables", json={"name": "Ann"})
    assert "set-cookie" not in answer.headers
    answer = await server.browser().post("/api/tables", json={"name": "Ann"})
    assert "set-cookie" in answer.headers


@pytest.mark.parametrize("token", ["a", "x" * 44, "é", "x" * 5000])
async def test_a_seat_needs_a_bearer_token_of_the_right_form(server: RunningServer, token: str) -> None:
    headers = {b"authorization": f"Bearer {token}".encode()}
    answer = await server.browser().post("/api/tables", json={"name": "Ann"}, headers=headers)
    assert answer.status_code == 400
    assert "43 letters" in answer.json()["text"]


async def test_another_scheme_of_authorization_is_no_bearer_token(server: RunningServer) -> None:
    """Such as the password of a proxy."""
    client = server.browser()
    client.headers["authorization"] = "Basic YTpi"
    code = await server.open_table(client)
    assert (await client.get(f"/api/tables/{code}")).json()["seated"], "by the cookie"
