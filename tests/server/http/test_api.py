"""HTTP responses: security headers, cookies, origins, seat links, static files, and limits of size."""

import asyncio
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace

from liarsdice.core.errors import MalformedError, RecordError
from liarsdice.core.records.awards import awards, dice_by_round
from liarsdice.core.records.record import read_record
from liarsdice.play.player_names import normalize_name
from liarsdice.play.verify_record import KEY_BYTES, RecordSigner, verify_record
from liarsdice.server.errors import AddressLimitError, ForbiddenError
from liarsdice.server.http import api
from liarsdice.server.http.address_limits import RateLimits
from liarsdice.server.http.api import HANDLERS, MAX_SHOWN_PER_NETWORK, default_title, read_table_form
from liarsdice.server.http.auth import COOKIE, SECURE_COOKIE, TICKET_AGE_S, TOKEN, hash_token
from liarsdice.server.http.costly_work import RULES_COST
from liarsdice.server.http.schemas import TableForm
from liarsdice.server.http.security_headers import HEADERS
from liarsdice.server.live.table_registry import HOST_AWAY_MS, MAX_LISTED_PER_NETWORK
from liarsdice.server.live.table_services import AddressPolicy
from liarsdice.server.protocol.messages import Done
from liarsdice.server.table import commands as c
from liarsdice.server.table.dice_source import DiceSource
from liarsdice.server.table.table_state import STALLED_MS
from tests.server.live_tables import RecordingSubscriber, begin_match, is_over, make_config, make_table, wait_until
from tests.server.running_server import RunningServer, receive, run_server, say_hello

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
    before = server.log(code)
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
    assert server.log(code) == before


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


async def test_charts_are_computed_once_and_paid_from_the_budget(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db", RateLimits(work_per_minute=RULES_COST + 5, now_s=lambda: 0.0)) as server:
        client = server.browser()
        first = await client.post("/api/odds", json={"rules": "perudo", "hand": [1, 4]})
        assert first.status_code == 200
        assert [chart["wilds"] for chart in first.json()["charts"]] == [True, False]
        again = await client.post("/api/odds", json={"rules": "perudo", "hand": [1, 4]})
        assert again.content == first.content
        assert (await client.post("/api/odds", json={"rules": "perudo"})).status_code == 429


async def test_what_cannot_be_is_refused(server: RunningServer) -> None:
    client = server.browser()
    assert (await client.post("/api/odds", json={"face": 9})).status_code == 400
    assert (await client.post("/api/odds", json={"rules": "nothing"})).status_code == 404


def test_a_form_without_wishes_gives_a_table_with_the_usual_settings() -> None:
    config = read_table_form(TableForm(name="Ann"))
    assert (config.title, config.rules_name, config.rules_base, config.seats) == ("Ann’s table", "classic", "", 6)


@pytest.mark.parametrize("name", ["👨‍👩‍👧‍👦" * 40, "e\u0301x" * 14, "a" * 40])
def test_the_usual_title_of_a_long_name_is_cut_between_characters(name: str) -> None:
    title = default_title(name)
    assert normalize_name(title)
    assert title.startswith(name[:30])


def test_changed_rules_are_house_rules_based_on_their_preset() -> None:
    config = read_table_form(TableForm(name="Ann", rules="perudo", changes={"dice.per_player": 3}))
    assert (config.rules_name, config.rules_base, config.ruleset.dice.per_player) == ("", "perudo", 3)


def test_more_bots_than_any_table_seats_are_refused_before_one_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr(api, "bot_maker", made.append)
    with pytest.raises(MalformedError, match="do not fit"):
        read_table_form(TableForm(name="Ann", bots=("novice",) * 5000))
    assert made == []


RULES = "perudo"


async def test_tables_of_one_network_do_not_push_others_out_of_the_lobby(server: RunningServer) -> None:
    """The honest table is the oldest, and its two players come from two networks."""
    server.services.address_policy = AddressPolicy(b"key", seats_per_address=3)
    config = replace(make_config(RULES), listed=True)
    honest, _ = await server.registry.open_table(config, "Ann", "ann", "", (), "192.0.2.1")
    await server.registry.take_seat(honest, "Bo", "bo", "", "sit", "198.51.100.7")
    pages = [RecordingSubscriber(token_hash) for token_hash in ("ann", "bo")]
    for page in pages:
        honest.subscribe(page)
    for number in range(60):
        server.services.time_ms += HOST_AWAY_MS  # the hosts before have gone
        network = f"2001:db8:1:{number:x}::1"
        await server.registry.open_table(config, "Eve", f"eve {number}", "", (), network)
    listed = (await server.browser().get("/api/lobby")).json()
    assert listed[0]["code"] == honest.code
    assert len(listed) == 1 + MAX_SHOWN_PER_NETWORK


async def test_one_network_opens_few_listed_tables(server: RunningServer) -> None:
    server.services.address_policy = AddressPolicy(b"key", seats_per_address=3)
    hidden, listed = make_config(RULES), replace(make_config(RULES), listed=True)
    registry = server.registry
    opening = [registry.open_table(listed, "Eve", f"eve {number}", "", (), "192.0.2.1") for number in range(20)]
    results = await asyncio.gather(*opening, return_exceptions=True)
    assert sum(isinstance(result, AddressLimitError) for result in results) == 20 - MAX_LISTED_PER_NETWORK
    with pytest.raises(AddressLimitError):
        await registry.open_table(listed, "Eve", "eve", "", (), "192.0.2.1")
    later, _ = await registry.open_table(hidden, "Eve", "eve", "", (), "192.0.2.1")
    with pytest.raises(AddressLimitError):
        await registry.submit(later, "eve", "list", c.Change(listed))
    await registry.open_table(listed, "Ann", "ann", "", (), "198.51.100.7")


async def test_a_guest_takes_over_from_a_host_who_is_here_and_never_begins(server: RunningServer) -> None:
    registry, config = server.registry, replace(make_config(RULES), listed=True)
    live_table, _ = await registry.open_table(config, "Ann", "ann", "", ())
    page = RecordingSubscriber("ann")
    live_table.subscribe(page)
    await registry.take_seat(live_table, "Bo", "bo", "", "sit")
    server.services.time_ms += STALLED_MS - 1
    with pytest.raises(ForbiddenError, match="the host is here"):
        await registry.submit(live_table, "bo", "early", c.MakeHost(2))
    server.services.time_ms += 1
    with pytest.raises(ForbiddenError):
        await registry.submit(live_table, "nobody", "host", c.MakeHost(2))
    await registry.submit(live_table, "bo", "host", c.MakeHost(2))
    live_table.unsubscribe(page)
    live_table.subscribe(page)
    await registry.submit(live_table, "bo", "begin", c.Begin())
    assert (await live_table.state()).host == 2


async def test_the_summary_of_a_match_follows_from_its_record(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db") as server:
        live_table = await make_table(server.registry, "Ann", bots=("random",))
        await server.registry.submit(live_table, hash_token("Ann"), "begin", c.Begin())
        await server.registry.submit(live_table, hash_token("Ann"), "bot", c.StandIn(1, bot=True))
        await wait_until(live_table, is_over)
        path = f"/api/tables/{live_table.code}/matches/1"
        record = read_record((await server.browser().get(path)).content)
        summary = (await server.browser().get(f"{path}/summary")).json()
    assert summary["dice"] == [list(row) for row in dice_by_round(record.events)]
    assert [award["kind"] for award in summary["awards"]] == [award.kind.value for award in awards(record.events)]


async def test_the_summary_of_a_match_that_is_not_over_is_refused(server: RunningServer) -> None:
    live_table = await make_table(server.registry, "Ann", "Bo")
    await begin_match(server.registry, live_table)
    for number in (0, 1, 2):
        answer = await server.browser().get(f"/api/tables/{live_table.code}/matches/{number}/summary")
        assert answer.status_code == 403


async def test_a_published_record_is_signed_with_the_published_key(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db") as server:
        ann = server.browser()
        code = await server.open_table(ann, bots=["random"], rules="openspiel", seats=2)
        live_table = await server.registry.get(code)
        token_hash = hash_token(ann.cookies[COOKIE])
        await server.registry.submit(live_table, token_hash, "begin", c.Begin())
        await server.registry.submit(live_table, token_hash, "bot", c.StandIn(1, bot=True))
        await wait_until(live_table, is_over)
        published = (await ann.get("/api/key")).json()
        record = (await ann.get(f"/api/tables/{code}/matches/1")).content
    assert verify_record(record, keys=[published["key"]]).fairness.key
    assert published["retired"] == []


async def test_the_record_of_a_match_is_signed_with_the_key_under_which_it_began(tmp_path: Path) -> None:
    """As after a restart with another key: the server publishes the old one, too."""
    first, second = bytes(KEY_BYTES), bytes([1] * KEY_BYTES)
    async with run_server(tmp_path / "db") as server:
        ann = server.browser()
        server.services.dice_source = DiceSource(RecordSigner(first).public_key)
        code = await server.open_table(ann, bots=["random"], rules="openspiel", seats=2)
        live_table = await server.registry.get(code)
        token_hash = hash_token(ann.cookies[COOKIE])
        await server.registry.submit(live_table, token_hash, "begin", c.Begin())
        await server.registry.submit(live_table, token_hash, "bot", c.StandIn(1, bot=True))
        await wait_until(live_table, is_over)
        server.app.state.signer = RecordSigner(second, [first])
        published = (await ann.get("/api/key")).json()
        record = (await ann.get(f"/api/tables/{code}/matches/1")).content
    assert published == {"key": RecordSigner(second).public_key, "retired": [RecordSigner(first).public_key]}
    assert verify_record(record, keys=published["retired"]).fairness.key
    with pytest.raises(RecordError, match="signed by another key"):
        verify_record(record, keys=[published["key"]])
