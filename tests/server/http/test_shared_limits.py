"""An address that spreads its requests over several nodes gets hardly more than at one, although messages get lost."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liarsdice.server.errors import RateLimitError
from liarsdice.server.http.limits import CHANNEL, SETTLE_S, TOLD_SHARE, RateLimit, RateLimits, SharedLimits
from tests.server.lossy_bus import LossyBus, Network, SteppedClock

HERE, THERE = "192.0.2.1", "2001:db8:0:1::1"
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
            opened[number] += sum(counter.add(THERE) for _ in range(OPEN))
        nodes.clock.pass_seconds(1)
    assert OPEN * 0.9 <= sum(opened) <= OPEN + 2
    for _ in range(opened[0]):
        counters[0].remove(THERE)
    nodes.clock.pass_seconds(round(SETTLE_S) * 2 + 2)
    assert counters[1].add(THERE), "what was closed on one node may be opened on another"


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
