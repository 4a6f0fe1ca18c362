"""Nodes know at which tables the others have pages open, also when messages are lost or overtake each other."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liarsdice.server.live import node_presence
from liarsdice.server.live.node_presence import (
    BUCKETS,
    CHANNEL,
    EXPIRY_S,
    MAX_DEAF_S,
    NO_PAGES,
    REFRESH_S,
    NodePresence,
    OpenPages,
    bucket_of,
)
from tests.server.nodes import LossyBus, Network, SteppedClock

CODES = [f"T{first}{second}A" for first in "ABCDEFGH" for second in "ABCDEFGH"]


class FakeTable:
    """A table with pages on one node."""

    def __init__(self, code: str, pages: OpenPages) -> None:
        self.code = code
        self.pages = pages

    def local_pages(self) -> OpenPages:
        return self.pages


class Node:
    """A node without tables: a test opens and closes pages at them."""

    def __init__(self, network: Network, clock: SteppedClock) -> None:
        self.bus: LossyBus = network.join()
        self.presence = NodePresence(self.bus, now_s=clock)
        self.told: list[str] = []
        self.presence.on_change = self.told.append
        self.tables: dict[str, FakeTable] = {}
        self._clock = clock
        clock.ticks.append(self.tick)

    def tick(self) -> None:
        self.presence.publish_changes()
        self.presence.tick()

    def set_pages(self, code: str, *players: int, watching: int = 0) -> None:
        table = self.tables.setdefault(code, FakeTable(code, NO_PAGES))
        table.pages = OpenPages(players, watching)
        self.presence.changed(table, empty=table.pages == NO_PAGES)

    def end(self, network: Network) -> None:
        """End as if killed."""
        network.remove(self.bus)
        self._clock.ticks.remove(self.tick)


def make_nodes(count: int, *, seed: int = 0, loss: float = 0.0) -> tuple[Network, SteppedClock, list[Node]]:
    network = Network(seed, loss=loss)
    clock = SteppedClock(network)
    nodes = [Node(network, clock) for _ in range(count)]
    clock.pass_seconds(2)
    return network, clock, nodes


async def test_pages_that_are_opened_and_closed_are_known_everywhere_at_once() -> None:
    network, clock, (first, second, third) = make_nodes(3)
    second.set_pages("ABCD", 1, 2, watching=3)
    network.deliver()
    assert first.presence.pages_elsewhere("ABCD") == OpenPages((1, 2), 3)
    assert second.presence.pages_elsewhere("ABCD") == NO_PAGES, "a node's own pages are not elsewhere"
    clock.pass_seconds(1)
    third.set_pages("ABCD", 2, 4, watching=1)
    network.deliver()
    assert first.presence.pages_elsewhere("ABCD") == OpenPages((1, 2, 4), 4), "a player with two pages is one player"
    clock.pass_seconds(1)
    second.set_pages("ABCD")
    network.deliver()
    assert first.presence.pages_elsewhere("ABCD") == OpenPages((2, 4), 1)
    assert first.told == ["ABCD"] * 3


async def test_a_crowd_that_leaves_is_told_in_a_few_messages() -> None:
    network, _, (first, second) = make_nodes(2)
    before = len(network.sent)
    for watching in range(100, 0, -1):
        first.set_pages("ABCD", watching=watching)
    first.presence.publish_changes()
    assert len(network.sent) - before <= 2
    network.deliver()
    assert second.presence.pages_elsewhere("ABCD") == OpenPages((), 1)


async def test_a_node_that_starts_late_learns_everything_within_two_seconds() -> None:
    network, clock, (first, second) = make_nodes(2)
    for code in CODES:
        first.set_pages(code, 1)
        second.set_pages(code, 2)
    late = Node(network, clock)
    clock.pass_seconds(3)
    assert {late.presence.pages_elsewhere(code) for code in CODES} == {OpenPages((1, 2), 0)}
    assert late.presence.node_count == 3


async def test_the_pages_of_a_killed_node_are_open_until_it_has_been_silent_for_long() -> None:
    network, clock, (first, second) = make_nodes(2)
    second.set_pages("ABCD", 1)
    clock.pass_seconds(1)
    second.end(network)
    clock.pass_seconds(round(EXPIRY_S) - 1)
    assert first.presence.pages_elsewhere("ABCD") == OpenPages((1,), 0)
    assert first.presence.node_count == 2
    first.told.clear()
    clock.pass_seconds(1)
    assert first.presence.pages_elsewhere("ABCD") == NO_PAGES
    assert (first.presence.node_count, first.told) == (1, ["ABCD"])


async def test_a_node_that_stood_still_does_not_take_the_others_for_dead() -> None:
    """Its messages from them come only after its first tick."""
    network, clock, (first, second) = make_nodes(2)
    second.set_pages("ABCD", 1)
    clock.pass_seconds(1)
    clock.now_s += 3 * EXPIRY_S
    first.tick()
    assert first.presence.pages_elsewhere("ABCD") == OpenPages((1,), 0)
    second.end(network)
    clock.pass_seconds(round(EXPIRY_S) + 1)
    assert first.presence.pages_elsewhere("ABCD") == NO_PAGES


async def test_while_the_bus_fails_a_node_keeps_what_it_knew_for_some_minutes() -> None:
    network, clock, (first, second) = make_nodes(2)
    second.set_pages("ABCD", 1)
    clock.pass_seconds(1)
    network.down = True
    first.bus.works = second.bus.works = False
    clock.pass_seconds(round(MAX_DEAF_S))
    assert first.presence.pages_elsewhere("ABCD") == OpenPages((1,), 0)
    clock.pass_seconds(round(EXPIRY_S))
    assert first.presence.pages_elsewhere("ABCD") == NO_PAGES
    network.down = False
    first.bus.works = second.bus.works = True
    clock.pass_seconds(REFRESH_S + 1)
    assert first.presence.pages_elsewhere("ABCD") == OpenPages((1,), 0)


async def test_the_pages_of_a_node_that_stops_are_closed_at_once() -> None:
    network, clock, (first, second) = make_nodes(2)
    second.set_pages("ABCD", 1)
    clock.pass_seconds(1)
    clock.ticks.remove(second.tick)
    second.presence.close()
    network.deliver()
    assert first.presence.pages_elsewhere("ABCD") == NO_PAGES
    assert first.presence.node_count == 1


steps = st.lists(
    st.tuples(
        st.integers(0, 2), st.sampled_from(CODES[:6]), st.sets(st.integers(1, 3)), st.integers(0, 2), st.booleans()
    ),
    max_size=40,
)


@settings(max_examples=40)
@given(steps, st.integers(0, 2**32))
async def test_whatever_is_lost_or_overtaken_is_made_up_for_by_one_repetition(
    steps: list[tuple[int, str, set[int], int, bool]], seed: int
) -> None:
    network, clock, nodes = make_nodes(3, seed=seed, loss=0.3)
    for number, code, players, watching, time_passes in steps:
        nodes[number].set_pages(code, *sorted(players), watching=watching)
        network.deliver(0.5)
        if time_passes:
            clock.pass_seconds(1)
    network.loss = 0.0
    clock.pass_seconds(REFRESH_S + 1)
    for node in nodes:
        others = [other for other in nodes if other is not node]
        for code in CODES[:6]:
            pages = [other.tables[code].pages for other in others if code in other.tables]
            expected = OpenPages(
                tuple(sorted({player for found in pages for player in found.players})),
                sum(found.watching for found in pages),
            )
            assert node.presence.pages_elsewhere(code) == expected


MANY = [f"C{number}" for number in range(2 * BUCKETS)]
FULL_BUCKET = [code for code in (f"C{number}" for number in range(60 * BUCKETS)) if bucket_of(code) == 7]


@pytest.mark.parametrize("codes, most", [(MANY, 200), (FULL_BUCKET, 100)])
async def test_a_node_with_many_tables_repeats_all_of_them_in_few_messages_that_fit(
    codes: list[str], most: int
) -> None:
    """In many buckets, and more in one than fit into a message."""
    network, clock, (first, second) = make_nodes(2)
    network.down = True  # all changes are lost
    for code in codes:
        first.presence.changed(FakeTable(code, OpenPages((1, 2, 3, 4, 5, 6), 1)), empty=False)
    clock.pass_seconds(1)
    network.down = False
    network.sent.clear()
    clock.pass_seconds(REFRESH_S)
    assert len(network.sent) < most
    assert all(second.presence.pages_elsewhere(code).watching == 1 for code in codes)


async def test_another_node_cannot_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_presence, "MAX_TABLES", 100)
    monkeypatch.setattr(node_presence, "MAX_NODES", 3)
    network, _, (first, second) = make_nodes(2)
    codes = [f"X{number}" for number in range(1000)]
    for number, code in enumerate(codes):
        second.bus.publish(CHANNEL, code, json.dumps([number + 1000, [[code, [1], 0]]]))
    network.deliver()
    assert sum(first.presence.pages_elsewhere(code) != NO_PAGES for code in codes) == 100
    for node in (network.join() for _ in range(10)):
        node.publish(CHANNEL, "alive", "[1]")
    network.deliver()
    assert first.presence.node_count == 4


async def test_a_message_that_cannot_be_read_is_ignored() -> None:
    network, _, (first, second) = make_nodes(2)
    for value in ("", "{}", "[1,2]", '[1,[["ABCD",["x"],0]]]', '["x"]', "[99,[],0,250,false,7]"):
        second.bus.publish(CHANNEL, "ABCD", value)
    network.deliver()
    assert first.presence.pages_elsewhere("ABCD") == NO_PAGES


async def test_messages_say_who_is_there_by_number_and_nothing_else() -> None:
    network, clock, (first, _) = make_nodes(2)
    network.sent.clear()
    first.set_pages("ABCD", 1, 2, watching=3)
    clock.pass_seconds(REFRESH_S)
    tables = [table for _, _, value in network.sent for table in json.loads(value)[1]]
    assert tables
    assert all(table == ["ABCD", [1, 2], 3] for table in tables)
