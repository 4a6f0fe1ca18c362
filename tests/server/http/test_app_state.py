"""An address cannot guess codes without limit, and goes on finding the tables that it knows."""

from pathlib import Path

import pytest

from liarsdice.server.http.address_limits import RateLimits
from liarsdice.server.http.app_state import Invites
from liarsdice.server.http.websocket import CLOSED_NO_TABLE, CLOSED_TOO_FAST
from tests.server.live_tables import make_table
from tests.server.running_server import RunningServer, close_code, receive, run_server, say_hello


@pytest.mark.parametrize("by_socket", [False, True])
async def test_an_address_cannot_try_codes_without_limit(tmp_path: Path, by_socket: bool) -> None:
    """Over the limit, a code that a table has is answered as one that none has."""
    async with run_server(tmp_path / "db", RateLimits(misses_per_minute=3, now_s=lambda: 0.0)) as server:
        eve = server.browser()
        code = (await make_table(server.registry, "Ann")).code
        await try_codes(server, by_socket=by_socket)
        answers = [await eve.get(f"/api/tables/{guess}") for guess in (code, "DDDD")]
        assert [answer.status_code for answer in answers] == [429, 429]
        assert answers[0].content == answers[1].content
        assert (await eve.get(f"/api/tables/{code}/qr.svg")).status_code == 429
        assert (await eve.post(f"/api/tables/{code}/seats", json={"name": "Eve", "id": "1"})).status_code == 429
        async with server.connect(code) as socket:
            await receive(socket)
            assert await close_code(socket) == CLOSED_TOO_FAST
        assert (await eve.get("/api/lobby")).status_code == 200


@pytest.mark.parametrize("by_socket", [False, True])
async def test_wrong_codes_do_not_lock_out_those_behind_the_same_address_who_know_a_table(
    tmp_path: Path, by_socket: bool
) -> None:
    async with run_server(tmp_path / "db", RateLimits(misses_per_minute=3, now_s=lambda: 0.0)) as server:
        ann, bo = server.browser(), server.browser()
        opened = await server.open_table(ann)
        visited = (await make_table(server.registry, "Cy")).code
        assert (await bo.get(f"/api/tables/{visited}")).status_code == 200
        await try_codes(server, by_socket=by_socket)
        for code in (opened, opened.lower(), visited):
            assert (await bo.get(f"/api/tables/{code}")).status_code == 200
        assert (await bo.post(f"/api/tables/{opened}/seats", json={"name": "Bo", "id": "1"})).status_code == 201
        async with server.connect(opened, bo) as socket:
            await say_hello(socket)


async def try_codes(server: RunningServer, *, by_socket: bool) -> None:
    for guess in ("AAAA", "BBBB", "CCCC"):
        if by_socket:
            async with server.connect(guess) as socket:
                await receive(socket)
                assert await close_code(socket) == CLOSED_NO_TABLE
        else:
            assert (await server.browser().get(f"/api/tables/{guess}")).status_code == 404


async def test_an_invite_link_works_although_others_behind_the_same_address_try_codes(tmp_path: Path) -> None:
    """The page of the link is loaded first, as a browser does; a wrong invite opens nothing."""
    async with run_server(tmp_path / "db", RateLimits(misses_per_minute=3, now_s=lambda: 0.0)) as server:
        code = (await make_table(server.registry, "Ann")).code
        other = (await make_table(server.registry, "Cy")).code
        invites: Invites = server.app.state.invites
        await try_codes(server, by_socket=False)
        guest = server.browser()
        wrong = invites.path(other).rpartition("=")[2]
        for path in (f"/t/{code}", f"/t/{code}?invite=", f"/t/{code}?invite={wrong}", f"/t/{code}?invite=é"):
            await guest.get(path)
            assert (await guest.get(f"/api/tables/{code}")).status_code == 429
        await guest.get(invites.path(code))
        found = await guest.get(f"/api/tables/{code}")
        assert found.json()["invite"] == invites.path(code)
        assert (await guest.post(f"/api/tables/{code}/seats", json={"name": "Bo", "id": "1"})).status_code == 201
        async with server.connect(code, guest) as socket:
            await say_hello(socket)
        assert (await guest.get(f"/api/tables/{other}")).status_code == 429


async def test_an_invite_link_works_on_every_server_with_the_same_key(tmp_path: Path) -> None:
    """The servers of one database, and a server that starts again, have the same key."""
    async with run_server(tmp_path / "db", RateLimits(misses_per_minute=3, now_s=lambda: 0.0)) as server:
        code = (await make_table(server.registry, "Ann")).code
        key = server.services.address_policy.key
        await try_codes(server, by_socket=False)
        guest = server.browser()
        await guest.get(Invites(key + b"another").path(code))
        assert (await guest.get(f"/api/tables/{code}")).status_code == 429
        await guest.get(Invites(key).path(code))
        assert (await guest.get(f"/api/tables/{code}")).status_code == 200


async def test_whoever_opened_a_table_is_told_so_and_nobody_else(server: RunningServer) -> None:
    ann, bo = server.browser(), server.browser()
    code = await server.open_table(ann)
    for client, opener in ((ann, True), (bo, False)):
        assert (await client.get(f"/api/tables/{code}")).json()["opener"] is opener
