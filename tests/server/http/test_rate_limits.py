"""One address cannot open tables, connect or try codes without limit; other addresses are not affected."""

from __future__ import annotations

from pathlib import Path

import pytest

from liarsdice.server.errors import RateLimitError
from liarsdice.server.http import limits as rate_limits
from liarsdice.server.http.limits import RateLimit, RateLimits
from liarsdice.server.http.websocket import CLOSED_TOO_FAST
from liarsdice.server.protocol.error_codes import ErrorCode
from liarsdice.server.protocol.messages import Problem
from liarsdice.server.settings import read_settings
from tests.server.running_server import close_code, receive, run_server, say_hello

HERE, THERE = "192.0.2.1", "192.0.2.2"


class FakeClock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_each_address_has_a_limit_of_its_own() -> None:
    clock = FakeClock()
    limit = RateLimit(3, now_s=clock)
    assert [limit.consume(HERE) for _ in range(5)] == [True, True, True, False, False]
    assert limit.consume(THERE)
    clock.now_s = 20.0
    assert [limit.consume(HERE), limit.consume(HERE)] == [True, False]
    clock.now_s = 3_600.0
    assert [limit.consume(HERE) for _ in range(4)] == [True, True, True, False]


def test_asking_whether_an_action_is_allowed_counts_nothing() -> None:
    limit = RateLimit(1, now_s=FakeClock())
    assert limit.allows(HERE)
    assert limit.allows(HERE)
    assert limit.consume(HERE)
    assert not limit.allows(HERE)


def test_a_limit_of_zero_allows_everything() -> None:
    limit = RateLimit(0, now_s=FakeClock())
    assert all(limit.consume(HERE) for _ in range(1000))
    assert limit.allows(HERE)


def test_the_addresses_of_one_ipv6_network_share_a_limit() -> None:
    limit = RateLimit(1, now_s=FakeClock())
    assert limit.consume("2001:db8:0:1::1")
    assert not limit.consume("2001:db8:0:1:ffff::2")
    assert limit.consume("2001:db8:0:2::1")
    assert not limit.allows("2001:db8:0:2::2")
    assert limit.consume("::ffff:192.0.2.1")
    assert not limit.consume("192.0.2.1")


def test_only_the_latest_addresses_are_remembered() -> None:
    limit = RateLimit(1, max_networks=10, now_s=FakeClock())
    for number in range(1000):
        assert limit.consume(f"198.51.100.{number % 250}/{number}")
    assert len(limit) == 10


async def test_too_many_tables_from_one_address_are_refused_and_not_created(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db", RateLimits(tables_per_minute=2)) as server:
        client = server.browser()
        answers = [await client.post("/api/tables", json={"name": "Ann"}) for _ in range(4)]
        assert [answer.status_code for answer in answers] == [201, 201, 429, 429]
        assert answers[-1].json()["code"] == ErrorCode.TOO_FAST.value
        assert "set-cookie" not in answers[-1].headers
        assert b"liarsdice_tables 2.0" in (await client.get("/metrics")).content
        assert (await client.get(f"/api/tables/{answers[0].json()['code']}")).status_code == 200


async def test_too_many_connections_from_one_address_are_closed(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db", RateLimits(connections_per_minute=2)) as server:
        ann = server.browser()
        code = await server.open_table(ann)
        for _ in range(2):
            async with server.connect(code, ann) as socket:
                await say_hello(socket)
        async with server.connect(code, ann) as socket:
            answer = await receive(socket)
            assert isinstance(answer, Problem)
            assert answer.code is ErrorCode.TOO_FAST
            assert await close_code(socket) == CLOSED_TOO_FAST


def test_only_the_latest_tables_that_an_address_found_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "MAX_HITS", 2)
    limits = RateLimits(misses_per_minute=1)
    for code in ("AAAA", "BBBB", "AAAA", "CCCC"):
        limits.record_hit(HERE, code)
    limits.record_miss(HERE)
    limits.record_miss(THERE)
    for address, code, allowed in ((HERE, "AAAA", True), (HERE, "BBBB", False), (THERE, "AAAA", False)):
        if allowed:
            limits.check_look_up(address, code)
        else:
            with pytest.raises(RateLimitError):
                limits.check_look_up(address, code)


async def test_a_player_makes_only_a_few_seat_links_a_minute(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db", RateLimits(tickets_per_minute=2)) as server:
        ann, bo = server.browser(), server.browser()
        code = await server.open_table(ann)
        assert (await bo.post(f"/api/tables/{code}/seats", json={"name": "Bo", "id": "1"})).status_code == 201
        statuses = [(await ann.post(f"/api/tables/{code}/ticket")).status_code for _ in range(3)]
        assert statuses == [201, 201, 429]
        assert (await bo.post(f"/api/tables/{code}/ticket")).status_code == 201


def test_a_server_has_limits_unless_they_are_switched_off() -> None:
    usual = read_settings({}, {})
    assert (usual.tables_per_minute, usual.connections_per_minute, usual.work_per_minute) == (60, 600, 3000)
    assert (usual.connections_per_address, usual.max_connections) == (200, 0)
    without = read_settings(
        {"tables_per_minute": "0", "work_per_minute": "0"}, {"LIARSDICE_CONNECTIONS_PER_MINUTE": "0"}
    )
    assert (without.tables_per_minute, without.connections_per_minute, without.work_per_minute) == (0, 0, 0)
