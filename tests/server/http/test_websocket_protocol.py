"""Every frame of a WebSocket counts, also those that the application never sees."""

import asyncio
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.frames import Frame, Opcode
from websockets.server import ServerProtocol

from liarsdice.server.http.connections import (
    CHANNEL,
    FRAME_BURST,
    FRAMES,
    FRAMES_PER_S,
    MAX_FRAGMENTS,
    OTHER_FRAME_COST,
    MessageChannel,
    WebSocketProtocol,
    text_frame,
)
from liarsdice.server.protocol.messages import Done, Update
from liarsdice.server.table import commands as c
from tests.server.http.fake_transport import (
    UPGRADE,
    FakeServer,
    FakeTransport,
    Receive,
    Send,
    feed,
    frame,
    lose,
)
from tests.server.live_tables import PATIENCE_S
from tests.server.running_server import RunningServer, receive, say_hello, send_command

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


async def attach(*before: bytes) -> tuple[FakeTransport, MessageChannel, RecordingReceiver]:
    """A receiver on the channel of a WebSocket over which some frames came before it was attached."""
    channels = list[MessageChannel]()

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
