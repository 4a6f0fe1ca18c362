"""Bad HTTP requests are refused with an error code and a text, and change nothing."""

from typing import Any

import msgspec
import pytest

from liarsdice.core.errors import LiarsDiceError
from liarsdice.server.http.error_responses import ERROR_CODES, ERRORS
from liarsdice.server.http.schemas import QuickMatchForm, SeatForm, TableForm, TicketForm
from liarsdice.server.protocol.messages import ErrorCode, error_code
from liarsdice.server.rules.rules_api import RulesForm
from tests.server.running_server import RunningServer

DEEP = 20_000
RAISED_BY = ("liarsdice.core.", "liarsdice.play.", "liarsdice.server.")
"""The packages whose errors a server may answer; those of clients and commands are not among them."""

KINDS = {kind.value for kind in ErrorCode}

REFUSED: tuple[tuple[str, bytes, int], ...] = (
    ("nothing", b"", 400),
    ("no JSON", b"name=Ann", 400),
    ("no UTF-8", b'{"name":"\xff"}', 400),
    ("half a pair of surrogates", b'{"name":"\\ud800"}', 400),
    ("a NUL", b'{"name":"Ann\\u0000"}', 400),
    ("a list", b"[]", 400),
    ("nested lists", b"[" * DEEP, 400),
    ("nested changes", b'{"name":"Ann","changes":{"x":' + b"[" * DEEP + b"]" * DEEP + b"}}", 400),
    ("a number as a name", b'{"name":1}', 400),
    ("an unknown field", b'{"name":"Ann","admin":true}', 400),
    ("a huge number", b'{"name":"Ann","seats":' + b"9" * 400 + b"}", 400),
    ("a huge number of seats", b'{"name":"Ann","seats":99999999999999999999}', 400),
    ("half a seat", b'{"name":"Ann","seats":2.5}', 400),
    ("an unknown ruleset", b'{"name":"Ann","rules":"nope"}', 404),
    ("a file as a ruleset", b'{"name":"Ann","rules":"/etc/passwd"}', 404),
    ("an unknown rule", b'{"name":"Ann","changes":{"nope":1}}', 400),
    ("rules that go round", b'{"name":"Ann","changes":{"dice.faces":1}}', 400),
    ("an unknown bot", b'{"name":"Ann","bots":["random","nope"]}', 404),
    ("a command as a bot", b'{"name":"Ann","bots":["exec:touch run"]}', 404),
    ("a command with a time limit as a bot", b'{"name":"Ann","bots":["exec[2s]:touch run"]}', 404),
    ("a file as a bot", b'{"name":"Ann","bots":["python:run.py:bot"]}', 404),
    ("more bots than seats", b'{"name":"Ann","seats":2,"bots":["random","random"]}', 400),
    ("a match of one", b'{"name":"Ann","begin":true}', 400),
    ("no name", b'{"name":" "}', 400),
    ("a commitment that is no hash", b'{"name":"Ann","commitment":"a\\nb"}', 400),
    ("too much", b'{"name":"Ann","title":"' + b"x" * 70_000 + b'"}', 413),
)


SEATS: tuple[tuple[str, dict[str, str]], ...] = (
    ("seats", {"name": "ann", "id": "1"}),
    ("seats", {"name": "Bo", "id": ""}),
    ("seats", {"name": "Bo", "id": "x" * 41}),
    ("seats", {"name": "Bo", "id": "é"}),
    ("seats", {"name": "Bo", "id": "1", "commitment": "x" * 64}),
    ("seats", {"name": "x" * 41, "id": "1"}),
    ("seats", {"name": "Bo\u202e", "id": "1"}),
    ("ticket", {}),
    ("redeem", {"ticket": ""}),
    ("redeem", {"ticket": "x" * 10_000}),
)

EMPTY: tuple[object, ...] = (0, -1, "", None, [], {})
SWITCHES = ("hints", "training", "open_cups", "spectators", "listed", "approval", "begin")
FORMS: tuple[tuple[type[msgspec.Struct], dict[str, object], list[tuple[str, object]]], ...] = (
    (
        TableForm,
        {"name": "Ann"},
        [
            *(("changes", {}), ("title", ""), ("seats", None), ("bots", []), ("clock", None), ("clock", {})),
            *(("commitment", ""), *((switch, 0) for switch in SWITCHES)),
        ],
    ),
    (
        QuickMatchForm,
        {"name": "Ann", "rules": "classic", "id": "1"},
        [("title", ""), ("seats", None), ("commitment", "")],
    ),
)
"""Forms with the fields that they need, and the values without content that stand for a default, or mean no."""

MISSING = (
    "/api/tables/ZZZZ",
    "/api/tables/%00%00%00%00",
    "/api/tables/%ff%fe%fd%fc",
    "/api/tables/ZZZZ/matches/1",
    "/api/tables/ZZZZ/matches/" + "9" * 5000,
    "/api/tables/ZZZZ/matches/-1",
    "/api/tables/ZZZZ/qr.svg",
    "/api/presets?language=" + "x" * 5000,
    "/api/nope",
    "/api",
    "/docs/nope.json",
)


async def test_a_table_with_invalid_settings_is_not_opened(server: RunningServer, subtests: pytest.Subtests) -> None:
    for case, body, status in REFUSED:
        with subtests.test(case):
            answer = await server.browser().post("/api/tables", content=body)
            assert answer.status_code == status, answer.text
            assert answer.json()["code"] in KINDS
            assert answer.json()["text"]
            assert "set-cookie" not in answer.headers
    assert b"liarsdice_commits_total 0.0" in (await server.browser().get("/metrics")).content


async def test_a_value_without_content_is_a_default_only_where_the_form_says_so(
    server: RunningServer, subtests: pytest.Subtests
) -> None:
    for form, needed, accepted in FORMS:
        path = "/api/quick-match" if form is QuickMatchForm else "/api/tables"
        for field in msgspec.structs.fields(form):
            for value in EMPTY:
                with subtests.test(f"{form.__name__}.{field.encode_name} = {value!r}"):
                    answer = await server.browser().post(path, json={**needed, field.encode_name: value})
                    expected = {201} if (field.encode_name, value) in accepted else {400, 404}
                    assert answer.status_code in expected, answer.text


async def test_a_refused_seat_changes_nothing(server: RunningServer, subtests: pytest.Subtests) -> None:
    code = await server.open_table(server.browser())
    before = server.log(code)
    for path, form in SEATS:
        with subtests.test(f"{path} {form}"):
            answer = await server.browser().post(f"/api/tables/{code}/{path}", json=form)
            assert answer.status_code in {400, 403}, answer.text
            assert answer.json()["code"] in KINDS
            assert server.log(code) == before


async def test_unknown_paths_and_codes_are_not_found(server: RunningServer, subtests: pytest.Subtests) -> None:
    client = server.browser()
    for path in MISSING:
        with subtests.test(path[:40]):
            answer = await client.get(path)
            assert answer.status_code == 404, answer.text
            assert len(answer.content) < 10_000


async def test_a_match_in_progress_has_no_record(server: RunningServer) -> None:
    client = server.browser()
    code = await server.open_table(client, bots=["random"], begin=True, away="wait")
    for number in ("1", "2", "0", "9" * 30):
        answer = await client.get(f"/api/tables/{code}/matches/{number}")
        assert answer.status_code in {403, 404}, answer.text


async def test_an_invite_is_drawn_only_for_addresses_of_a_sensible_length(server: RunningServer) -> None:
    client = server.browser()
    code = await server.open_table(client)
    drawn = await client.get(f"/api/tables/{code}/qr.svg")
    assert drawn.headers["content-type"].startswith("image/svg+xml")
    assert b"<script" not in drawn.content
    for path, ask in (("qr.svg", client.get), ("ticket", client.post)):
        refused = await ask(f"/api/tables/{code}/{path}", headers={"host": "x" * 5000})
        assert refused.status_code == 400, refused.text


async def test_a_table_is_named_after_its_host_however_long_the_name(server: RunningServer) -> None:
    client = server.browser()
    for length in range(30, 41):
        code = await server.open_table(client, "x" * length)
        title = (await (await server.registry.get(code)).state()).config.title
        assert title.startswith("x" * min(length, 40))


def test_every_error_has_a_code_and_a_status() -> None:
    def kinds(of: type[LiarsDiceError]) -> list[type[LiarsDiceError]]:
        return [kind for sub in of.__subclasses__() for kind in (sub, *kinds(sub))]

    for kind in kinds(LiarsDiceError):
        if not kind.__module__.startswith(RAISED_BY):
            continue
        assert 400 <= ERROR_CODES[error_code(kind("no"))].status < 600


def test_every_status_of_an_error_is_described() -> None:
    assert {error.status for error in ERROR_CODES.values()} <= set(ERRORS)


SCHEMAS_FORMS: tuple[tuple[type[msgspec.Struct], dict[str, Any]], ...] = (
    (RulesForm, {"rules": "perudo"}),
    (TableForm, {"name": "Ann"}),
    (SeatForm, {"name": "Ann", "id": "1"}),
    (TicketForm, {"ticket": "x"}),
)


@pytest.mark.parametrize("form, body", SCHEMAS_FORMS, ids=lambda part: getattr(part, "__name__", ""))
def test_an_unknown_field_is_refused(form: type[msgspec.Struct], body: dict[str, Any]) -> None:
    assert isinstance(msgspec.convert(body, form), form)
    with pytest.raises(msgspec.ValidationError, match="admin"):
        msgspec.convert(body | {"admin": True}, form)
