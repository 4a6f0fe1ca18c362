"""Only so many connections are open at once, from one address and in all; the others go on."""

import asyncio
import gc
import logging
import math
import socket
import struct
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
import uvloop
from websockets.frames import Frame, Opcode
from websockets.server import ServerProtocol

from liarsdice.server import run
from liarsdice.server.http import connections, websocket
from liarsdice.server.http.address_limits import RateLimits
from liarsdice.server.http.auth import COOKIE, hash_token, new_token
from liarsdice.server.http.connections import (
    ADDRESS,
    ADMITTED_AT_ONCE,
    BODY_TIMEOUT_S,
    CHANNEL,
    FRAME_BURST,
    FRAMES,
    FRAMES_PER_S,
    FULL,
    HEAD_TIMEOUT_S,
    LONG_BODIES,
    MAX_CHUNKS,
    MAX_FRAGMENTS,
    MAX_HEAD_BYTES,
    MAX_PIPELINED,
    MAX_REQUEST_BYTES,
    OTHER_FRAME_COST,
    RATE,
    REFUSALS,
    SLICE_BYTES,
    SWEEP_EVERY_S,
    TIMEOUT,
    TOO_LARGE,
    WRITE_TIMEOUT_S,
    ConnectionLimits,
    WebSocketProtocol,
    connection_capacity,
    text_frame,
)
from liarsdice.server.http.error_responses import CODES_OF_STATUS
from liarsdice.server.http.schemas import ErrorResponse
from liarsdice.server.http.websocket import CLOSED_TOO_FAST
from liarsdice.server.protocol.messages import Done, ErrorCode, Problem
from liarsdice.server.table import commands as c
from liarsdice.wire import Update
from tests.server.http.fake_transport import (
    UPGRADE,
    FakeClock,
    FakeServer,
    FakeTransport,
    Receive,
    Send,
    feed,
    frame,
    lose,
    never_answer,
)
from tests.server.live_tables import PATIENCE_S, make_config
from tests.server.running_server import RunningServer, close_code, receive, run_server, say_hello, send_command

PROXY = "192.0.2.50"


async def test_a_connection_too_many_is_answered_and_closed_and_a_closed_one_makes_room() -> None:
    server = FakeServer(never_answer, max_connections=2)
    first, _ = server.connect(), server.connect()
    third = server.connect()
    assert third.is_closing()
    assert third.written.startswith(b"HTTP/1.1 503 ")
    lose(third)
    assert not first.is_closing()
    lose(first)
    assert not server.connect().is_closing()
    assert server.connect().is_closing()
    assert server.refused == [FULL, FULL]


async def test_each_address_has_its_own_number_of_connections() -> None:
    server = FakeServer(never_answer, per_address=2)
    server.connect()
    server.connect()
    third = server.connect()
    assert third.written.startswith(b"HTTP/1.1 429 ")
    lose(third)
    assert server.connect().is_closing()
    assert not server.connect("192.0.2.2").is_closing()
    assert server.refused == [ADDRESS, ADDRESS]


async def test_each_address_makes_so_many_connections_a_minute_however_soon_it_closes_them() -> None:
    server = FakeServer(never_answer, new_per_minute=8)  # a quarter of them at once
    for _ in range(2):
        lose(server.connect())
    third = server.connect()
    assert third.written.startswith(b"HTTP/1.1 429 ")
    assert server.refused == [RATE]
    assert not server.connect("192.0.2.2").is_closing()
    server.pass_time(7.5)
    assert not server.connect().is_closing()
    assert server.connect().is_closing()


async def test_waiting_connections_are_accepted_in_short_turns_and_those_over_a_limit_refused_at_once(
    tmp_path: Path,
) -> None:
    refused: list[str] = []
    limits = ConnectionLimits(new_per_minute=160, on_refused=refused.append, now_s=lambda: 0.0)
    async with run_server(tmp_path / "db", limits=limits) as server, asyncio.timeout(PATIENCE_S):
        limits.is_trusted_proxy = lambda _: False  # as this machine is
        url = urlsplit(server.address)
        waiting = [socket.create_connection((url.hostname, url.port)) for _ in range(100)]
        admitted = [0]
        while len(refused) + len(limits) < len(waiting):
            await asyncio.sleep(0)
            admitted.append(len(limits))
        assert max(after - before for before, after in pairwise(admitted)) <= ADMITTED_AT_ONCE
        assert refused == 60 * [RATE]
        assert len(admitted) < len(waiting) / 2
        assert waiting[-1].recv(100).startswith(b"HTTP/1.1 429 ")
        for connection in waiting:
            connection.close()


async def test_a_trusted_proxy_may_have_and_make_any_number_of_connections() -> None:
    server = FakeServer(never_answer, per_address=1, new_per_minute=1)
    server.limits.is_trusted_proxy = {PROXY}.__contains__
    connections = [server.connect(PROXY) for _ in range(10)]
    assert not any(connection.is_closing() for connection in connections)
    for connection in connections:
        lose(connection)
    assert len(server.limits) == 0


@pytest.mark.parametrize("max_files, admitted", [(1024, 960), (65_536, 65_472), (40, 20)])
def test_connections_leave_files_for_the_database(max_files: int, admitted: int) -> None:
    assert connection_capacity(0, max_files) == admitted
    assert connection_capacity(1_000_000, max_files) == admitted


async def test_players_and_admitted_clients_go_on_while_the_server_refuses_others(tmp_path: Path) -> None:
    limits = ConnectionLimits(max_connections=3, head_timeout_s=math.inf)
    async with run_server(tmp_path / "db", limits=limits) as server, asyncio.timeout(PATIENCE_S):
        ann, token = server.browser(), new_token()
        ann.cookies.set(COOKIE, token)
        code = (await server.registry.open_table(make_config(), "Ann", hash_token(token), "", ()))[0].code
        address = urlsplit(server.address)
        connect = partial(asyncio.open_connection, address.hostname, address.port)
        async with server.connect(code, ann) as socket:
            await say_hello(socket)
            others = [await connect() for _ in range(20)]
            assert (await others[-1][0].read()).startswith(b"HTTP/1.1 503 ")
            assert len(limits) == 3
            await send_command(socket, "1", c.Say("still here"))
            while not isinstance(await receive(socket), Done):
                pass
            admitted, writer = others[0]
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n")
            assert await admitted.readline() == b"HTTP/1.1 200 OK\r\n"
            for _, writer in others:
                writer.close()


async def test_clients_of_a_proxy_have_a_number_of_connections_each(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db", RateLimits(connections_per_address=1)) as server:
        ann = server.browser()
        code = await server.open_table(ann)
        async with server.connect(code, ann, address="192.0.2.1") as first:
            await say_hello(first)
            async with server.connect(code, ann, address="192.0.2.1") as second:
                answer = await receive(second)
                assert isinstance(answer, Problem)
                assert answer.code is ErrorCode.TOO_FAST
                assert await close_code(second) == CLOSED_TOO_FAST
            async with server.connect(code, ann, address="192.0.2.2") as other:
                await say_hello(other)
        async with server.connect(code, ann, address="192.0.2.3") as again:
            await say_hello(again)


GET = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1000000\r\n\r\n"
MEBIBYTE = 1024 * 1024


async def read_body(_: object, receive: Receive, send: Send) -> None:
    while (message := await receive()).get("more_body"):
        pass
    if message["type"] == "http.request":
        await answer(_, receive, send)


async def answer(_: object, __: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


def feed_until_closed(transport: FakeTransport, data: bytes, piece_bytes: int) -> int:
    """Let data arrive in pieces until the connection is closed; how many bytes arrived."""
    for start in range(0, len(data), piece_bytes):
        if transport.is_closing():
            return start
        feed(transport, data[start : start + piece_bytes])
    return len(data)


@pytest.mark.parametrize("piece_bytes", [1000, MEBIBYTE])
@pytest.mark.parametrize(
    "head",
    [
        b"GET /" + b"x" * MEBIBYTE,
        b"GET / HTTP/1.1\r\nx: " + b"x" * MEBIBYTE,
        b"GET / HTTP/1.1\r\n" + b"x: x\r\n" * 100_000,
        b"\r\n" * (MEBIBYTE // 2),
    ],
    ids=["path", "header", "headers", "line breaks"],
)
async def test_a_head_over_the_limit_is_refused(head: bytes, piece_bytes: int) -> None:
    server = FakeServer(answer)
    transport = server.connect()
    fed = feed_until_closed(transport, head, piece_bytes)
    assert transport.is_closing()
    assert transport.written.startswith(b"HTTP/1.1 431 ")
    assert fed <= MAX_HEAD_BYTES + max(piece_bytes, SLICE_BYTES)
    assert server.refused == [TOO_LARGE]


async def test_each_request_of_a_connection_may_have_a_long_head() -> None:
    server = FakeServer(answer)
    transport = server.connect()
    for _ in range(5):
        feed(transport, GET.replace(b"\r\n\r\n", b"\r\nx: " + b"x" * (MAX_HEAD_BYTES - 100) + b"\r\n\r\n"))
        await transport.wait_until_written(b"ok")
        transport.written = b""
    assert not transport.is_closing()


@pytest.mark.parametrize("head", [b"GET /", GET[:-2], GET[:-2] + b"x: "])
async def test_half_a_head_is_refused_after_its_deadline(head: bytes) -> None:
    server = FakeServer(answer)
    transport = server.connect()
    feed(transport, head)
    server.pass_time(HEAD_TIMEOUT_S - 1)
    feed(transport, b"x")
    assert not transport.is_closing()
    server.pass_time(1)
    assert transport.is_closing()
    assert transport.written.startswith(b"HTTP/1.1 408 ")
    assert server.refused == [TIMEOUT]


async def test_a_connection_that_sends_nothing_is_closed() -> None:
    server = FakeServer(answer)
    transport = server.connect()
    server.pass_time(HEAD_TIMEOUT_S)
    assert transport.is_closing()
    assert transport.written == b""


async def test_a_second_request_has_a_deadline_too() -> None:
    server = FakeServer(answer)
    transport = server.connect()
    feed(transport, GET)
    await transport.wait_until_written(b"ok")
    server.pass_time(3600)
    assert not transport.is_closing(), "uvicorn closes idle connections itself"
    feed(transport, b"\r\n")
    server.pass_time(HEAD_TIMEOUT_S)
    assert transport.is_closing()


async def test_a_body_that_comes_slowly_is_refused_after_its_deadline() -> None:
    server = FakeServer(read_body)
    transport = server.connect()
    feed(transport, POST)
    for _ in range(int(BODY_TIMEOUT_S) - 1):
        feed(transport, b"x")
        server.pass_time(1)
        await asyncio.sleep(0)
    assert not transport.is_closing()
    server.pass_time(1)
    assert transport.is_closing()
    assert transport.written.startswith(b"HTTP/1.1 408 ")


async def test_an_application_that_reads_slowly_does_not_cost_the_client_its_request() -> None:
    server = FakeServer(never_answer)
    transport = server.connect()
    feed(transport, POST + b"x" * 100_000)
    server.pass_time(BODY_TIMEOUT_S)
    assert not transport.is_closing()


async def test_an_application_may_think_as_long_as_it_wants() -> None:
    server = FakeServer(never_answer)
    transport = server.connect()
    feed(transport, GET)
    server.pass_time(3600)
    assert not transport.is_closing()


@pytest.mark.parametrize("path", LONG_BODIES)
async def test_addresses_that_take_longer_bodies_take_them_up_to_their_limit(path: str) -> None:
    times = LONG_BODIES[path]
    for at_most, is_refused in ((times * MAX_REQUEST_BYTES, True), ((times - 1) * MAX_REQUEST_BYTES, False)):
        server = FakeServer(never_answer)
        transport = server.connect()
        head = POST.replace(b"POST /", b"POST " + path.encode(), 1).replace(b"1000000", b"100000000")
        fed = feed_until_closed(transport, head + b"x" * (at_most + SLICE_BYTES * is_refused), 1448)
        assert transport.is_closing() is is_refused
        assert fed > (times - 1) * MAX_REQUEST_BYTES


@pytest.mark.parametrize("piece_bytes", [10_000, MEBIBYTE])
async def test_an_endless_body_is_refused(piece_bytes: int) -> None:
    server = FakeServer(never_answer)
    transport = server.connect()
    fed = feed_until_closed(transport, POST + b"x" * MEBIBYTE, piece_bytes)
    assert transport.is_closing()
    assert transport.written.startswith(b"HTTP/1.1 413 ")
    assert fed <= MAX_REQUEST_BYTES + max(piece_bytes, SLICE_BYTES)


@pytest.mark.parametrize(
    "fields",
    [
        b"Content-Length: 5\r\nTransfer-Encoding: chunked",
        b"Transfer-Encoding: chunked\r\nContent-Length: 5",
        b"Content-Length: 5\r\nContent-Length: 6",
        b"Content-Length: 5, 6",
        b"Content-Length: +5",
        b"Content-Length: 5\r\nTransfer-Encoding: identity",
        b"Transfer-Encoding: xchunked",
        b"Transfer-Encoding: chunked, identity",
        b"Content-Length : 5",
        b"X: 1\nContent-Length: 5",
    ],
)
async def test_a_request_whose_end_is_ambiguous_is_refused(fields: bytes) -> None:
    """A proxy could take the rest of the body for another request, or the other way round."""
    server = FakeServer(answer)
    transport = server.connect()
    feed(transport, b"POST / HTTP/1.1\r\nHost: here\r\n" + fields + b"\r\n\r\n0\r\n\r\n" + GET)
    assert transport.written.startswith(b"HTTP/1.1 400 ")
    assert transport.is_closing()


async def test_a_body_in_tiny_chunks_is_refused_after_some() -> None:
    server = FakeServer(never_answer)
    transport = server.connect()
    head = POST.replace(b"Content-Length: 1000000", b"Transfer-Encoding: chunked")
    chunk = b"1\r\nx\r\n"
    fed = feed_until_closed(transport, head + chunk * 40_000, SLICE_BYTES)
    assert transport.written.startswith(b"HTTP/1.1 413 ")
    assert fed <= len(head) + MAX_CHUNKS * len(chunk) + 2 * SLICE_BYTES
    large = server.connect()
    feed(large, head + (b"400\r\n" + b"x" * 1024 + b"\r\n") * 64)
    assert not large.is_closing()


async def test_the_rest_of_a_body_is_not_read_for_ever_after_the_answer() -> None:
    server = FakeServer(answer)
    transport = server.connect()
    feed(transport, POST)
    await transport.wait_until_written(b"ok")
    feed_until_closed(transport, b"x" * MEBIBYTE, 10_000)
    assert transport.is_closing()
    assert transport.written.count(b"HTTP/1.1 ") == 1


async def test_many_requests_at_once_end_the_connection() -> None:
    server = FakeServer(never_answer)
    transport = server.connect()
    feed(transport, GET * 10_000)
    assert transport.aborted
    assert server.refused == [TOO_LARGE]
    few = server.connect()
    feed(few, GET * MAX_PIPELINED)
    assert not few.is_closing()


async def test_a_client_that_reads_nothing_is_disconnected() -> None:
    server = FakeServer(answer)
    stalled, slow = server.connect(), server.connect()
    for transport in (stalled, slow):
        feed(transport, GET)
        transport.unsent_bytes = 1_000_000
    for _ in range(int(WRITE_TIMEOUT_S)):
        server.pass_time(1)
        slow.unsent_bytes -= 1000
    assert [stalled.aborted, slow.aborted] == [False, False]
    server.pass_time(1)
    assert [stalled.aborted, slow.aborted] == [True, False]


async def test_a_websocket_has_no_deadline_and_still_counts() -> None:
    async def accept(_: object, __: Receive, send: Send) -> None:
        await send({"type": "websocket.accept"})
        await asyncio.Event().wait()

    server = FakeServer(accept)
    transport = server.connect()
    feed(transport, UPGRADE)
    server.pass_time(3600)
    assert not transport.is_closing()
    assert len(server.limits) == 1
    lose(transport)
    assert len(server.limits) == 0


async def test_the_deadline_of_a_head_passes_on_a_running_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "SWEEP_EVERY_S", 0.01)
    limits = ConnectionLimits(head_timeout_s=0.05)
    async with run_server(tmp_path / "db", limits=limits) as server, asyncio.timeout(PATIENCE_S):
        address = urlsplit(server.address)
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        writer.write(b"GET /healthz HTTP/1.1\r\nx")
        received = await reader.read()
        writer.close()
        assert received.startswith(b"HTTP/1.1 408 ")
        assert b"x-content-type-options: nosniff" in received
        assert (await server.browser().get("/healthz")).status_code == 200


@pytest.mark.parametrize(
    "head",
    [
        GET.replace(b"\r\n\r\n", b"\r\nhost: elsewhere\r\n\r\n"),
        UPGRADE[:-2] + b"content-length: 5\r\n\r\n",
        UPGRADE[:-2] + b"x: x\r\n" * 200 + b"\r\n",
        UPGRADE[:-2] + b"x: " + b"x" * 9_000 + b"\r\n\r\n",
    ],
    ids=["two hosts", "upgrade with a body", "upgrade with many headers", "upgrade with a long header"],
)
async def test_what_does_not_reach_the_application_is_refused_with_an_error_response(head: bytes) -> None:
    server = FakeServer(answer)
    transport = server.connect()
    feed(transport, head)
    assert transport.is_closing()
    head, _, body = transport.written.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"content-type: application/json\r\n" in head
    assert f"content-length: {len(body)}\r\n".encode() in head
    assert msgspec.json.decode(body, type=ErrorResponse) == REFUSALS[400]
    for status, refusal in REFUSALS.items():
        assert status not in CODES_OF_STATUS or refusal.code in CODES_OF_STATUS[status]


CONTINUATION, TEXT, CLOSE, PING, PONG = 0, 1, 8, 9, 10
FLOOD = 40_000
POLICY_VIOLATION, RESTARTING = (1008).to_bytes(2, "big"), (1012).to_bytes(2, "big")
FLOODS = {
    "pings": frame(PING, b"x") * FLOOD,
    "pongs": frame(PONG) * FLOOD,
    "messages": frame(TEXT, b"x") * FLOOD,
    "fragments": frame(TEXT, fin=False) + frame(CONTINUATION, fin=False) * FLOOD,
    "fragments and pings": frame(TEXT, fin=False) + (frame(CONTINUATION, fin=False) + frame(PING)) * FLOOD,
}


async def receive_all(_: object, receive: Receive, send: Send) -> None:
    await send({"type": "websocket.accept"})
    while (await receive())["type"] != "websocket.disconnect":
        pass


def count_frames(monkeypatch: pytest.MonkeyPatch) -> list[Frame]:
    """The frames that are handled from now on."""
    handled, recv_frame = list[Frame](), ServerProtocol.recv_frame

    def record(self: ServerProtocol, frame: Frame) -> None:
        handled.append(frame)
        recv_frame(self, frame)

    monkeypatch.setattr(ServerProtocol, "recv_frame", record)
    return handled


@pytest.mark.parametrize("kind", FLOODS)
async def test_a_flood_of_frames_is_read_up_to_the_budget_and_closed(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = FakeServer(receive_all)
    transport = await server.connect_websocket()
    handled = count_frames(monkeypatch)
    feed(transport, FLOODS[kind])
    assert transport.is_closing()
    assert POLICY_VIOLATION in transport.written
    assert len(handled) <= (FRAME_BURST if kind == "messages" else FRAME_BURST // OTHER_FRAME_COST)
    assert server.refused == [FRAMES]


async def test_frames_at_the_pace_of_a_page_go_on_for_ever() -> None:
    server = FakeServer(receive_all)
    transport = await server.connect_websocket()
    for _ in range(1000):
        feed(transport, frame(TEXT, b"move") * (FRAMES_PER_S - OTHER_FRAME_COST) + frame(PONG))
        server.pass_time(1)
        await asyncio.sleep(0)
    assert not transport.is_closing()
    assert server.refused == []


async def test_one_message_cannot_have_fragments_without_end() -> None:
    server = FakeServer(receive_all)
    transport = await server.connect_websocket()
    feed(transport, frame(TEXT, fin=False))
    for _ in range(MAX_FRAGMENTS):
        feed(transport, frame(CONTINUATION, b"x", fin=False) + frame(PING))
        server.pass_time(1)
    assert not transport.is_closing()
    feed(transport, frame(CONTINUATION, b"x", fin=False))
    assert transport.is_closing()
    assert server.refused == [FRAMES]


async def test_a_flood_before_the_handshake_is_answered_ends_the_connection() -> None:
    server = FakeServer(receive_all)
    transport = server.connect()
    feed(transport, UPGRADE)
    feed(transport, FLOODS["pings"])
    assert transport.aborted
    assert transport.written == b""
    assert server.refused == [FRAMES]


async def test_a_flood_of_pings_disconnects_its_sender_and_nobody_else(server: RunningServer) -> None:
    ann = server.browser()
    code = await server.open_table(ann)
    address = urlsplit(server.address)
    async with server.connect(code, ann) as socket:
        await say_hello(socket)
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        writer.write(UPGRADE.replace(b"/ws", f"/ws/{code}".encode()))
        assert b"101" in await reader.readline()
        writer.write(FLOODS["pings"])
        async with asyncio.timeout(PATIENCE_S):
            try:
                while await reader.read(65_536):
                    pass
            except ConnectionError:
                pass
        writer.close()
        await send_command(socket, "1", c.Say("still here"))
        while not isinstance(answer := await receive(socket), Done):
            assert isinstance(answer, Update)


class RecordingReceiver:
    """A `MessageReceiver` that keeps what happens."""

    def __init__(self) -> None:
        self.happened: list[str] = []

    def on_message(self, text: str) -> None:
        self.happened.append(text)

    def on_writable(self) -> None:
        self.happened.append("(writable)")

    def on_disconnect(self) -> None:
        self.happened.append("(disconnected)")


async def attach(*before: bytes) -> tuple[FakeTransport, WebSocketProtocol, RecordingReceiver]:
    """A receiver on the channel of a WebSocket over which some frames came before it was attached."""
    channels = list[WebSocketProtocol]()

    async def keep_channel(scope: Any, receive: Receive, send: Send) -> None:  # noqa: ANN401  a scope holds anything
        channels.append(scope["extensions"].pop(CHANNEL))
        await receive()
        await send({"type": "websocket.accept"})
        await asyncio.Event().wait()

    transport = await FakeServer(keep_channel).connect_websocket()
    for data in before:
        feed(transport, data)
    receiver = RecordingReceiver()
    channels[0].attach(receiver)
    return transport, channels[0], receiver


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_a_message_is_framed_as_by_websockets(size: int) -> None:
    message = b"x" * size
    assert text_frame(message) == Frame(Opcode.TEXT, message).serialize(mask=False)


async def test_messages_before_and_after_a_receiver_is_attached_come_in_their_order() -> None:
    transport, _, receiver = await attach(frame(TEXT, b"1") + frame(TEXT, b"2"))
    feed(transport, frame(TEXT, b"3", fin=False) + frame(CONTINUATION, b"4"))
    assert receiver.happened == ["1", "2", "34"]
    lose(transport)
    assert receiver.happened[-1] == "(disconnected)"


async def test_a_receiver_learns_of_a_disconnect_before_it_was_attached() -> None:
    _, _, receiver = await attach(frame(TEXT, b"1"), frame(CLOSE))
    assert receiver.happened == ["1", "(disconnected)"]


async def test_a_channel_takes_nothing_while_its_client_reads_too_slowly() -> None:
    transport, channel, receiver = await attach()
    assert channel.write(b"1")
    protocol = transport.get_protocol()
    assert isinstance(protocol, WebSocketProtocol)
    protocol.pause_writing()
    assert not channel.write(b"2")
    protocol.resume_writing()
    assert receiver.happened == ["(writable)"]
    assert channel.write(b"3")
    assert transport.written == text_frame(b"1") + text_frame(b"3")


async def test_a_message_after_the_end_of_a_connection_is_lost() -> None:
    transport, channel, _ = await attach(frame(CLOSE))
    written = transport.written
    assert channel.write(b"late")
    assert transport.written == written


async def test_commands_sent_together_with_the_hello_are_answered_in_their_order(server: RunningServer) -> None:
    ann = server.browser()
    code = await server.open_table(ann)
    async with server.connect(code, ann) as socket:
        await socket.send('{"type":"hello","last_seq":0}')
        for number in range(5):
            await send_command(socket, str(number), c.ChooseFace(1 + number))
        answered = list[str]()
        while len(answered) < 5:
            message = await receive(socket)
            if isinstance(message, Done):
                answered.append(message.request_id)
        assert answered == ["0", "1", "2", "3", "4"]


async def test_a_connection_that_is_being_closed_can_be_closed_again() -> None:
    """A server that stops closes its connections a few at a time, and then uvicorn closes all that are left."""
    server = FakeServer(receive_all)
    transport = await server.connect_websocket()
    protocol = transport.get_protocol()
    assert isinstance(protocol, WebSocketProtocol)
    for _ in range(2):
        protocol.shutdown()
    assert transport.is_closing()
    assert transport.written == b"\x88\x02" + RESTARTING


CLOSE_FRAME = b"\x88"
MAX_LEFT_BYTES = 1024
VISITS, MAX_ROUNDS = 12, 6
CODE = "{code}"
GET_HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
HELLO = frame(TEXT, b'{"type":"hello","last_seq":0}')
SAY = frame(TEXT, b'{"type":"do","id":"a","command":{"type":"say","text":"hello"}}')


def upgrade(path: str = f"/ws/{CODE}", version: int = 13) -> bytes:
    """A request to become a WebSocket."""
    return (
        f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: {version}\r\n\r\n"
    ).encode()


End = Callable[[socket.socket], None]


def close(client: socket.socket) -> None:
    """Close the connection from this side, whatever has come."""
    client.shutdown(socket.SHUT_WR)
    read_to_end(client)


def reset(client: socket.socket) -> None:
    """Reset the connection, once something has come, as a phone does that is switched off."""
    client.recv(1)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def reset_at_once(client: socket.socket) -> None:
    """Reset the connection without reading anything."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def read_to_end(client: socket.socket) -> None:
    """Wait until the server closes the connection."""
    with suppress(ConnectionError):
        while (data := client.recv(65_536)) and CLOSE_FRAME not in data:
            pass


def read_nothing(client: socket.socket) -> None:
    """Wait until the server gives up; what is in its send buffer keeps the client from seeing the end."""


MEANS: dict[str, tuple[bytes, End] | tuple[bytes, End, bytes]] = {
    "nothing sent": (b"", close),
    "keep-alive": (GET_HEALTH, close),
    "requests one after another": (GET_HEALTH * 3, close),
    "pipelining": (GET_HEALTH * 8, reset_at_once),
    "too much pipelining": (GET_HEALTH * 20, read_to_end),
    "half a request": (GET_HEALTH[:20], close),
    "half a body": (b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{", reset_at_once),
    "no HTTP": (b"\x16\x03\x01\x02", read_to_end),
    "an answer that is reset": (GET_HEALTH, reset),
    "a slow head": (GET_HEALTH[:20], read_nothing),
    "an upgrade of another version": (upgrade(version=8), read_to_end),
    "an upgrade without a key": (upgrade().replace(b"Sec-WebSocket-Key", b"X"), read_to_end),
    "an upgrade elsewhere": (upgrade("/elsewhere"), read_to_end),
    "an upgrade from another page": (upgrade()[:-2] + b"Origin: http://evil.example\r\n\r\n", read_to_end),
    "an upgrade that is reset": (upgrade(), reset_at_once),
    "no table": (upgrade("/ws/AAAAA"), read_to_end),
    "no hello": (upgrade(), read_to_end),
    "a close before the hello": (upgrade(), read_to_end, frame(CLOSE)),
    "a reset before the hello": (upgrade(), reset),
    "another message than hello": (upgrade(), read_to_end, SAY),
    "a normal close": (upgrade(), read_to_end, HELLO + frame(CLOSE, b"\x03\xe8")),
    "a close without its frame": (upgrade(), close, HELLO),
    "a reset": (upgrade(), reset, HELLO),
    "pings": (upgrade(), read_to_end, HELLO + frame(PING) * 200),
    "a burst of messages": (upgrade(), read_to_end, HELLO + SAY * 60),
    "a burst of many messages": (upgrade(), read_to_end, HELLO + SAY * 400),
    "a long frame": (
        upgrade(),
        read_to_end,
        HELLO + b"\x81\xff" + (1 << 24).to_bytes(8, "big") + bytes(4) + bytes(4096),
    ),
    "fragments": (
        upgrade(),
        read_to_end,
        HELLO + frame(TEXT, fin=False) + frame(CONTINUATION, b"x", fin=False) * 80,
    ),
    "half a frame": (upgrade(), close, HELLO + SAY[:20]),
    "no UTF-8": (upgrade(), read_to_end, HELLO + frame(TEXT, b"\xff")),
    "a frame without a mask": (upgrade(), read_to_end, HELLO + b"\x81\x00"),
    "no pongs": (upgrade(), read_to_end, HELLO),
    "unread updates": (upgrade(), read_nothing, HELLO + SAY * 39),
}
"""What the client sends, what it does then before it closes its socket, and the frames that it sends before that."""


@pytest.fixture
def traced() -> Iterator[None]:
    """Count the memory in use; there is no garbage collection meanwhile, and pytest keeps no log."""
    logging.disable()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        tracemalloc.stop()
        gc.enable()
        logging.disable(logging.NOTSET)


@pytest.mark.parametrize("means", MEANS)
@pytest.mark.usefixtures("traced")
def test_the_end_of_a_connection_leaves_less_than_a_kilobyte_for_the_garbage_collector(
    means: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if means == "no hello":
        monkeypatch.setattr(websocket, "HELLO_TIMEOUT_S", 0.01)
    if means == "no pongs":
        monkeypatch.setattr(run, "PING_S", 0.01)
    listen = socket.create_server

    def listen_with_little_room(address: tuple[str, int]) -> socket.socket:
        listener = listen(address)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
        return listener

    monkeypatch.setattr(socket, "create_server", listen_with_little_room)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        left_bytes = runner.run(bytes_left(tmp_path / "db", *MEANS[means]))
    assert left_bytes < MAX_LEFT_BYTES


async def bytes_left(database: Path, sent: bytes, end: End, frames: bytes = b"") -> float:
    """How many bytes each of some connections leaves in memory, at least; caches fill in the first rounds."""
    clock = FakeClock()
    limits = ConnectionLimits(now_s=clock)
    async with run_server(database, limits=limits) as server, asyncio.timeout(PATIENCE_S):
        browser = server.browser()
        data = sent.replace(CODE.encode(), (await server.open_table(browser)).encode())
        await browser.aclose()
        address = urlsplit(server.address)
        waiting, gone = threading.Event(), threading.Event()

        def visit() -> None:
            with socket.socket() as client, suppress(ConnectionError):
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
                client.connect((address.hostname, address.port))
                client.sendall(data)
                if frames:
                    client.recv(65_536)
                    client.sendall(frames)
                if end is read_nothing:
                    waiting.set()
                    gone.wait(PATIENCE_S)
                end(client)

        async def visits() -> int:
            for _ in range(VISITS):
                waiting.clear()
                gone.clear()
                visiting = asyncio.create_task(asyncio.to_thread(visit))
                while not visiting.done() or len(limits):
                    await asyncio.sleep(0.001)
                    if waiting.is_set():
                        clock.now_s += SWEEP_EVERY_S
                        limits.sweep()
                        if not len(limits):
                            gone.set()
            clock.now_s += WRITE_TIMEOUT_S  # budgets are full again
            await asyncio.sleep(0.05)
            return tracemalloc.get_traced_memory()[0]

        tracemalloc.start()
        in_use = [await visits()]
        left_bytes: list[float] = []
        while len(left_bytes) < MAX_ROUNDS and min(left_bytes, default=math.inf) >= MAX_LEFT_BYTES:
            in_use.append(await visits())
            left_bytes.append((in_use[-1] - in_use[-2]) / VISITS)
        return min(left_bytes)
