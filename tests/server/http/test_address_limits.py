"""One address cannot open tables, connect or try codes without limit; other addresses are not affected."""

import asyncio
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litestar.types import HTTPRequestEvent, Receive, Scope, Send

from liarsdice.server.errors import AddressLimitError, BannedError, RateLimitError
from liarsdice.server.http import address_limits
from liarsdice.server.http.address_limits import (
    BYTES_PER_REQUEST,
    CHANNEL,
    SETTLE_S,
    TOLD_SHARE,
    AddressCounter,
    RateLimit,
    RateLimits,
    SharedLimits,
    networks_of,
)
from liarsdice.server.http.auth import hash_token
from liarsdice.server.http.costly_work import MAX_REQUESTS_PER_ADDRESS, CostlyWork
from liarsdice.server.http.request_limits import MAX_AT_ONCE, RequestLimits
from liarsdice.server.http.websocket import CLOSED_TOO_FAST
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.live.table_services import AddressPolicy
from liarsdice.server.protocol.messages import ErrorCode, Problem
from liarsdice.server.settings import read_settings
from liarsdice.server.table import commands as c
from liarsdice.server.table.table_config import BanScope
from liarsdice.server.token_bucket import TokenBucket
from tests.server.http.fake_transport import FakeClock
from tests.server.live_tables import fake_clock, make_config, make_table, shared_pool
from tests.server.nodes import LossyBus, Network, SteppedClock
from tests.server.running_server import close_code, receive, run_server, say_hello

HERE, THERE = "192.0.2.1", "192.0.2.2"


def test_each_address_has_a_limit_of_its_own() -> None:
    clock = FakeClock()
    limit = RateLimit(3, now_s=clock)
    assert [limit.consume(HERE) for _ in range(5)] == [True, True, True, False, False]
    assert limit.consume(THERE)
    clock.now_s += 20.0
    assert [limit.consume(HERE), limit.consume(HERE)] == [True, False]
    clock.now_s += 3_600.0
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
    async with run_server(tmp_path / "db", RateLimits(tables_per_minute=2, now_s=lambda: 0.0)) as server:
        client = server.browser()
        answers = [await client.post("/api/tables", json={"name": "Ann"}) for _ in range(4)]
        assert [answer.status_code for answer in answers] == [201, 201, 429, 429]
        assert answers[-1].json()["code"] == ErrorCode.TOO_FAST.value
        assert "set-cookie" not in answers[-1].headers
        assert b"liarsdice_tables 2.0" in (await client.get("/metrics")).content
        assert (await client.get(f"/api/tables/{answers[0].json()['code']}")).status_code == 200


async def test_too_many_connections_from_one_address_are_closed(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db", RateLimits(connections_per_minute=2, now_s=lambda: 0.0)) as server:
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
    monkeypatch.setattr(address_limits, "MAX_HITS", 2)
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
    async with run_server(tmp_path / "db", RateLimits(tickets_per_minute=2, now_s=lambda: 0.0)) as server:
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


IN_IPV6 = "2001:db8:0:1::1"
KEY = b"the same on every node"
TABLES, CONNECTIONS, OPEN = 60, 600, 30


class Nodes:
    """Some nodes with the same limits."""

    def __init__(self, count: int, *, seed: int = 0, loss: float = 0.0) -> None:
        self.network = Network(seed, loss=loss)
        self.clock = SteppedClock(self.network)
        self.buses: list[LossyBus] = [self.network.join() for _ in range(count)]
        self.limits = [
            RateLimits(
                tables_per_minute=TABLES,
                connections_per_minute=CONNECTIONS,
                misses_per_minute=TABLES,
                connections_per_address=OPEN,
                tickets_per_minute=6,
                key=KEY,
                now_s=self.clock,
            )
            for _ in range(count)
        ]
        for bus, limits in zip(self.buses, self.limits, strict=True):
            shared = SharedLimits(bus, limits, lambda: count, now_s=self.clock)
            self.clock.ticks.append(shared.tick)
        self.clock.pass_seconds(1)

    def limit(self, node: int, name: str) -> RateLimit:
        return self.limits[node].by_name[name]


def most(per_minute: int, seconds: int, node_count: int) -> float:
    """What several nodes may allow in a time: one full bucket and its refill, and for each other node a bit more."""
    return per_minute * (1 + seconds / 60) + (node_count - 1) * (1 + per_minute / TOLD_SHARE)


@settings(max_examples=30)
@given(
    st.sampled_from(["tables", "connections"]),
    st.integers(2, 4),
    st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 200)), max_size=4), min_size=1, max_size=15),
    st.integers(0, 2**32),
)
def test_nodes_together_allow_what_one_would(
    name: str, count: int, seconds: list[list[tuple[int, int]]], seed: int
) -> None:
    """Whatever nodes the requests of each second go to; messages come in any order."""
    nodes, allowed = Nodes(count, seed=seed), 0
    for bursts in seconds:
        for node, requests in bursts:
            allowed += sum(nodes.limit(node % count, name).consume(HERE) for _ in range(requests))
        nodes.clock.pass_seconds(1)
    limit = TABLES if name == "tables" else CONNECTIONS
    assert allowed <= most(limit, len(seconds), count)


def attack(nodes: Nodes, name: str, seconds: int, burst: int) -> int:
    """How many requests from one address all nodes allow, each of which gets a burst and then 40 a second."""
    allowed = 0
    for second in range(seconds):
        for node in range(len(nodes.limits)):
            allowed += sum(nodes.limit(node, name).consume(HERE) for _ in range(40 if second else burst))
        nodes.clock.pass_seconds(1)
    return allowed


@pytest.mark.parametrize("name, limit", [("tables", TABLES), ("connections", CONNECTIONS)])
def test_an_attack_on_three_nodes_gets_what_one_on_one_node_gets(name: str, limit: int) -> None:
    allowed = attack(Nodes(3), name, 60, limit)
    assert limit * 2 * 0.95 <= allowed <= most(limit, 60, 3)


def test_a_fifth_of_the_messages_lost_costs_a_few_percent() -> None:
    allowed = attack(Nodes(3, seed=1, loss=0.2), "connections", 60, CONNECTIONS)
    assert allowed <= 1.05 * most(CONNECTIONS, 60, 3)


def test_nodes_that_cannot_tell_each_other_anything_allow_at_most_as_many_times_as_they_are() -> None:
    nodes = Nodes(3)
    nodes.network.down = True
    allowed = attack(nodes, "tables", 60, TABLES)
    assert allowed > 2 * most(TABLES, 60, 3), "without the bus, the limit holds for each node alone"
    assert allowed <= 3 * most(TABLES, 60, 1)
    nodes.network.down = False
    nodes.clock.pass_seconds(60)
    assert attack(nodes, "tables", 60, TABLES) <= most(TABLES, 60, 3)


def test_an_address_that_uses_one_node_gets_the_whole_limit_soon() -> None:
    nodes, allowed = Nodes(3), []
    for _ in range(60):
        allowed.append(sum(nodes.limit(0, "connections").consume(HERE) for _ in range(CONNECTIONS)))
        nodes.clock.pass_seconds(1)
    assert allowed[0] == CONNECTIONS // 3, "its share at once"
    assert sum(allowed[:20]) >= CONNECTIONS * 0.8
    assert CONNECTIONS * 1.6 <= sum(allowed) <= CONNECTIONS * 2


def test_a_limit_of_a_few_a_minute_holds_on_all_nodes_together() -> None:
    """A player makes links to a seat by turns on two nodes."""
    nodes, made = Nodes(2), 0
    for second in range(30):
        try:
            nodes.limits[second % 2].check_make_ticket("ABCD", 1)
        except RateLimitError:
            pass
        else:
            made += 1
        nodes.clock.pass_seconds(1)
    assert 6 <= made <= most(6, 30, 2)


def test_open_connections_of_an_address_are_counted_on_all_nodes_together() -> None:
    nodes = Nodes(3)
    counters, opened = [limits.open_connections for limits in nodes.limits], [0, 0, 0]
    for _ in range(60):
        for number, counter in enumerate(counters):
            opened[number] += sum(counter.add(IN_IPV6) for _ in range(OPEN))
        nodes.clock.pass_seconds(1)
    assert OPEN * 0.9 <= sum(opened) <= OPEN + 2
    for _ in range(opened[0]):
        counters[0].remove(IN_IPV6)
    nodes.clock.pass_seconds(round(SETTLE_S) * 2 + 2)
    assert counters[1].add(IN_IPV6), "what was closed on one node may be opened on another"


def test_the_connections_of_a_killed_node_are_forgotten() -> None:
    nodes = Nodes(2)
    for _ in range(8):
        assert nodes.limits[1].open_connections.add(HERE)
        nodes.clock.pass_seconds(10)
    nodes.network.remove(nodes.buses[1])
    nodes.clock.pass_seconds(round(SETTLE_S) + 1)
    added = 0
    for _ in range(300):
        added += nodes.limits[0].open_connections.add(HERE)
        nodes.clock.pass_seconds(1)
    assert added == OPEN


def test_a_table_that_was_found_through_one_node_can_be_looked_up_at_another_one() -> None:
    """Although others behind the same address have tried too many codes there."""
    nodes = Nodes(2)
    first, second = nodes.limits
    first.record_hit(HERE, "ABCD")
    nodes.clock.pass_seconds(1)
    for _ in range(20):
        for _ in range(TABLES):
            second.record_miss(HERE)
        nodes.clock.pass_seconds(1)
    for _ in range(TABLES):
        second.record_miss(HERE)
    second.check_look_up(HERE, "abcd")
    with pytest.raises(RateLimitError):
        second.check_look_up(HERE, "DCBA")


def test_messages_name_no_address_and_fit_however_many_addresses_are_busy() -> None:
    """The network checks the length of each."""
    nodes, generator = Nodes(2), random.Random(0)
    addresses = [f"198.51.100.{number}" for number in range(60)] + [f"2001:db8:{number:x}::1" for number in range(60)]
    for _ in range(4):
        for address in addresses:
            limits = nodes.limits[generator.randrange(2)]
            for limit in limits.by_name.values():
                limit.consume(address, 7.25)
            limits.open_connections.add(address)
            limits.record_hit(address, "ABCDEFGH")
        nodes.clock.pass_seconds(1)
    sent = [value for channel, _, value in nodes.network.sent if channel == CHANNEL]
    assert len(sent) > 50
    assert not any(part in value for value in sent for part in ("198.51.100", "2001:db8"))


def test_messages_that_cannot_be_read_count_nothing_else() -> None:
    nodes = Nodes(2)
    second = nodes.buses[1]
    key = "0123456789abcdef"
    for value in ("", "[]", "{}", '["x"]', f'[7,[["tables","{key}"]]]', f'[8,[["unknown","{key}",1,5.0]]]'):
        second.publish(CHANNEL, "1", value)
    assert not any(len(limit) for limit in nodes.limits[0].by_name.values())
    for _ in range(3):
        second.publish(CHANNEL, "1", f'[9,[["tables","{key}",1,50.0]]]')
    nodes.network.deliver()
    assert [len(limit) for limit in nodes.limits[0].by_name.values()] == [1, 0, 0, 0, 0, 0]


def test_a_node_alone_tells_nothing() -> None:
    nodes = Nodes(1)
    for _ in range(10):
        nodes.limits[0].record_hit(HERE, "ABCD")
        attack(nodes, "tables", 1, 10)
    assert nodes.network.sent == []


def test_a_message_that_comes_twice_counts_once() -> None:
    nodes = Nodes(2)
    limit = nodes.limit(1, "tables")
    assert sum(limit.consume(HERE) for _ in range(TABLES)) == TABLES // 2
    nodes.clock.pass_seconds(3)  # the message was sent three times
    assert sum(nodes.limit(0, "tables").consume(HERE) for _ in range(TABLES)) >= TABLES // 4


ANN = hash_token("Ann")
NEIGHBOUR = "2001:db8:ffff::1"


def addresses_in(bits: int, count: int = 300) -> Iterator[str]:
    """Addresses of a visitor who owns a network of this size, each in the next /64 of it if there are more than one."""
    subnets = 2 ** (64 - bits)
    return (f"2001:db8:0:{number % subnets:x}::{number % 9 + 1}" for number in range(count))


@pytest.mark.parametrize("bits, times", [(64, 1), (56, 2), (48, 4)])
@pytest.mark.parametrize("limit", [lambda: RateLimit(10, now_s=lambda: 0.0).consume, lambda: AddressCounter(10).add])
def test_a_network_has_a_few_times_the_budget_of_one_address(
    bits: int, times: int, limit: Callable[[], Callable[[str], bool]]
) -> None:
    allows = limit()
    assert sum(map(allows, addresses_in(bits))) == 10 * times
    assert allows(NEIGHBOUR)


def test_requests_of_a_network_in_progress_are_bounded() -> None:
    work, allowed = CostlyWork(RateLimits(), shared_pool()), 0
    with ExitStack() as in_progress:
        for address in addresses_in(48):
            with suppress(RateLimitError):
                in_progress.enter_context(work.admitted(address, 1))
                allowed += 1
    assert allowed == 4 * MAX_REQUESTS_PER_ADDRESS
    with work.admitted(next(addresses_in(48)), 1):
        pass


def test_connections_that_are_closed_count_no_more_in_any_network() -> None:
    counter = AddressCounter(1)
    for address in addresses_in(48):
        assert counter.add(address)
        counter.remove(address)


async def test_a_visitor_with_a_network_takes_as_many_seats_as_one_with_an_address(registry: TableRegistry) -> None:
    fake_clock(registry).address_policy = AddressPolicy(b"key", seats_per_address=3)
    live_table = await make_table(registry, "Ann", config=msgspec.structs.replace(make_config(), listed=True))
    taken = 0
    for number, address in enumerate(list(addresses_in(48, 65_536))[::8_192]):
        try:
            await registry.take_seat(live_table, f"Bo{number}", hash_token(f"{number}"), "", f"{number}", address)
        except AddressLimitError:
            continue
        taken += 1
    assert taken == 3
    assert await registry.take_seat(live_table, "Cy", hash_token("Cy"), "", "cy", NEIGHBOUR)


async def test_a_removed_person_cannot_sit_down_with_another_browser_from_the_same_network(
    registry: TableRegistry,
) -> None:
    live_table = await make_table(registry, "Ann")
    first, *others = addresses_in(48)
    player = await registry.take_seat(live_table, "Bo", hash_token("Bo"), "", "1", first)
    assert player is not None
    await registry.submit(live_table, ANN, "remove", c.Remove(player, BanScope.FOR_GOOD))
    for number, address in enumerate(others[:20]):
        with pytest.raises(BannedError):
            await registry.take_seat(live_table, "Eve", hash_token(f"{number}"), "", f"{number}", address)
    assert await registry.take_seat(live_table, "Cy", hash_token("Cy"), "", "cy", NEIGHBOUR)


def test_an_address_that_is_none_is_a_network_of_its_own() -> None:
    assert networks_of("unix:") == (("unix:", 1),)
    assert networks_of("fe80::1%eth0") == networks_of("fe80::1")


class SlowApp:
    """An application that takes `steps` more steps of the event loop for a request, and notes who was answered."""

    def __init__(self, body: bytes = b"", steps: int = 3) -> None:
        self.body, self.steps = body, steps
        self.at_work = self.most_at_work = 0
        self.answered: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002  the shape of ASGI
        self.at_work += 1
        self.most_at_work = max(self.most_at_work, self.at_work)
        for _ in range(self.steps):
            await asyncio.sleep(0)
        self.at_work -= 1
        assert scope["client"] is not None
        self.answered.append(scope["client"][0])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": self.body, "more_body": False})


async def no_body() -> HTTPRequestEvent:
    return {"type": "http.request", "body": b"", "more_body": False}


async def ask(limits: RequestLimits, address: str) -> int:
    """Send a request; return the status of the answer."""
    statuses: list[int] = []

    async def send(message: object) -> None:
        assert isinstance(message, dict)
        statuses.extend([message["status"]] if "status" in message else [])

    scope: Any = {"type": "http", "client": (address, 1)}  # as little of a request as it needs
    await limits(scope, no_body, send)
    return statuses[0]


@pytest.mark.parametrize(
    "addresses", [["192.0.2.1", "192.0.2.2"], ["2001:db8:0:1::1", "2001:db8:0:2::1"]], ids=["ipv4", "ipv6"]
)
@pytest.mark.parametrize("steps", [0, 3])
async def test_a_new_visitor_does_not_wait_for_the_requests_of_all_other_connections(
    addresses: list[str], steps: int
) -> None:
    app = SlowApp(steps=steps)
    limits = RequestLimits(app, RateLimits())
    crowd = [asyncio.create_task(ask(limits, addresses[place % 2])) for place in range(400)]
    await asyncio.sleep(0)
    assert await ask(limits, "198.51.100.7") == 200
    assert len(app.answered) <= 1 + 4 * MAX_AT_ONCE
    await asyncio.gather(*crowd)
    assert len(app.answered) == 401
    assert app.most_at_work <= 1 + 2 * MAX_AT_ONCE


async def test_a_request_over_the_budget_is_refused_without_asking_the_application() -> None:
    app = SlowApp()
    limits = RequestLimits(app, RateLimits(requests_per_minute=2, now_s=lambda: 0.0))
    assert [await ask(limits, "192.0.2.1") for _ in range(3)] == [200, 200, 429]
    assert await ask(limits, "192.0.2.2") == 200
    assert len(app.answered) == 3


async def test_long_responses_are_paid_from_the_budget_too_and_the_debt_ends() -> None:
    now_s = [0.0]
    limits = RequestLimits(
        SlowApp(b" " * 100 * BYTES_PER_REQUEST), RateLimits(requests_per_minute=60, now_s=lambda: now_s[0])
    )
    assert [await ask(limits, "192.0.2.1") for _ in range(2)] == [200, 429]
    now_s[0] = 30.0
    assert await ask(limits, "192.0.2.1") == 429
    now_s[0] = 62.0
    assert await ask(limits, "192.0.2.1") == 200


async def test_a_refusal_closes_the_connection_and_has_the_headers_of_any_response(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db", RateLimits(requests_per_minute=1, now_s=lambda: 0.0)) as server:
        client = server.browser()
        assert (await client.get("/healthz")).status_code == 200
        refused = await client.get("/api/presets")
        assert refused.status_code == 429
        assert refused.json()["code"] == "too_fast"
        assert refused.headers["connection"] == "close"
        assert refused.headers["retry-after"] == "60"
        assert "content-security-policy" in refused.headers


def test_a_bucket_refills_up_to_its_burst() -> None:
    bucket = TokenBucket(2, 1, 0.0)
    assert [bucket.consume(now_s) for now_s in (0.0, 0.0, 0.5, 1.0, 9.0, 9.0, 9.0)] == [
        *(True, True, False, True),
        *(True, True, False),
    ]


def test_a_clock_that_is_set_back_blocks_nobody_for_longer() -> None:
    bucket = TokenBucket(1, 1, 3_600.0)
    assert bucket.consume(3_600.0)
    assert not bucket.consume(0.0)
    assert bucket.consume(1.0)
