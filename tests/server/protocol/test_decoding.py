"""A change of the table is recognised however its JSON is written, and decoded apart from all other messages."""

import json
import re
from typing import Annotated

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.exceptions import InvalidStatus

from liarsdice.core.actions import Challenge
from liarsdice.core.decode_errors import describe_decode_error
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.server.http.websocket import CLOSED_FORBIDDEN, CLOSED_NO_TABLE, CLOSED_TOO_FAST
from liarsdice.server.live.live_table import MESSAGE_BURST
from liarsdice.server.protocol.decoding import (
    MAX_MESSAGE_LENGTH,
    read_change_request,
    read_message,
)
from liarsdice.server.protocol.messages import Done, ErrorCode, Problem, TableSetup
from liarsdice.server.table import commands as c
from liarsdice.server.table.table_config import Away
from liarsdice.wire import Update
from tests.laws.test_hostile_input import STRANGE_NUMBERS, any_json
from tests.server.running_server import (
    ENCODER,
    RunningServer,
    close_code,
    receive,
    receive_all,
    say_hello,
    send_command,
)

CHANGE = '{"type":"do","id":"1","command":%s}'


@pytest.mark.parametrize(
    "command",
    [
        '{"type":"change","config":{}}',
        '{"config":{},"type":"change"}',
        r'{"type":"ch\u0061nge","config":{}}',
        r'{"ty\u0070e":"change","config":{}}',
        '{"type" : "change" , "config" : {"title":"\\u00e9"}}',
    ],
)
def test_a_change_is_recognised_and_never_decoded_with_other_messages(command: str) -> None:
    request = read_change_request(CHANGE % command)
    assert request is not None
    assert request.request_id == "1"
    with pytest.raises(MalformedError):
        read_message(CHANGE % command)


@pytest.mark.parametrize(
    "command",
    [
        r'{"type":"say","text":"\u00a1Mentira!"}',
        r'{"type":"say","text":"\"change\" nothing"}',
        '{"type":"add_bot","bot":"change"}',
        '{"type":"say","text":"change"}',
    ],
)
def test_other_messages_are_not_taken_for_changes(command: str) -> None:
    assert read_change_request(CHANGE % command) is None
    read_message(CHANGE % command)


@pytest.mark.parametrize("command", ['{"type":"say","type":"change"}', '{"type":"change","type":"say"}', "[]", "1"])
def test_a_command_with_two_types_or_none_is_no_way_around(command: str) -> None:
    """Whatever the first look takes it for, only `read_change` decodes a change."""
    with pytest.raises(MalformedError):
        read_message(CHANGE % command)


class Body(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    seats: Annotated[int, msgspec.Meta(ge=2)] | None = None
    away: Away = Away.BOT
    ready: bool = False
    dice: tuple[int, ...] = ()
    pair: tuple[int, int] = (1, 1)
    share: float = 0.5


CASES = (
    (b"", "the message is not JSON"),
    (b"\xff", "the message is not JSON (byte 0)"),
    (b"{", "the message is not JSON"),
    (b"name=Ann", "the message is not JSON (byte 4)"),
    (b"[]", "the message must be an object, not a list"),
    (b"{}", "the message has no field 'name', which it needs"),
    (b'{"name":1}', "name must be text, not a whole number"),
    (b'{"name":"A","seats":1}', "seats must be a whole number >= 2"),
    (b'{"name":"A","seats":"x"}', "seats must be a whole number or null, not text"),
    (b'{"name":"A","away":"x"}', "away may not be 'x'"),
    (b'{"name":"A","ready":1}', "ready must be true or false, not a whole number"),
    (b'{"name":"A","dice":[1,"x"]}', "dice[1] must be a whole number, not text"),
    (b'{"name":"A","pair":[1]}', "pair must be a list of length 2"),
    (b'{"name":"A","share":[]}', "share must be a number, not a list"),
    (b'{"name":"A","admin":1}', "the message has the field 'admin', which it may not have"),
    (b'{"name":"A","' + b"x" * 200 + b'":1}', f"the message has the field {'x' * 60!r}, which it may not have"),
)


@pytest.mark.parametrize("body, text", CASES, ids=[str(number) for number in range(len(CASES))])
def test_an_error_is_described_in_plain_words(body: bytes, text: str) -> None:
    with pytest.raises(msgspec.DecodeError) as error:
        msgspec.json.decode(body, type=Body)
    described = describe_decode_error(str(error.value))
    assert described == text
    assert not re.search(r"Expected|Object|`|\$|malformed", described)


TOO_LARGE = 1009
DEEP = 7_000
HELLO = '{"type":"hello","last_seq":0}'
SAY = '{"type":"do","id":"%s","command":{"type":"say","text":"hello"}}'
BID = '{"type":"do","id":"a","command":{"type":"bid","quantity":%s,"face":2},"turn_id":1}'

MALFORMED: tuple[str, ...] = (
    "",
    " ",
    "null",
    "[]",
    "{",
    '{"type":"hello"',
    "hello",
    "\x00",
    "[" * DEEP,
    '{"type":"do","id":"a","command":' + "[" * DEEP + "]" * DEEP + "}",
    '{"type":"nope"}',
    '{"type":1}',
    "{}",
    '{"id":"a","command":{"type":"begin"}}',
    '{"type":"do"}',
    '{"type":"do","id":"a"}',
    '{"type":"do","id":1,"command":{"type":"begin"}}',
    '{"type":"do","id":"a","command":{"type":"begin","now":true}}',
    '{"type":"do","id":"a","command":{"type":"begin"},"as":"Ann"}',
    '{"type":"do","id":"a","command":{"type":"penalise","trigger":"asks_dice_left"}}',
    '{"type":"do","id":"a","command":{"type":"deal","hands":[[1]]}}',
    '{"type":"do","id":"a","command":{"type":"say","text":"\\ud800"}}',
    '{"type":"do","id":"a","command":{"type":"say","text":"a\\u0000b"}}',
    '{"type":"do","id":"a","command":{"type":"say","text":"a\\nb"}}',
    '{"type":"do","id":"a","command":{"type":"say","text":"a\\u202eb"}}',
    '{"type":"do","id":"a","command":{"type":"say","text":" "}}',
    '{"type":"do","id":"a","command":{"type":"say","text":"' + "x" * 281 + '"}}',
    '{"type":"do","id":"a","command":{"type":"commit_seed","commitment":"' + "x" * 64 + '"}}',
    '{"type":"do","id":"a","command":{"type":"commit_seed","commitment":"' + "0" * 63 + '"}}',
    '{"type":"do","id":"a","command":{"type":"reveal_seed","seed":"' + "a b" * 11 + '"}}',
    '{"type":"do","id":"a","command":{"type":"reveal_seed","seed":"' + "x" * 31 + '"}}',
    '{"type":"do","id":"a","command":{"type":"reveal_seed","seed":"' + "x" * 65 + '"}}',
    '{"type":"do","id":"a","command":{"type":"change","config":{}}}',
    '{"type":"do","id":"a","command":{"type":"change","config":{"title":"x","ruleset":{"dice":{"faces":1}}}}}',
    '{"type":"do","id":"a","command":{"type":"set_direction","direction":"up"}}',
    SAY % "",
    SAY % ("x" * 41),
    SAY % "é",
    SAY % "a\\u0000",
    HELLO,
    "x" * (MAX_MESSAGE_LENGTH + 1),
    *(BID % number for number in STRANGE_NUMBERS if not number.lstrip("-").isdigit() or len(number) > 4000),
)


async def test_malformed_messages_are_refused_and_change_nothing(server: RunningServer) -> None:
    ann = server.browser()
    code = await server.open_table(ann)
    before = server.log(code)
    for message in MALFORMED:
        server.services.time_ms += 10_000
        async with server.connect(code, ann) as socket:
            await say_hello(socket)
            await socket.send(message)
            answer = await receive(socket)
            assert isinstance(answer, Problem), message[:80]
            assert answer.code is ErrorCode.MALFORMED, message[:80]
            assert len(answer.text) < 400
    assert server.log(code) == before


async def test_a_binary_frame_is_malformed(server: RunningServer) -> None:
    code = await server.open_table(server.browser())
    async with server.connect(code) as socket:
        await say_hello(socket)
        await socket.send(b'{"type":"hello","last_seq":0}\xff')
        answer = await receive(socket)
        assert isinstance(answer, Problem)
        assert answer.code is ErrorCode.MALFORMED


async def test_refused_commands_are_answered_with_the_right_code(server: RunningServer) -> None:
    ann, eve = server.browser(), server.browser()
    code = await server.open_table(ann, bots=["random"], away="wait", rules="basic")
    before = server.log(code)
    refused: tuple[tuple[bool, c.Command, int, ErrorCode], ...] = (
        (True, Bid(1, 2), 0, ErrorCode.ILLEGAL),
        (True, Challenge(), 99, ErrorCode.ILLEGAL),
        (True, c.Pause(paused=True), 0, ErrorCode.ILLEGAL),
        (True, c.Remove(99), 0, ErrorCode.ILLEGAL),
        (True, c.AddBot("nope"), 0, ErrorCode.UNAVAILABLE),
        (True, c.AddBot("exec:touch run"), 0, ErrorCode.UNAVAILABLE),
        (True, c.AddBot("python:run.py:bot"), 0, ErrorCode.UNAVAILABLE),
        (True, c.AnswerPenalty(1, take=True), 0, ErrorCode.STALE),
        (False, c.Begin(), 0, ErrorCode.FORBIDDEN),
        (False, c.Say("hello"), 0, ErrorCode.FORBIDDEN),
        (False, Bid(1, 2), 0, ErrorCode.FORBIDDEN),
    )
    async with server.connect(code, ann) as host, server.connect(code, eve) as other:
        await say_hello(host)
        await say_hello(other)
        for number, (is_host, command, turn_id, code_wanted) in enumerate(refused):
            socket = host if is_host else other
            await send_command(socket, f"w{number}", command, turn_id)
            answer = await receive(socket)
            assert isinstance(answer, Problem), command
            assert (answer.code, answer.request_id) == (code_wanted, f"w{number}")
    assert server.log(code) == before


NO_HELLO = ("", "[]", '{"type":"hello","last_seq":-1}', '{"type":"hello","token":"x"}', SAY % "a", "x" * 20_000)


async def test_a_client_that_does_not_say_hello_first_is_disconnected(server: RunningServer) -> None:
    ann = server.browser()
    code = await server.open_table(ann)
    before = server.log(code)
    for first in NO_HELLO:
        async with server.connect(code, ann) as socket:
            await socket.send(first)
            answer = await receive(socket)
            assert isinstance(answer, Problem), first[:40]
            assert answer.code is ErrorCode.MALFORMED
            assert await close_code(socket) == CLOSED_FORBIDDEN
    assert server.log(code) == before


async def test_an_oversized_message_ends_the_connection_unread(server: RunningServer) -> None:
    code = await server.open_table(server.browser())
    async with server.connect(code) as socket:
        await say_hello(socket)
        await socket.send("x" * 100_000)
        assert await close_code(socket) == TOO_LARGE


async def test_connecting_to_an_unknown_code_is_answered_with_its_error(server: RunningServer) -> None:
    for code in ("ZZZZ", "zz", "%00%00%00%00", "ABCDEFGHJKLMN", "%F0%9F%8E%B2"):
        async with server.connect(code) as socket:
            answer = await receive(socket)
            assert isinstance(answer, Problem), code
            assert answer.code is ErrorCode.NO_SUCH_TABLE
            assert await close_code(socket) == CLOSED_NO_TABLE


async def test_a_page_of_another_site_cannot_connect(server: RunningServer) -> None:
    ann = server.browser()
    code = await server.open_table(ann)
    for origin in ("http://evil.example", "null", "http://[", "http://127.0.0.1:1", "https://127.0.0.1"):
        with pytest.raises(InvalidStatus) as refused:
            async with server.connect(code, ann, origin=origin):
                pass
        assert refused.value.response.status_code == 403


async def test_our_own_page_can_connect(server: RunningServer) -> None:
    ann = server.browser()
    code = await server.open_table(ann)
    async with server.connect(code, ann, origin=server.address) as socket:
        setup, update = await say_hello(socket)
        assert isinstance(setup, TableSetup)
        assert isinstance(update, Update)


async def test_a_client_that_sends_too_fast_is_disconnected(server: RunningServer) -> None:
    ann = server.browser()
    code = await server.open_table(ann)
    async with server.connect(code, ann) as socket:
        await say_hello(socket)
        for number in range(3 * MESSAGE_BURST):
            await socket.send(SAY % number)
        answers = await receive_all(socket)
        assert socket.close_code == CLOSED_TOO_FAST
    assert isinstance(answers[-1], Problem)
    assert answers[-1].code is ErrorCode.TOO_FAST
    assert sum(isinstance(answer, Done) for answer in answers) <= 2 * MESSAGE_BURST


@given(any_json)
def test_reading_understands_or_says_malformed(value: object) -> None:
    _read(json.dumps(value))


@given(st.text())
def test_reading_text_understands_or_says_malformed(text: str) -> None:
    _read(text)


@given(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["hello", "do", "x"])},
        optional={
            "last_seq": any_json,
            "id": st.text(max_size=50) | any_json,
            "turn_id": any_json,
            "command": st.fixed_dictionaries(
                {"type": st.sampled_from(["say", "bid", "begin", "change", "accuse", "remove"])},
                optional=dict.fromkeys(("text", "quantity", "face", "config", "player", "trigger"), any_json),
            )
            | any_json,
        },
    )
)
def test_reading_something_like_a_message_understands_or_says_malformed(message: dict[str, object]) -> None:
    _read(json.dumps(message))


def _read(text: str) -> None:
    """A message that is read encodes and decodes to itself."""
    try:
        message = read_message(text)
    except MalformedError as error:
        refusal = str(error)
    else:
        assert msgspec.json.decode(ENCODER.encode(message), type=type(message)) == message
        return
    assert refusal.isprintable()
    assert len(refusal) < 1000
