"""A connection sends messages in order up to the last one, and is dropped if its client reads too slowly."""

import pytest

from liarsdice.server.http.websocket import CLOSED_TOO_FAST
from liarsdice.server.live.connection import MAX_QUEUED_FRAMES, Connection
from liarsdice.server.live.live_table import MESSAGE_BURST
from liarsdice.server.table import commands as c
from tests.server.running_server import RunningServer, receive_all, say_hello, send_command

PADDED = b'{"type":"presence","connected":[],"watching":0}' + b" " * 1_000_000
"""A message of which the system holds only a few for a client that reads nothing."""


class SlowClient:
    """What a connection writes to. `read_count`: how many more messages the client takes, None for any number."""

    def __init__(self, read_count: int | None = None) -> None:
        self.read_count = read_count
        self.received: list[bytes] = []
        self.writes: list[tuple[bytes, ...]] = []

    def write(self, *frames: bytes) -> bool:
        if self.read_count == 0:
            return False
        if self.read_count is not None:
            self.read_count -= 1
        self.writes.append(frames)
        self.received += frames
        return True


def connect(client: SlowClient) -> tuple[Connection, list[str]]:
    """A connection to a client, and what happened to it."""
    connection, happened = Connection("", 0, client.write), list[str]()
    connection.on_overflow = lambda: happened.append("overflow")
    connection.on_ended = lambda: happened.append("ended")
    return connection, happened


def test_messages_are_sent_in_order_and_the_last_one_ends_the_connection() -> None:
    client = SlowClient(1)
    connection, happened = connect(client)
    for frame in (b"1", b"2", b"3"):
        connection.send(frame)
    assert client.received == [b"1"]
    connection.end(b"4")
    client.read_count = 1
    connection.flush()
    assert (client.received, happened) == ([b"1", b"2"], [])
    client.read_count = None
    connection.flush()
    assert (client.received, happened) == ([b"1", b"2", b"3", b"4"], ["ended"])


def test_messages_that_are_held_go_out_in_one_write() -> None:
    client = SlowClient()
    connection, _ = connect(client)
    connection.hold()
    connection.send(b"update")
    connection.send(b"answer")
    assert client.writes == []
    connection.release()
    connection.send(b"next")
    assert client.writes == [(b"update", b"answer"), (b"next",)]


def test_held_messages_wait_for_a_slow_client_in_their_order() -> None:
    client = SlowClient(0)
    connection, happened = connect(client)
    connection.hold()
    for frame in (b"1", b"2"):
        connection.send(frame)
    connection.end(b"3")
    client.read_count = None
    connection.flush()
    assert (client.received, happened) == ([b"1", b"2", b"3"], ["ended"])


def test_no_more_messages_are_held_than_may_wait() -> None:
    client = SlowClient()
    connection, _ = connect(client)
    connection.hold()
    for _ in range(MAX_QUEUED_FRAMES):
        connection.send(b"held")
    assert client.writes == []
    connection.send(b"one too many")
    assert len(client.received) == MAX_QUEUED_FRAMES + 1


def test_a_last_message_that_is_sent_at_once_ends_the_connection() -> None:
    client = SlowClient()
    connection, happened = connect(client)
    connection.end(b"last")
    assert (client.received, happened) == ([b"last"], ["ended"])


def test_a_client_that_reads_too_slowly_is_dropped() -> None:
    connection, happened = connect(SlowClient(0))
    for _ in range(MAX_QUEUED_FRAMES):
        connection.send(b"waits")
    assert not happened
    for _ in range(3):
        connection.send(b"one too many")
    assert happened == ["overflow"], "once for each connection"


def test_a_slow_client_misses_presence_and_never_the_game() -> None:
    client = SlowClient(0)
    connection, happened = connect(client)
    game = [str(number).encode() for number in range(MAX_QUEUED_FRAMES)]
    for frame in game:
        connection.send_presence(b"presence before " + frame)
        connection.send(frame)
    connection.send_presence(b"latest presence")
    assert not happened
    client.read_count = None
    connection.flush()
    assert client.received == [*game, b"latest presence"]


def test_no_presence_is_sent_after_the_last_message() -> None:
    client = SlowClient(0)
    connection, _ = connect(client)
    connection.send_presence(b"before")
    connection.end(b"last")
    connection.send_presence(b"after")
    client.read_count = None
    connection.flush()
    assert client.received == [b"last"]


async def test_the_meter_of_dropped_connections_counts_connections(server: RunningServer) -> None:
    ann = server.browser()
    code = await server.open_table(ann)
    async with server.connect(code, ann) as socket:
        await say_hello(socket)
        live_table = await server.registry.get(code)
        (subscriber,) = live_table.subscribers
        for _ in range(3 * MAX_QUEUED_FRAMES):
            subscriber.send(PADDED)
        await receive_all(socket)
    assert b"liarsdice_dropped_total 1.0" in server.services.metrics.text()


async def test_disconnecting_a_client_that_sends_too_fast_logs_no_error(
    server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    ann = server.browser()
    code = await server.open_table(ann)
    async with server.connect(code, ann) as socket:
        await say_hello(socket)
        for number in range(2 * MESSAGE_BURST):
            await send_command(socket, str(number), c.Say("hello"))
        await receive_all(socket)
        assert socket.close_code == CLOSED_TOO_FAST
    assert "line_broke" not in capsys.readouterr().out
