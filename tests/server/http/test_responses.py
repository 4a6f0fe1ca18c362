"""Every response: its headers, and how files of the page are compressed and cached."""

import gzip
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from liarsdice.core.errors import MalformedError
from liarsdice.server.http.app_state import qr_path
from liarsdice.server.http.static_files import CACHE_FOR_EVER, INDEX, REVALIDATE, read_page
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


def make_page(folder: Path) -> Path:
    (folder / "assets").mkdir()
    (folder / INDEX).write_text("<!DOCTYPE html>" + " " * 500)
    (folder / "assets" / "app-1234.js").write_text("let x = 1;" * 100)
    (folder / "tiny.txt").write_text("x")
    (folder / ".hidden").write_text("secret")
    return folder


def test_a_page_that_is_not_built_has_no_files(tmp_path: Path) -> None:
    assert read_page(tmp_path) == {}


def test_hidden_files_are_not_served(tmp_path: Path) -> None:
    assert set(read_page(make_page(tmp_path))) == {INDEX, "assets/app-1234.js", "tiny.txt"}


def test_only_files_whose_names_have_a_hash_are_cached_for_ever(tmp_path: Path) -> None:
    files = read_page(make_page(tmp_path))
    assert files["assets/app-1234.js"].cache_control == CACHE_FOR_EVER
    assert files[INDEX].cache_control == REVALIDATE


def test_files_are_compressed_if_that_makes_them_smaller(tmp_path: Path) -> None:
    files = read_page(make_page(tmp_path))
    compressed = files[INDEX].compressed
    assert compressed is not None
    assert gzip.decompress(compressed) == files[INDEX].body
    assert files["tiny.txt"].compressed is None


def test_the_etag_depends_on_the_content_only(tmp_path: Path) -> None:
    before = read_page(make_page(tmp_path))
    (tmp_path / "tiny.txt").write_text("y")
    after = read_page(tmp_path)
    assert after["tiny.txt"].etag != before["tiny.txt"].etag
    assert after[INDEX].etag == before[INDEX].etag


@pytest.mark.parametrize("path", ["/", "/t/ABCD", "/icon.svg"])
async def test_a_monitor_may_ask_whether_a_page_is_there(server: RunningServer, path: str) -> None:
    response = await server.browser().head(path)
    assert response.status_code == 200
    assert response.content == b""
    assert response.headers["etag"] == (await server.browser().get(path)).headers["etag"]


@pytest.mark.parametrize("path", ["/", "/new", "/rules/mustache", "/t/ABCD", "/t/ABCD/cup", "/replay/ABCD/1"])
async def test_every_page_has_the_same_document_at_its_own_address(server: RunningServer, path: str) -> None:
    response = await server.browser().get(path)
    assert response.status_code == 200
    assert response.content == read_page()[INDEX].body
