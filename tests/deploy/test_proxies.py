"""The configurations of nginx and Caddy do what the server needs of a proxy; Caddy itself runs one of them."""

import asyncio
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import crossplane
import httpx
import pytest
import websockets

from liarsdice.server.app import MAX_BODY_BYTES
from liarsdice.server.http.auth import COOKIE
from liarsdice.server.http.connections import BODY_TIMEOUT_S, HEAD_TIMEOUT_S, LONG_BODIES
from liarsdice.server.http.reviews import MAX_HABITS_BYTES
from liarsdice.wire import Update
from tests.deploy.deployment import DEPLOY, duration_s
from tests.server.live_tables import PATIENCE_S
from tests.server.running_server import run_server, say_hello

NGINX, CADDYFILE = DEPLOY / "nginx.conf", DEPLOY / "Caddyfile"
CADDY = shutil.which("caddy", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
Directive = dict[str, Any]


def directives(block: list[Directive]) -> Iterator[Directive]:
    """All directives of a block of nginx, those of inner blocks, too."""
    for directive in block:
        yield directive
        yield from directives(directive.get("block", []))


@pytest.fixture(scope="module")
def nginx() -> list[Directive]:
    """The directives of the configuration, as they stand inside `http`."""
    payload = crossplane.parse(str(NGINX), check_ctx=False, single=True)
    assert payload["errors"] == []
    parsed: list[Directive] = payload["config"][0]["parsed"]
    return parsed


def arguments(block: list[Directive], name: str) -> list[list[str]]:
    return [directive["args"] for directive in directives(block) if directive["directive"] == name]


def test_nginx_passes_on_what_the_server_needs(nginx: list[Directive]) -> None:
    assert ["127.0.0.1:8000"] in arguments(nginx, "server")
    assert sorted(arguments(nginx, "proxy_set_header")) == [
        ["Connection", "$liarsdice_connection"],
        ["Host", "$http_host"],
        ["Upgrade", "$http_upgrade"],
        ["X-Forwarded-For", "$remote_addr"],
        ["X-Forwarded-Proto", "$scheme"],
    ]
    assert arguments(nginx, "proxy_http_version") == [["1.1"]]


def test_nginx_compresses_nothing_and_offers_no_old_tls(nginx: list[Directive]) -> None:
    assert arguments(nginx, "gzip") == [["off"]]
    assert arguments(nginx, "ssl_protocols") == [["TLSv1.2", "TLSv1.3"]]
    assert ["301", "https://dice.example$request_uri"] in arguments(nginx, "return")


def test_nginx_offers_suites_with_forward_secrecy_only(nginx: list[Directive]) -> None:
    ((suites,),) = arguments(nginx, "ssl_ciphers")
    pattern = r"ECDHE-(ECDSA|RSA)-(AES(128|256)-GCM-SHA(256|384)|CHACHA20-POLY1305)"
    assert [suite for suite in suites.split(":") if not re.fullmatch(pattern, suite)] == []


def test_nginx_redirects_pages_and_refuses_the_api_without_tls(nginx: list[Directive]) -> None:
    """A program with a wrong address would not notice a redirect, and would go on to send its cookie without TLS."""
    plain = next(block for block in nginx if block["directive"] == "server" and ["80"] in arguments([block], "listen"))
    answers = {
        tuple(place["args"]): arguments(place["block"], "return")
        for place in plain["block"]
        if place["directive"] == "location"
    }
    assert answers["^~", "/api/"] == answers["^~", "/ws/"] == [["403"]]
    assert answers["/",] == [["301", "https://dice.example$request_uri"]]


def test_nginx_has_the_limits_of_the_server(nginx: list[Directive]) -> None:
    longest = f"{MAX_HABITS_BYTES // 1024 // 1024}m"
    assert arguments(nginx, "client_max_body_size") == [[f"{MAX_BODY_BYTES // 1024}k"], [longest]]
    assert duration_s(arguments(nginx, "client_header_timeout")[0][0]) <= HEAD_TIMEOUT_S
    assert duration_s(arguments(nginx, "client_body_timeout")[0][0]) <= BODY_TIMEOUT_S
    zones = {zone.partition("=")[2].partition(":")[0] for _, zone, *_ in arguments(nginx, "limit_conn_zone")}
    assert {zone for zone, _ in arguments(nginx, "limit_conn")} == zones


@asynccontextmanager
async def caddy_in_front_of(address: str, folder: Path) -> AsyncIterator[Path]:
    """Caddy with the Caddyfile, except that it listens without TLS on a socket file, whose path this yields."""
    listening = folder / "caddy.sock"
    text = CADDYFILE.read_text(encoding="utf-8")
    for old, new in (
        ("\n{$LIARSDICE_SITE:dice.example} {", f"\n{{$LIARSDICE_SITE:dice.example}} {{\n\tbind unix/{listening}"),
        ("{\n\tservers {", "{\n\tadmin off\n\tservers {"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    (folder / "Caddyfile").write_text(text, encoding="utf-8")
    assert CADDY is not None, "Caddy is missing; install the extra dev"
    process = await asyncio.create_subprocess_exec(
        *(CADDY, "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")),
        env=os.environ
        | {"LIARSDICE_SITE": "http://dice.example", "LIARSDICE_UPSTREAM": address.removeprefix("http://")}
        | {"XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)},
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    try:
        async with asyncio.timeout(PATIENCE_S):
            while b"serving initial configuration" not in (line := await process.stderr.readline()):
                assert line, "Caddy did not start"
        yield listening
    finally:
        process.terminate()
        await process.communicate()


@pytest.mark.skipif(sys.platform != "linux", reason="the wheel of Caddy is for Linux")
async def test_a_table_is_played_through_caddy(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db") as server, caddy_in_front_of(server.address, tmp_path) as listening:
        transport = httpx.AsyncHTTPTransport(uds=str(listening))
        async with httpx.AsyncClient(transport=transport, base_url="http://dice.example", timeout=PATIENCE_S) as client:
            assert (await client.get("/healthz")).text.startswith("ok ")
            for path in ("/metrics", "/readyz"):
                assert (await server.browser().get(path)).status_code == 200
                assert (await client.get(path)).status_code == 404
            too_long = await client.post("/api/tables", content=b" " * (MAX_BODY_BYTES + 1))
            assert too_long.status_code == 413
            for path in LONG_BODIES:
                long = await client.post(path, content=b" " * 3 * MAX_BODY_BYTES)
                assert long.status_code == 400, path
            origin = {"origin": "http://dice.example"}
            opened = await client.post("/api/tables", json={"name": "Ann"}, headers=origin)
            assert opened.status_code == 201, opened.text
        async with websockets.unix_connect(
            str(listening),
            f"ws://dice.example/ws/{opened.json()['code']}",
            origin=websockets.Origin("http://dice.example"),
            additional_headers={"cookie": f"{COOKIE}={opened.cookies[COOKIE]}"},
        ) as socket:
            update = next(message for message in await say_hello(socket) if isinstance(message, Update))
            assert update.own.player is not None, "the cookie did not arrive"


@pytest.mark.skipif(sys.platform != "linux", reason="the wheel of Caddy is for Linux")
async def test_caddy_goes_on_with_the_other_node_when_one_is_gone(tmp_path: Path) -> None:
    """Requests to the node that is gone are sent to the other one."""
    async with run_server(tmp_path / "second.db") as second, AsyncExitStack() as until_it_ends:
        first = await until_it_ends.enter_async_context(run_server(tmp_path / "first.db"))
        ids = [server.services.event_bus.node_id for server in (first, second)]
        both = f"{first.address} {second.address.removeprefix('http://')}"
        async with caddy_in_front_of(both, tmp_path) as listening:
            transport = httpx.AsyncHTTPTransport(uds=str(listening))
            async with httpx.AsyncClient(
                transport=transport, base_url="http://dice.example", timeout=PATIENCE_S
            ) as client:
                async with asyncio.timeout(PATIENCE_S):
                    answered: set[str] = set()
                    while len(answered) < 2:
                        answered.add((await client.get("/healthz")).text)
                assert answered == {f"ok {node_id}\n" for node_id in ids}
                await until_it_ends.aclose()
                for _ in range(10):
                    answer = await client.get("/healthz")
                    assert (answer.status_code, answer.text) == (200, f"ok {ids[1]}\n")
