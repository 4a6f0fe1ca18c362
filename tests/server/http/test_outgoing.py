"""Requests to hosts of strangers go to public addresses, and slow hosts and name servers hold up nobody else."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from typing import Any

import pytest

from liarsdice.server.http import outgoing
from liarsdice.server.http.outgoing import (
    MAX_AT_ONCE,
    MAX_STATUS_LINE,
    OutgoingRequests,
    Streams,
    connect_publicly,
    is_public,
)
from tests.server.http.fake_transport import FakeTransport
from tests.server.http.webhook_receiver import webhook_receiver
from tests.server.live_tables import PATIENCE_S

SLOW, QUICK = "slow.example", "quick.example"


@pytest.mark.parametrize(
    "address",
    [
        "0.1.2.3",
        "100.64.0.1",
        "169.254.169.254",
        "255.255.255.255",
        "fe80::1",
        "fec0::1",
        "fd00:ec2::254",
        "ff02::1",
        "::7f00:1",
        "::ffff:0:7f00:1",
        "::ffff:10.0.0.1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::a00:1",
        "2002:a00:1::1",
        "2001:0:7f00:1::",
    ],
)
def test_addresses_that_lead_into_a_network_of_the_operator_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert is_public(address)


async def test_a_slow_host_leaves_slots_to_others() -> None:
    async with webhook_receiver(b"") as slow, webhook_receiver() as quick:
        requests = OutgoingRequests("test", lambda host: (slow if host == SLOW else quick).connect(host))
        waiting = [asyncio.create_task(requests.post(SLOW, "/", {})) for _ in range(MAX_AT_ONCE)]
        await slow.arrived.wait()
        assert await asyncio.wait_for(requests.post(QUICK, "/", {}), PATIENCE_S) == 204
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        assert len(slow.hosts) < MAX_AT_ONCE


@pytest.mark.parametrize(
    "pieces, status",
    [
        ((b"HTTP/1.1 20", b"4 No Content\r\n"), 204),
        ((b"H", b"TTP/1.1", b" 500 Oops\r", b"\n\r\n"), 500),
        ((b"HTTP/1.1 410\r\n", b"\r\n"), 410),
        ((b"HTTP/1.1 41", b""), None),
        ((b"",), None),
        ((b"HTTP/1.1 4100 Gone\r\n",), 0),
        ((b"HTTP/1.1 x\r\n",), 0),
        ((b"HTTP/1.1 200 ", b"x" * MAX_STATUS_LINE, b"\r\n"), 0),
        ((b"SSH-2.0\r\n",), 0),
        ((b"HTTP/1.1 20",), None),
    ],
)
async def test_a_status_line_that_comes_in_pieces_is_read_to_its_end(
    pieces: tuple[bytes, ...], status: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty piece is the end of the response; without one, the rest never comes, and the deadline passes."""
    reader = asyncio.StreamReader(limit=MAX_STATUS_LINE)

    async def connect(_: str) -> Streams:
        loop = asyncio.get_running_loop()
        return reader, asyncio.StreamWriter(FakeTransport(), asyncio.StreamReaderProtocol(reader), reader, loop)

    monkeypatch.setattr(outgoing, "DEADLINE_S", PATIENCE_S if pieces[-1].endswith(b"\n") or not pieces[-1] else 0.05)
    posting = asyncio.create_task(OutgoingRequests("test", connect).post(QUICK, "/", {}))
    for piece in pieces:
        for _ in range(5):  # the request reads each piece before the next one comes
            await asyncio.sleep(0)
        reader.feed_data(piece) if piece else reader.feed_eof()
    assert await posting == status


async def test_a_slow_name_server_leaves_the_other_threads_free(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, answered = threading.Semaphore(0), threading.Event()

    def getaddrinfo(*_: object, **__: object) -> list[Any]:
        asked.release()
        answered.wait(PATIENCE_S)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    connecting = [asyncio.create_task(connect_publicly(SLOW)) for _ in range(40)]
    try:
        await asyncio.sleep(0)
        assert await asyncio.wait_for(asyncio.to_thread(asked.acquire, timeout=PATIENCE_S), PATIENCE_S)
    finally:
        answered.set()
    failures = await asyncio.gather(*connecting, return_exceptions=True)
    assert all(isinstance(failure, OSError) for failure in failures)


async def test_certificates_are_read_once_and_not_on_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = []

    def create_default_context() -> ssl.SSLContext:
        threads.append(threading.current_thread())
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

    async def open_connection(*_: object, **__: object) -> tuple[str, str]:
        return "reader", "writer"

    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("8.8.8.8", 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    monkeypatch.setattr(ssl, "create_default_context", create_default_context)
    monkeypatch.setattr(asyncio, "open_connection", open_connection)
    outgoing.tls_context.cache_clear()
    try:
        for _ in range(3):
            assert tuple(await connect_publicly(QUICK)) == ("reader", "writer")
    finally:
        outgoing.tls_context.cache_clear()
    [thread] = threads
    assert thread is not threading.main_thread()
