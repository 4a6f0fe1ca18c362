"""A connection sends messages in order up to the last one, and is dropped if its client reads too slowly."""

import asyncio

import pytest

from liarsdice.server.http.websocket import BURST, CLOSED_TOO_FAST
from liarsdice.server.live.connection import MAX_QUEUED_FRAMES, Connection
from liarsdice.server.table import commands as c
from tests.server.live_tables import PATIENCE_S
from tests.server.running_server import RunningServer, receive_all, say_hello, send_command


async def test_messages_are_sent_in_order_and_the_last_one_ends_the_connection() -> None:
    connection, sent = Connection("", 0), list[bytes]()

    async def deliver(frame: bytes) -> None:
        sent.append(frame)
        if frame == b"2":
            connection.send(b"3")
            connection.end(b"4")

    connection.send(b"1")
    running = asyncio.create_task(connection.run(deliver))
    await asyncio.sleep(0)
    assert sent == [b"1"]
    connection.send(b"2")
    async with asyncio.timeout(PATIENCE_S):
        await running
    assert sent == [b"1", b"2", b"3", b"4"]


async def test_a_client_that_reads_too_slowly_is_dropped() -> None:
    connection, overflows = Connection("", 0), list[str]()
    connection.on_overflow = lambda: overflows.append("overflow")
    for _ in range(MAX_QUEUED_FRAMES):
        connection.send(b"waits")
    assert not overflows
    for _ in range(3):
        connection.send(b"one too many")
    assert overflows == ["overflow"], "once for each connection"


async def test_a_slow_client_misses_presence_and_never_the_game() -> None:
    connection, overflows, sent = Connection("", 0), list[str](), list[bytes]()
    connection.on_overflow = lambda: overflows.append("overflow")
    all_sent = asyncio.Event()

    async def deliver(frame: bytes) -> None:
        sent.append(frame)
        if len(sent) == MAX_QUEUED_FRAMES + 1:
            all_sent.set()

    game = [str(number).encode() for number in range(MAX_QUEUED_FRAMES)]
    for frame in game:
        connection.send_presence(b"presence before " + frame)
        connection.send(frame)
    connection.send_presence(b"latest presence")
    assert not overflows
    running = asyncio.create_task(connection.run(deliver))
    async with asyncio.timeout(PATIENCE_S):
        await all_sent.wait()
    running.cancel()
    assert sent == [*game, b"latest presence"]


async def test_no_presence_is_sent_after_the_last_message() -> None:
    connection, sent = Connection("", 0), list[bytes]()

    async def deliver(frame: bytes) -> None:
        sent.append(frame)

    connection.send_presence(b"before")
    connection.end(b"last")
    connection.send_presence(b"after")
    async with asyncio.timeout(PATIENCE_S):
        await connection.run(deliver)
    assert sent == [b"last"]


async def test_the_meter_of_dropped_connections_counts_connections(server: RunningServer) -> None:
    ann = server.browser()
    code = await server.open_table(ann)
    async with server.connect(code, ann) as socket:
        await say_hello(socket)
        live_table = await server.registry.get(code)
        (subscriber,) = live_table.subscribers
        for _ in range(2 * MAX_QUEUED_FRAMES):
            subscriber.send(b"{}")
        await receive_all(socket)
    assert b"liarsdice_dropped_total 1.0" in server.services.metrics.text()


async def test_disconnecting_a_client_that_sends_too_fast_logs_no_error(
    server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    ann = server.browser()
    code = await server.open_table(ann)
    async with server.connect(code, ann) as socket:
        await say_hello(socket)
        for number in range(2 * BURST):
            await send_command(socket, str(number), c.Say("hello"))
        await receive_all(socket)
        assert socket.close_code == CLOSED_TOO_FAST
    assert "line_broke" not in capsys.readouterr().out
