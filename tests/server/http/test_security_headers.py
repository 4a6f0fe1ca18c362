"""With a public URL, the server refuses requests that name another host, and links use the URL."""

from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from liarsdice.core.errors import MalformedError
from liarsdice.server.http.table_lookup import qr_path
from liarsdice.server.settings import read_settings
from tests.server.live_tables import PATIENCE_S
from tests.server.running_server import RunningServer, run_server

PUBLIC_URL = "https://dice.example"
OTHER_HOSTS = ("evil.example", "dice.example.evil.example", "dice.example:80", "127.0.0.1", "")


async def test_a_request_that_names_another_host_is_refused(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db", public_url=PUBLIC_URL) as server:
        client = server.browser()
        for host in OTHER_HOSTS:
            for method, path in (("GET", "/"), ("GET", "/docs"), ("POST", "/api/tables"), ("GET", "/api/lobby")):
                answer = await client.request(method, path, headers={"host": host}, json={"name": "Ann"})
                assert answer.status_code == 421, (host, path)
                assert "set-cookie" not in answer.headers
        for host in ("dice.example", "DICE.example:443"):
            assert (await client.get("/api/lobby", headers={"host": host})).status_code == 200


async def test_a_connection_that_names_another_host_is_refused(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db", public_url=PUBLIC_URL) as server:
        with pytest.raises(InvalidStatus):
            async with server.connect("AAAA"):
                pass
        host = {"host": "dice.example"}
        port = int(server.address.rpartition(":")[2])
        async with connect(
            "ws://dice.example/ws/AAAA", host="127.0.0.1", port=port, open_timeout=PATIENCE_S, proxy=None
        ) as socket:
            assert "no_such_table" in str(await socket.recv()), host


async def test_this_machine_may_ask_for_the_health_under_any_host(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db", public_url=PUBLIC_URL) as server:
        client = server.browser()
        for path in ("/healthz", "/readyz", "/metrics"):
            assert (await client.get(path)).status_code == 200
            from_elsewhere = {"x-forwarded-for": "192.0.2.1"}
            assert (await client.get(path, headers=from_elsewhere)).status_code == 421


async def test_links_use_the_public_url(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db", public_url=PUBLIC_URL) as server:
        client = server.browser()
        client.headers["host"] = "dice.example"
        code = await server.open_table(client)
        link = (await client.post(f"/api/tables/{code}/ticket")).json()
        assert (link["qr"], link["qr_size"]) == qr_path(f"{PUBLIC_URL}{link['path']}")


async def test_without_a_public_url_every_host_is_served(server: RunningServer) -> None:
    assert (await server.browser().get("/api/lobby", headers={"host": "anything"})).status_code == 200


@pytest.mark.parametrize(
    "url", ["dice.example", "ftp://dice.example", "https://dice.example/x", "https://a@b", "https://"]
)
def test_a_public_url_has_a_scheme_and_a_host_and_no_path(url: str) -> None:
    with pytest.raises(MalformedError, match="--public-url"):
        read_settings({"public_url": url}, {})


def test_a_public_url_is_stored_without_its_slash() -> None:
    assert read_settings({"public_url": "https://Dice.example/"}, {}).public_url == "https://dice.example"
    assert read_settings({"public_url": "http://[::1]:8000"}, {}).public_url == "http://[::1]:8000"


async def test_the_policy_of_the_page_allows_files_of_the_server_only(server: RunningServer) -> None:
    policy = (await server.browser().get("/")).headers["content-security-policy"]
    directives = {name: sources for name, *sources in (part.split() for part in policy.split(";"))}
    nothing = {"default-src", "object-src", "base-uri", "form-action", "frame-ancestors"}
    assert {name for name, sources in directives.items() if sources == ["'none'"]} == nothing
    assert directives.pop("img-src") == ["'self'", "blob:"]  # pictures that the page draws itself
    assert all(sources == ["'self'"] for name, sources in directives.items() if name not in nothing)


async def test_trace_requests_are_refused(server: RunningServer) -> None:
    for path in ("/", "/api/lobby", "/healthz"):
        answer = await server.browser().request("TRACE", path, headers={"x-secret": "told"})
        assert answer.status_code == 405
        assert "told" not in answer.text


async def test_the_application_has_no_debug_mode(server: RunningServer) -> None:
    assert server.app.debug is False
