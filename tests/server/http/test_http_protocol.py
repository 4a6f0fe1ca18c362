"""A client cannot keep the server waiting, or busy, with half a request, an endless one, or many at once."""

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import pytest

from liarsdice.server.http import connections
from liarsdice.server.http.connections import (
    BODY_TIMEOUT_S,
    HEAD_TIMEOUT_S,
    LONG_BODIES,
    MAX_CHUNKS,
    MAX_HEAD_BYTES,
    MAX_PIPELINED,
    MAX_REQUEST_BYTES,
    REFUSALS,
    SLICE_BYTES,
    TIMEOUT,
    TOO_LARGE,
    WRITE_TIMEOUT_S,
    ConnectionLimits,
)
from liarsdice.server.http.error_responses import CODES_OF_STATUS
from liarsdice.server.http.schemas import ErrorResponse
from tests.server.http.fake_transport import UPGRADE, FakeServer, FakeTransport, Receive, Send, feed, lose, never_answer
from tests.server.live_tables import PATIENCE_S
from tests.server.running_server import run_server

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


async def test_a_request_with_two_hosts_is_refused() -> None:
    server = FakeServer(answer)
    transport = server.connect()
    feed(transport, GET.replace(b"\r\n\r\n", b"\r\nhost: elsewhere\r\n\r\n"))
    assert transport.is_closing()
    assert transport.written.startswith(b"HTTP/1.1 400 ")


async def test_what_does_not_reach_the_application_is_refused_with_an_error_response() -> None:
    server = FakeServer(answer)
    transport = server.connect()
    feed(transport, b"GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n")
    head, _, body = transport.written.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"content-type: application/json\r\n" in head
    assert f"content-length: {len(body)}\r\n".encode() in head
    assert msgspec.json.decode(body, type=ErrorResponse) == REFUSALS[400]
    for status, refusal in REFUSALS.items():
        assert status not in CODES_OF_STATUS or refusal.code in CODES_OF_STATUS[status]
