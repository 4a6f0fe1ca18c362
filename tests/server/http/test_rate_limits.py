"""Nobody opens tables, connects or tries codes without end from one address; everybody else goes on as before."""

from __future__ import annotations

from pathlib import Path

import pytest

from liarsdice.server.http.rate_limits import Limit, Limits
from liarsdice.server.http.websocket import CLOSED_NO_TABLE, CLOSED_TOO_FAST
from liarsdice.server.protocol.messages import ErrorCode, Problem
from liarsdice.server.settings import read_settings
from tests.server.serving import closing, greeted, heard, served

HERE, THERE = "192.0.2.1", "192.0.2.2"


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_an_address_has_so_many_a_minute_and_another_one_as_many_again() -> None:
    clock = Clock()
    limit = Limit(3, now_s=clock)
    assert [limit.spend(HERE) for _ in range(5)] == [True, True, True, False, False]
    assert limit.spend(THERE)
    clock.now_s = 20.0
    assert [limit.spend(HERE), limit.spend(HERE)] == [True, False]
    clock.now_s = 3_600.0
    assert [limit.spend(HERE) for _ in range(4)] == [True, True, True, False]


def test_to_ask_what_is_left_costs_nothing() -> None:
    limit = Limit(1, now_s=Clock())
    assert limit.left(HERE)
    assert limit.left(HERE)
    assert limit.spend(HERE)
    assert not limit.left(HERE)


def test_zero_is_any_number() -> None:
    limit = Limit(0, now_s=Clock())
    assert all(limit.spend(HERE) for _ in range(1000))
    assert limit.left(HERE)


def test_a_network_of_one_visitor_is_one_address() -> None:
    limit = Limit(1, now_s=Clock())
    assert limit.spend("2001:db8:0:1::1")
    assert not limit.spend("2001:db8:0:1:ffff::2")
    assert limit.spend("2001:db8:0:2::1")
    assert limit.spend("::ffff:192.0.2.1")
    assert not limit.spend("192.0.2.1")


def test_only_the_latest_addresses_are_remembered() -> None:
    limit = Limit(1, most_known=10, now_s=Clock())
    for number in range(1000):
        assert limit.spend(f"198.51.100.{number % 250}/{number}")
    assert len(limit._known) == 10  # noqa: SLF001  what nobody else can see


async def test_tables_opened_without_end_are_refused_and_nothing_is_kept_of_them(tmp_path: Path) -> None:
    async with served(tmp_path / "db", Limits(tables_per_minute=2)) as server:
        client = server.browser()
        answers = [await client.post("/api/tables", json={"name": "Ann"}) for _ in range(4)]
        assert [answer.status_code for answer in answers] == [201, 201, 429, 429]
        assert answers[-1].json()["code"] == ErrorCode.TOO_FAST.value
        assert "set-cookie" not in answers[-1].headers
        assert b"liarsdice_tables 2.0" in (await client.get("/metrics")).content
        assert (await client.get(f"/api/tables/{answers[0].json()['code']}")).status_code == 200


async def test_lines_opened_without_end_are_cut_off(tmp_path: Path) -> None:
    async with served(tmp_path / "db", Limits(connections_per_minute=2)) as server:
        ann = server.browser()
        code = await server.opened(ann)
        for _ in range(2):
            async with server.line(code, ann) as line:
                await greeted(line)
        async with server.line(code, ann) as line:
            answer = await heard(line)
            assert isinstance(answer, Problem)
            assert answer.code is ErrorCode.TOO_FAST
            assert await closing(line) == CLOSED_TOO_FAST


@pytest.mark.parametrize("by_line", [False, True])
async def test_codes_cannot_be_tried_without_end(tmp_path: Path, by_line: bool) -> None:
    async with served(tmp_path / "db", Limits(misses_per_minute=3)) as server:
        ann, eve = server.browser(), server.browser()
        code = await server.opened(ann)
        for guess in ("AAAA", "BBBB", "CCCC"):
            if by_line:
                async with server.line(guess) as line:
                    await heard(line)
                    assert await closing(line) == CLOSED_NO_TABLE
            else:
                assert (await eve.get(f"/api/tables/{guess}")).status_code == 404
        for path in (f"/api/tables/{code}", "/api/tables/DDDD", f"/api/tables/{code}/qr.svg"):
            assert (await eve.get(path)).status_code == 429
        assert (await eve.post(f"/api/tables/{code}/seats", json={"name": "Eve", "id": "1"})).status_code == 429
        async with server.line(code) as line:
            await heard(line)
            assert await closing(line) == CLOSED_TOO_FAST
        assert (await eve.get("/api/lobby")).status_code == 200


def test_a_server_has_limits_unless_it_is_told_not_to() -> None:
    usual = read_settings({}, {})
    assert (usual.tables_per_minute, usual.connections_per_minute) == (60, 600)
    without = read_settings({"tables_per_minute": "0"}, {"LIARSDICE_CONNECTIONS_PER_MINUTE": "0"})
    assert (without.tables_per_minute, without.connections_per_minute) == (0, 0)
