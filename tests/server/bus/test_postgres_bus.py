"""The bus over a real PostgreSQL server: messages arrive, and do so again after the connection was lost."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import asyncpg
import pytest
import structlog

from liarsdice.server.bus import postgres_bus as postgres_bus_module
from liarsdice.server.bus.event_bus import (
    MAX_PAYLOAD_BYTES,
    MAX_VALUE_LENGTH,
    EventBus,
    decode_payload,
    encode_payloads,
)
from liarsdice.server.bus.postgres_bus import BusConnection, ConnectBus, RemoteEventBus, postgres_bus
from liarsdice.server.settings import PostgresUrl

PATIENCE_S = 60.0
END_SESSIONS = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE datname = current_database() AND application_name LIKE 'liarsdice bus%'
"""


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not holds():  # noqa: ASYNC110  the condition depends on tasks of the bus
            await asyncio.sleep(0.001)


async def exchange(connect: ConnectBus, disconnect: Callable[[], Awaitable[object]]) -> None:
    """Send messages from one node to another, before and after both lose their connections."""
    first, second = (RemoteEventBus(connect, "bus") for _ in range(2))
    received: list[tuple[str, str, str]] = []
    second.subscribe("tables", lambda *message: received.append(message))
    await first.open()
    await second.open()
    try:
        await send_many(first, second, received)
        gaps = (first.gap_count, second.gap_count)
        await disconnect()
        await until(lambda: first.gap_count > gaps[0] and second.gap_count > gaps[1])
        await send_many(first, second, received)
    finally:
        await first.close()
        await second.close()


async def send_many(first: RemoteEventBus, second: RemoteEventBus, received: list[tuple[str, str, str]]) -> None:
    await until(lambda: first.gap_count > 0 and second.gap_count > 0)
    received.clear()
    long_value = "é" * MAX_VALUE_LENGTH
    for number in range(50):
        first.publish("tables", f"T{number}", long_value)
    await until(lambda: len({key for key, _, _ in received}) == 50)
    assert {value for _, value, _ in received} == {long_value}


async def test_messages_are_notifications_of_postgresql(postgres_url: PostgresUrl) -> None:
    async def disconnect() -> None:
        administrator = await asyncpg.connect(postgres_url.url)
        assert await administrator.fetchval(END_SESSIONS) == 4
        await administrator.close()

    await exchange(postgres_bus(postgres_url), disconnect)


Received = list[tuple[str, str, str]]


class FakeNetwork:
    """A bus in this process. `up`: it can be connected to; `answers`: sending ends; `delivers`: messages arrive."""

    def __init__(self) -> None:
        self.up = self.answers = self.delivers = True
        self.connections: list[FakeConnection] = []
        self.connects = 0

    async def connect(self, receive: Callable[[bytes | str], None], on_lost: Callable[[], None]) -> BusConnection:
        self.connects += 1
        if not self.up:
            raise ConnectionRefusedError
        connection = FakeConnection(self, receive, on_lost)
        self.connections.append(connection)
        return connection

    def break_connections(self) -> None:
        for connection in self.connections:
            connection.on_lost()


class FakeConnection:
    def __init__(
        self, network: FakeNetwork, receive: Callable[[bytes | str], None], on_lost: Callable[[], None]
    ) -> None:
        self.network, self.receive, self.on_lost = network, receive, on_lost
        self.batches: list[list[bytes]] = []

    async def send(self, payloads: Sequence[bytes]) -> None:
        if not self.network.answers:
            await asyncio.Event().wait()
        self.batches.append(list(payloads))
        for connection in tuple(self.network.connections):
            for payload in payloads if self.network.delivers else ():
                connection.receive(payload)

    async def close(self) -> None:
        if self in self.network.connections:
            self.network.connections.remove(self)


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "SEND_EVERY_S": 0.0,
        "CHECK_EVERY_S": 0.01,
        "LOST_AFTER_S": 0.3,
        "TIMEOUT_S": 0.3,
        "MAX_WAITING": 100,
        "RETRY_S": (0.0, 0.0),
    }.items():
        monkeypatch.setattr(postgres_bus_module, name, value)


@asynccontextmanager
async def buses(network: FakeNetwork, count: int = 2) -> AsyncIterator[list[RemoteEventBus]]:
    opened = [RemoteEventBus(network.connect, "fake://") for _ in range(count)]
    for bus in opened:
        await bus.open()
    try:
        yield opened
    finally:
        for bus in opened:
            await bus.close()


async def remote_event_bus_until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not holds():  # noqa: ASYNC110  the condition depends on tasks of the bus
            await asyncio.sleep(0)


def works(bus: RemoteEventBus) -> bool:
    return bus.works


def record(bus: RemoteEventBus, channel: str = "tables") -> Received:
    received: Received = []
    bus.subscribe(channel, lambda *message: received.append(message))
    return received


async def test_messages_reach_the_other_nodes_and_no_other_channel() -> None:
    async with buses(FakeNetwork()) as (first, second):
        own, received, others = record(first), record(second), record(second, "others")
        await remote_event_bus_until(lambda: first.gap_count == second.gap_count == 1)
        first.publish("tables", "ABCD", "7")
        await remote_event_bus_until(lambda: bool(received))
        assert (received, own, others) == ([("ABCD", "7", first.node_id)], [], [])


async def test_only_the_latest_of_several_messages_with_one_key_is_sent() -> None:
    network = FakeNetwork()
    async with buses(network) as (first, second):
        received = record(second)
        await remote_event_bus_until(lambda: first.gap_count == second.gap_count == 1)
        for seq in range(100):
            first.publish("tables", "ABCD", str(seq))
        await remote_event_bus_until(lambda: bool(received))
        assert received == [("ABCD", "99", first.node_id)]


async def test_publishing_never_waits_and_what_waits_is_bounded() -> None:
    network = FakeNetwork()
    payloads: list[bytes | str] = []
    await network.connect(payloads.append, lambda: None)
    async with buses(network, 1) as (bus,):
        await remote_event_bus_until(lambda: bus.gap_count == 1)
        network.answers = False
        for number in range(110):
            bus.publish("tables", f"T{number}", "1")
        connects = network.connects
        await remote_event_bus_until(lambda: network.connects > connects)
        network.answers = True
        received: dict[str, int] = {}
        await remote_event_bus_until(lambda: add_keys(received, payloads) == 100)
        assert list(received) == [f"T{number}" for number in range(10, 110)]


def add_keys(keys: dict[str, int], payloads: list[bytes | str]) -> int:
    """Move the keys of tables from payloads to `keys`; how many there are."""
    while payloads:
        decoded = decode_payload(payloads.pop(0))
        assert decoded is not None
        keys.update((key, 1) for channel, key, _ in decoded[1] if channel == "tables")
    return len(keys)


@pytest.mark.parametrize("fault", ["up", "answers", "delivers"])
async def test_a_bus_that_does_not_work_is_logged_once_and_noticed_when_it_works_again(fault: str) -> None:
    network = FakeNetwork()
    with structlog.testing.capture_logs() as logged:
        async with buses(network) as (first, second):
            received = record(second)
            await remote_event_bus_until(lambda: first.gap_count == second.gap_count == 1)
            assert works(first)
            setattr(network, fault, False)
            if fault == "up":
                network.break_connections()
            connects = network.connects
            await remote_event_bus_until(lambda: network.connects >= connects + 4)
            assert not works(first)
            first.publish("tables", "ABCD", "1")
            setattr(network, fault, True)
            await remote_event_bus_until(lambda: first.gap_count >= 2 and second.gap_count >= 2)
            assert works(first)
            first.publish("tables", "ABCD", "2")
            await remote_event_bus_until(lambda: ("ABCD", "2", first.node_id) in received)
    events = [entry["event"] for entry in logged]
    assert {"bus_failed", "bus_works_again"} == set(events)
    assert events.count("bus_failed") == events.count("bus_works_again")


async def test_messages_of_others_that_cannot_be_read_are_ignored() -> None:
    network = FakeNetwork()
    async with buses(network) as (first, second):
        received = record(second)
        await remote_event_bus_until(lambda: first.gap_count == second.gap_count == 1)
        for payload in (b"nonsense", b'{"node":"x"}', b'["x",[["tables","ABCD",7]]]', b'["x",[["later","a","b"]]]'):
            await network.connections[0].send([payload])
        first.publish("tables", "ABCD", "7")
        await remote_event_bus_until(lambda: bool(received))
        assert received == [("ABCD", "7", first.node_id)]


async def test_what_waits_is_sent_when_the_bus_is_closed() -> None:
    network = FakeNetwork()
    async with buses(network) as (first, second):
        received = record(second)
        await remote_event_bus_until(lambda: first.gap_count == second.gap_count == 1)
        first.publish("tables", "ABCD", "7")
        await first.close()
        assert received == [("ABCD", "7", first.node_id)]


def test_payloads_fit_into_a_notification_of_postgresql() -> None:
    messages = [("tables", f"T{number}", "é" * 500) for number in range(100)]
    payloads = list(encode_payloads("node", messages))
    assert len(payloads) > 1
    assert all(len(payload) <= MAX_PAYLOAD_BYTES for payload in payloads)


def test_messages_that_are_longer_than_those_of_any_node_are_left_out() -> None:
    """A number of 5,000 digits as the seq of a table would raise an error in whoever listens."""
    assert decode_payload(b'["x",[["tables","ABCD","%b"],["tables","ABCD","7"]]]' % (b"9" * 5_000)) == (
        "x",
        [("tables", "ABCD", "7")],
    )
    assert decode_payload(b'["x",[["tables","%b","7"]]]' % (b"A" * 101)) == ("x", [])
    assert decode_payload(b'["x",[]]' + b" " * MAX_PAYLOAD_BYTES) is None


def test_every_node_has_an_id_of_its_own() -> None:
    assert EventBus().node_id != EventBus().node_id
