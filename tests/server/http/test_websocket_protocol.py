"""Every frame of a WebSocket counts, also those that the application never sees."""

import asyncio
from urllib.parse import urlsplit

import pytest
from websockets.frames import Frame
from websockets.server import ServerProtocol

from liarsdice.server.http.connection_limits import FRAMES
from liarsdice.server.http.websocket_protocol import FRAME_BURST, FRAMES_PER_S, MAX_FRAGMENTS, OTHER_FRAME_COST
from liarsdice.server.protocol.messages import Done, Update
from liarsdice.server.table import commands as c
from tests.server.http.fake_transport import UPGRADE, FakeServer, Receive, Send, feed, frame
from tests.server.live_tables import PATIENCE_S
from tests.server.running_server import RunningServer, receive, say_hello, send_command

CONTINUATION, TEXT, PING, PONG = 0, 1, 9, 10
FLOOD = 40_000
POLICY_VIOLATION = (1008).to_bytes(2, "big")
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
