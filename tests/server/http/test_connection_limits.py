"""Only so many connections are open at once, from one address and in all; the others go on."""

import asyncio
import math
import socket
from functools import partial
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from liarsdice.server.http.auth import COOKIE, hash_token, new_token
from liarsdice.server.http.connections import (
    ADDRESS,
    ADMITTED_AT_ONCE,
    FULL,
    RATE,
    ConnectionLimits,
    connection_capacity,
)
from liarsdice.server.http.limits import RateLimits
from liarsdice.server.http.websocket import CLOSED_TOO_FAST
from liarsdice.server.protocol.error_codes import ErrorCode
from liarsdice.server.protocol.messages import Done, Problem
from liarsdice.server.table import commands as c
from tests.server.http.fake_transport import FakeServer, lose, never_answer
from tests.server.live_tables import PATIENCE_S, make_config
from tests.server.running_server import close_code, receive, run_server, say_hello, send_command

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
    limits = ConnectionLimits(new_per_minute=160, on_refused=refused.append)
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
