"""HTTP responses: security headers, cookies, origins, seat links, static files, and limits of size."""

from __future__ import annotations

import httpx

from liarsdice.server.http.api import HANDLERS
from liarsdice.server.http.auth import COOKIE, SECURE_COOKIE, TICKET_AGE_S, TOKEN
from liarsdice.server.http.security_headers import HEADERS
from liarsdice.server.protocol.messages import Done
from tests.server.running_server import RunningServer, receive, say_hello

BY_HTTPS = {"x-forwarded-proto": "https"}
FOREIGN = (
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"origin": "http://["},
    {"origin": ""},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": "cross-site", "origin": "http://evil.example"},
)
STATIC_PATHS = ("/", "/t/ABCD", "/rules/perudo", "/sw.js", "/manifest.webmanifest", "/icon.svg")
DOCS_PATHS = ("/docs", "/docs/", "/docs/openapi.json")


OTHER_PATHS = (
    *("/nope.js", "/assets/nope.js", "/api/nope", *DOCS_PATHS, "/docs/nope"),
    *("/api/presets", "/api/lobby", "/api/tables/ZZ", "/healthz", "/readyz", "/metrics"),
)


async def answers(server: RunningServer) -> list[httpx.Response]:
    """One of every kind of answer."""
    client = server.browser()
    code = await server.open_table(client)
    send_command = [
        *(("GET", path) for path in (*STATIC_PATHS, *OTHER_PATHS)),
        *(("GET", f"/api/tables/{code}{rest}") for rest in ("", "/qr.svg", "/matches/1", "/nope")),
        ("GET", f"/ws/{code}"),
        *((method, "/api/lobby") for method in ("POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE")),
    ]
    responses = [await client.request(method, path) for method, path in send_command]
    responses.append(await client.post("/api/tables", content=b"{"))
    responses.append(await client.post("/api/tables", content=b"x" * 70_000))
    responses.append(await client.post("/api/tables", json={"name": "Bo"}, headers=FOREIGN[0]))
    responses.append(await client.post(f"/api/tables/{code}/ticket"))
    return responses


async def test_only_files_of_the_page_are_compressed(server: RunningServer) -> None:
    """The length of a compressed response would depend on what is secret in it."""
    for answer in await answers(server):
        assert "gzip" in answer.request.headers["accept-encoding"]
        if answer.url.path.startswith(("/api/", "/ws/")):
            assert "content-encoding" not in answer.headers, answer.request


async def test_every_response_has_the_security_headers(server: RunningServer) -> None:
    for answer in await answers(server):
        for name, value in HEADERS.items():
            assert answer.headers.get_list(name) == [value], (answer.request, name)
        assert "server" not in answer.headers
        assert "access-control-allow-origin" not in answer.headers
        assert "strict-transport-security" not in answer.headers
        if answer.content:
            assert answer.headers["content-type"], answer.request


async def test_every_text_response_names_its_character_set(server: RunningServer) -> None:
    for answer in await answers(server):
        kind = answer.headers.get("content-type", "")
        if kind.startswith("text/") or "+xml" in kind:
            assert "charset=utf-8" in kind.replace(" ", ""), answer.request


async def test_browsers_may_store_only_the_files_of_the_page(
    server: RunningServer,
) -> None:
    for answer in await answers(server):
        of_page = answer.status_code == 200 and answer.request.url.path in (*STATIC_PATHS, *DOCS_PATHS)
        assert (answer.headers["cache-control"] == "no-store") is not of_page, answer.request


async def test_responses_over_https_have_hsts(server: RunningServer) -> None:
    client = server.browser()
    for path in ("/", "/api/lobby", "/nope.js", "/api/nope"):
        answer = await client.get(path, headers=BY_HTTPS)
        assert answer.headers["strict-transport-security"] == "max-age=31536000"


async def test_the_cookie_has_all_protective_attributes(server: RunningServer) -> None:
    plain = await server.browser().post("/api/tables", json={"name": "Ann"})
    name, *attributes = plain.headers["set-cookie"].replace(" ", "").split(";")
    assert name.partition("=")[0] == COOKIE
    named = {attribute.lower() for attribute in attributes}
    assert {"path=/", "samesite=lax", "httponly"} <= named
    assert {attribute.partition("=")[0] for attribute in named} == {"httponly", "samesite", "path", "max-age"}
    assert TOKEN.fullmatch(name.partition("=")[2])
    assert name.partition("=")[2] not in plain.text

    secure = await server.browser().post("/api/tables", json={"name": "Ann"}, headers=BY_HTTPS)
    name, *attributes = secure.headers["set-cookie"].replace(" ", "").split(";")
    assert name.partition("=")[0] == SECURE_COOKIE
    assert {"secure", "httponly", "path=/", "samesite=lax"} <= {attribute.lower() for attribute in attributes}
    assert not any(attribute.lower().startswith("domain") for attribute in attributes)


async def test_a_cookie_from_plain_http_holds_no_seat_over_https(server: RunningServer) -> None:
    """Whoever can write cookies into a connection without HTTPS must not choose who somebody is."""
    ann = server.browser()
    code = await server.open_table(ann)
    assert (await ann.post(f"/api/tables/{code}/ticket")).status_code == 201
    assert (await ann.post(f"/api/tables/{code}/ticket", headers=BY_HTTPS)).status_code == 403


async def test_a_token_that_the_server_did_not_make_is_replaced(server: RunningServer) -> None:
    for chosen in ("a", "x" * 42, "x" * 44, "x" * 500, "x" * 42 + "="):
        own = {"cookie": f"{COOKIE}={chosen}"}
        answer = await server.browser().post("/api/tables", json={"name": "Ann"}, headers=own)
        assert TOKEN.fullmatch(answer.cookies[COOKIE]), chosen
        assert answer.cookies[COOKIE] != chosen


async def test_a_browser_keeps_its_token_at_the_next_table(server: RunningServer) -> None:
    ann = server.browser()
    await server.open_table(ann)
    token = ann.cookies[COOKIE]
    await server.open_table(ann)
    assert ann.cookies[COOKIE] == token


async def test_requests_from_other_sites_change_nothing(server: RunningServer) -> None:
    ann = server.browser()
    code = await server.open_table(ann)
    before = await server.log(code)
    posts = {
        "/api/tables": {"name": "Ann"},
        f"/api/tables/{code}/seats": {"name": "Bo", "id": "1"},
        f"/api/tables/{code}/ticket": {},
        f"/api/tables/{code}/redeem": {"ticket": "x"},
    }
    for headers in FOREIGN:
        for path, form in posts.items():
            answer = await ann.post(path, json=form, headers=headers)
            assert answer.status_code == 403, (path, headers)
            assert "set-cookie" not in answer.headers
    assert await server.log(code) == before


async def test_requests_from_our_own_page_are_accepted(server: RunningServer) -> None:
    for headers in ({"origin": server.address}, {"sec-fetch-site": "same-origin"}, {"sec-fetch-site": "none"}):
        answer = await server.browser().post("/api/tables", json={"name": "Ann"}, headers=headers)
        assert answer.status_code == 201


def test_only_post_requests_change_something() -> None:
    posted = {"open_table", "take_seat", "make_ticket", "redeem_ticket", "quick_match", "rules", "odds"}
    for handler in HANDLERS:
        allowed = {"POST"} if handler.handler_name in posted else {"GET", "HEAD"}
        assert {str(method) for method in handler.http_methods} <= allowed, handler.handler_name


async def test_a_seat_link_works_once_and_expires(server: RunningServer) -> None:
    ann, phone, thief = server.browser(), server.browser(), server.browser()
    code = await server.open_table(ann)
    link = (await ann.post(f"/api/tables/{code}/ticket")).json()
    assert link["ticket"] not in link["path"].partition("#")[0]
    path = f"/api/tables/{code}/redeem"
    assert (await phone.post(path, json={"ticket": link["ticket"]})).status_code == 201
    assert (await thief.post(path, json={"ticket": link["ticket"]})).status_code == 403
    assert (await phone.post(f"/api/tables/{code}/ticket")).status_code == 201
    assert (await thief.post(f"/api/tables/{code}/ticket")).status_code == 403
    late = (await ann.post(f"/api/tables/{code}/ticket")).json()["ticket"]
    server.services.time_ms += TICKET_AGE_S * 1000 + 1
    assert (await thief.post(path, json={"ticket": late})).status_code == 403


async def test_a_seat_link_works_only_at_its_table(server: RunningServer) -> None:
    ann, thief = server.browser(), server.browser()
    code = await server.open_table(ann)
    other = await server.open_table(server.browser(), "Bo")
    ticket = (await ann.post(f"/api/tables/{code}/ticket")).json()["ticket"]
    assert (await thief.post(f"/api/tables/{other}/redeem", json={"ticket": ticket})).status_code == 403


async def test_a_player_who_leaves_holds_no_seat(server: RunningServer) -> None:
    ann = server.browser()
    code = await server.open_table(ann)
    async with server.connect(code, ann) as socket:
        await say_hello(socket)
        await socket.send('{"type":"do","id":"1","command":{"type":"leave"}}')
        while not isinstance(await receive(socket), Done):
            pass
    assert (await ann.post(f"/api/tables/{code}/ticket")).status_code == 403


OUTSIDE_PATHS = (
    "/../pyproject.toml",
    "/..%2f..%2f..%2fpyproject.toml",
    "/assets/..%2f..%2fapp.py",
    "/%2e%2e/%2e%2e/app.py",
    "/assets/%2e%2e%5c%2e%2e%5capp.py",
    "//etc/passwd.txt",
    "/%2fetc/passwd.txt",
    "/.git/config.txt",
    "/built-from.txt%00.js",
    "/app.py",
)


async def test_no_path_leads_outside_the_page_files(server: RunningServer) -> None:
    client = server.browser()
    for path in OUTSIDE_PATHS:
        answer = await client.get(httpx.URL(server.address, raw_path=path.encode()))
        assert answer.status_code in {404, 503}, path
        assert b"import" not in answer.content


async def test_a_body_is_limited_with_and_without_a_length(server: RunningServer) -> None:
    client = server.browser()

    async def endless() -> object:
        for _ in range(100):
            yield b"x" * 1000

    assert (await client.post("/api/rules", content=b"x" * 65_537)).status_code == 413
    assert (await client.post("/api/rules", content=endless())).status_code == 413  # type: ignore[arg-type]


async def test_listed_tables_have_a_clock_unless_the_host_chooses_none(server: RunningServer) -> None:
    no_clock = {"turn_s": None, "bank_s": 0}
    for form, turn_s in (({"listed": True}, 30), ({"listed": True, "clock": no_clock}, None), ({}, None)):
        code = await server.open_table(server.browser(), **form)
        table = await (await server.registry.get(code)).state()
        assert table.config.clock.turn_s == turn_s, form
