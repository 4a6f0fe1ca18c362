"""Who may watch a table, and for how long; and what a client receives that another process has updated."""

import asyncio
import json

import httpx
import msgspec
import pytest

from liarsdice.core.rules import ruleset
from liarsdice.core.rules.parts import RuleChoices
from liarsdice.server.http.auth import hash_token
from liarsdice.server.http.websocket import (
    CLOSED_FORBIDDEN,
    CLOSED_TOO_FAST,
    MAX_QUEUED_FRAMES,
    Connection,
    handle_message,
)
from liarsdice.server.live.live_table import MESSAGE_BURST
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.protocol.messages import CommandRequest, Done, ErrorCode, Look, Presence, Problem, TableSetup
from liarsdice.server.storage.store import LogAppend
from liarsdice.server.table import commands as c
from liarsdice.server.table.log_entries import LogRow, Spoke
from liarsdice.wire import PlayerView, Update
from tests.server.live_tables import PATIENCE_S, RecordingSubscriber, make_config, make_table, wait_until
from tests.server.running_server import (
    FROM_TABLE,
    RunningServer,
    close_code,
    receive,
    receive_all,
    say_hello,
    send_command,
)

ANN, BO = hash_token("Ann"), hash_token("Bo")


async def test_spectators_are_disconnected_when_a_match_without_spectators_begins(server: RunningServer) -> None:
    ann, eve = server.browser(), server.browser()
    code = await server.open_table(ann, spectators=False, bots=["random"], away="wait")
    async with server.connect(code, ann) as host, server.connect(code, eve) as other:
        for socket in (host, other):
            setup, update = await say_hello(socket)
            assert isinstance(setup, TableSetup)
            assert isinstance(update, Update)
        await send_command(host, "1", c.Begin())
        problem = await receive(other)
        assert isinstance(problem, Problem)
        assert problem.code is ErrorCode.NO_SPECTATORS
        assert await close_code(other) == CLOSED_FORBIDDEN
        while not isinstance(await receive(host), Done):
            pass
    async with server.connect(code, eve) as other:
        await other.send('{"type":"hello"}')
        problem = await receive(other)
        assert isinstance(problem, Problem)
        assert problem.code is ErrorCode.NO_SPECTATORS
        assert await close_code(other) == CLOSED_FORBIDDEN


async def test_a_player_who_leaves_a_match_without_spectators_sees_no_more_of_it(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo", "Cy", config=make_config(spectators=False))
    ann, bo = RecordingSubscriber(ANN), RecordingSubscriber(BO)
    live_table.subscribe(ann)
    live_table.subscribe(bo)
    await registry.submit(live_table, ANN, "begin", c.Begin())
    await registry.submit(live_table, BO, "leave", c.Leave())
    assert b'"no_spectators"' in bo.frames[-1]
    assert bo.ended
    count = len(bo.frames)
    await registry.submit(live_table, ANN, "say", c.Say("who is next?"))
    assert len(bo.frames) == count
    assert b"who is next?" in ann.frames[-1]


async def test_a_player_leaves_although_the_page_closes_at_once(server: RunningServer) -> None:
    ann = server.browser()
    code = await server.open_table(ann)
    async with server.connect(code, ann) as socket:
        await say_hello(socket)
        for number in range(3):  # the later ones wait for the first one
            await send_command(socket, f"say{number}", c.Say("bye"))
        await send_command(socket, "leave", c.Leave())
    live_table = await server.registry.get(code)
    await wait_until(live_table, lambda table: all(player.gone for player in table.players))


async def test_spectators_see_a_match_that_allows_them(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    subscriber = RecordingSubscriber("")
    live_table.subscribe(subscriber)
    await registry.submit(live_table, ANN, "begin", c.Begin())
    assert not subscriber.ended
    assert b'"stage":"playing"' in subscriber.frames[-1]


async def test_messages_are_not_compressed_although_the_client_offers_it(server: RunningServer) -> None:
    """The length of a compressed message would depend on the hidden dice in it."""
    code = await server.open_table(server.browser())
    async with server.connect(code) as socket:
        assert socket.request is not None
        assert "permessage-deflate" in socket.request.headers["sec-websocket-extensions"]
        assert socket.protocol.extensions == []


async def test_a_client_that_knows_more_than_its_server_makes_it_load_the_table_again(server: RunningServer) -> None:
    """As if another process had updated the client: the log grows without the knowledge of this server."""
    ann = server.browser()
    code = await server.open_table(ann)
    last = server.log(code)[-1]
    row = LogRow(last.seq + 1, last.at_ms, "", Spoke(1, "from elsewhere"))
    assert await server.services.store.append(LogAppend(code, last.seq, (row,), None, listed=False))
    async with server.connect(code, ann) as socket:
        _, update = await say_hello(socket, last_seq=row.seq)
        assert isinstance(update, Update)
        assert update.seq == row.seq


def change_to(faces: int, request_id: str = "c") -> str:
    """A message that changes the dice of a table, as JSON."""
    message = msgspec.to_builtins(CommandRequest(request_id, c.Change(make_config())))
    message["command"]["config"]["ruleset"]["dice"]["faces"] = faces
    return json.dumps(message)


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[RuleChoices]:
    """The rules that were checked, each of which may have cost seconds."""
    checked: list[RuleChoices] = []
    monkeypatch.setattr(ruleset, "check_rules", checked.append)
    return checked


async def test_a_change_is_decoded_only_for_somebody_who_may_make_it(
    registry: TableRegistry, checks: list[RuleChoices]
) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    message = change_to(8)
    checks.clear()
    for token_hash in (BO, hash_token("Eve"), ""):
        answer = await handle_message(registry, live_table, token_hash, message)
        assert isinstance(answer, Problem)
        assert (answer.code, answer.request_id) == (ErrorCode.FORBIDDEN, "c")
    await registry.submit(live_table, ANN, "begin", c.Begin())
    checks.clear()
    answer = await handle_message(registry, live_table, ANN, message)
    assert isinstance(answer, Problem)
    assert (answer.code, answer.request_id) == (ErrorCode.ILLEGAL, "c")
    assert checks == []


async def test_more_faces_than_a_table_may_have_are_refused_before_the_rules_are_checked(
    registry: TableRegistry, checks: list[RuleChoices]
) -> None:
    live_table = await make_table(registry, "Ann")
    message = change_to(97)
    checks.clear()
    answer = await handle_message(registry, live_table, ANN, message)
    assert isinstance(answer, Problem)
    assert answer.code is ErrorCode.MALFORMED
    assert "at most 20" in answer.text
    assert checks == []


async def test_the_host_changes_the_rules_once_however_often_the_message_comes(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    escaped = change_to(8).replace('"change"', '"ch\\u0061nge"')
    first = await handle_message(registry, live_table, ANN, escaped)
    assert isinstance(first, Done)
    assert (await live_table.state()).config.ruleset.dice.faces == 8
    await registry.submit(live_table, ANN, "host", c.MakeHost(2))
    assert await handle_message(registry, live_table, ANN, escaped) == first


async def test_talk_with_escaped_letters_costs_no_more_than_other_talk(server: RunningServer) -> None:
    ann = server.browser()
    code = await server.open_table(ann)
    async with server.connect(code, ann) as socket:
        await say_hello(socket)
        for number in range(10):
            server.services.time_ms += 1_000
            talk = r'"command":{"type":"say","text":"\u00a1\"change\"!"}'
            await socket.send(f'{{"type":"do","id":"{number}",{talk}}}')
            while not isinstance(answer := await receive(socket), Done | Problem):
                pass
            assert isinstance(answer, Done)


async def test_a_screen_that_spectates_gets_no_hand_although_its_browser_holds_a_seat(server: RunningServer) -> None:
    ann = server.browser()
    code = await server.open_table(ann, rules="basic", seats=2, bots=["random"], begin=True)
    live_table = await server.registry.get(code)
    async with server.connect(code, ann) as seat, server.connect(code, ann) as screen:
        await say_hello(seat)
        await screen.send('{"type":"hello","spectate":true}')
        received = [await receive(screen), await receive(screen)]
        await wait_until(live_table, lambda table: bool(table.match and table.match.state.hands))
        await send_command(screen, "1", c.Say("hello"))
        while not isinstance(received[-1], Problem):
            received.append(await receive(screen))
        assert received[-1].code is ErrorCode.FORBIDDEN
        updates = [message for message in received if isinstance(message, Update)]
        assert updates[-1].table.match is not None
        assert all(update.own == PlayerView(None) for update in updates)
        own = (await say_hello_again(server, code, ann)).own
        assert (own.seat, len(own.hand)) == (0, 5)


async def test_a_player_whose_page_is_hidden_is_away_until_they_look_again(server: RunningServer) -> None:
    ann, bo = server.browser(), server.browser()
    code = await server.open_table(ann)
    await bo.post(f"/api/tables/{code}/seats", json={"name": "Bo", "id": "1"})
    async with server.connect(code, ann) as seat, server.connect(code, bo) as other:
        await say_hello(other)
        await seat.send('{"type":"hello","looking":false}')
        for looking, connected in ((True, (1, 2)), (False, (2,))):
            await seat.send(msgspec.json.encode(Look(looking)).decode())
            async with asyncio.timeout(PATIENCE_S):
                while FROM_TABLE.decode(await other.recv()) != Presence(connected, 0):
                    pass


async def say_hello_again(server: RunningServer, code: str, client: httpx.AsyncClient) -> Update:
    """The update that a browser gets which connects now."""
    async with server.connect(code, client) as socket:
        update = (await say_hello(socket))[-1]
    assert isinstance(update, Update)
    return update


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
