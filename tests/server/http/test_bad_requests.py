"""Whatever is asked over HTTP, the answer is a kind of problem with what to do, and nothing has changed."""

import pytest

from liarsdice.core.errors import LiarsDiceError
from liarsdice.server.app import STATUS
from liarsdice.server.errors import code_of
from liarsdice.server.protocol.messages import ErrorCode
from tests.server.serving import Served

DEEP = 20_000
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
    ("a seed with a line break", b'{"name":"Ann","seed":"a\\nb"}', 400),
    ("too much", b'{"name":"Ann","title":"' + b"x" * 70_000 + b'"}', 413),
)


SEATS: tuple[tuple[str, dict[str, str]], ...] = (
    ("seats", {"name": "ann", "id": "1"}),
    ("seats", {"name": "Bo", "id": ""}),
    ("seats", {"name": "Bo", "id": "x" * 41}),
    ("seats", {"name": "Bo", "id": "é"}),
    ("seats", {"name": "Bo", "id": "1", "seed": "x" * 65}),
    ("seats", {"name": "x" * 41, "id": "1"}),
    ("seats", {"name": "Bo\u202e", "id": "1"}),
    ("ticket", {}),
    ("redeem", {"ticket": ""}),
    ("redeem", {"ticket": "x" * 10_000}),
)

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


async def test_a_table_that_cannot_be_as_wished_is_not_opened(server: Served, subtests: pytest.Subtests) -> None:
    for what, body, status in REFUSED:
        with subtests.test(what):
            answer = await server.browser().post("/api/tables", content=body)
            assert answer.status_code == status, answer.text
            assert answer.json()["code"] in KINDS
            assert answer.json()["text"]
            assert "set-cookie" not in answer.headers
    assert b"liarsdice_commits_total 0.0" in (await server.browser().get("/metrics")).content


async def test_a_seat_that_cannot_be_had_changes_nothing(server: Served, subtests: pytest.Subtests) -> None:
    code = await server.opened(server.browser())
    before = await server.log(code)
    for path, form in SEATS:
        with subtests.test(f"{path} {form}"):
            answer = await server.browser().post(f"/api/tables/{code}/{path}", json=form)
            assert answer.status_code in {400, 403}, answer.text
            assert answer.json()["code"] in KINDS
            assert await server.log(code) == before


async def test_what_is_not_there_is_said_to_be_missing(server: Served, subtests: pytest.Subtests) -> None:
    client = server.browser()
    for path in MISSING:
        with subtests.test(path[:40]):
            answer = await client.get(path)
            assert answer.status_code == 404, answer.text
            assert len(answer.content) < 10_000


async def test_a_match_that_is_not_over_has_no_record(server: Served) -> None:
    client = server.browser()
    code = await server.opened(client, bots=["random"], begin=True, away="wait")
    for number in ("1", "2", "0", "9" * 30):
        answer = await client.get(f"/api/tables/{code}/matches/{number}")
        assert answer.status_code in {403, 404}, answer.text


async def test_an_invitation_is_drawn_for_addresses_of_a_sensible_length(server: Served) -> None:
    client = server.browser()
    code = await server.opened(client)
    drawn = await client.get(f"/api/tables/{code}/qr.svg")
    assert drawn.headers["content-type"].startswith("image/svg+xml")
    assert b"<script" not in drawn.content
    for path, ask in (("qr.svg", client.get), ("ticket", client.post)):
        refused = await ask(f"/api/tables/{code}/{path}", headers={"host": "x" * 5000})
        assert refused.status_code == 400, refused.text


async def test_a_table_takes_its_name_from_its_host_whatever_that_is_called(server: Served) -> None:
    client = server.browser()
    for length in range(30, 41):
        code = await server.opened(client, "x" * length)
        title = (await (await server.rooms.room(code)).table()).options.title
        assert title.startswith("x" * min(length, 40))


def test_every_error_has_a_code_and_a_status() -> None:
    def kinds(of: type[LiarsDiceError]) -> list[type[LiarsDiceError]]:
        return [kind for sub in of.__subclasses__() for kind in (sub, *kinds(sub))]

    for kind in kinds(LiarsDiceError):
        assert 400 <= STATUS[code_of(kind("no"))] < 600
