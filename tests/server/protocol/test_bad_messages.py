"""Whatever a page sends over its line, it is answered with a kind of problem or hung up on, and nothing has changed."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.exceptions import InvalidStatus

from liarsdice.core.actions import Challenge
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.server.http.websocket import (
    BURST,
    CLOSED_FORBIDDEN,
    CLOSED_NO_TABLE,
    CLOSED_TOO_FAST,
    LONGEST_MESSAGE,
    read,
)
from liarsdice.server.protocol.messages import Done, ErrorCode, Problem, Setting, Update
from liarsdice.server.table import commands as c
from tests.laws.hostile import NUMBERS, anything
from tests.server.serving import ENCODER, Served, asked, closing, everything, greeted, heard

TOO_LARGE = 1009
DEEP = 7_000
HELLO = '{"type":"hello","have":0}'
SAY = '{"type":"do","id":"%s","what":{"type":"say","text":"hello"}}'
BID = '{"type":"do","id":"a","what":{"type":"bid","quantity":%s,"face":2},"mark":1}'

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
    '{"type":"do","id":"a","what":' + "[" * DEEP + "]" * DEEP + "}",
    '{"type":"nope"}',
    '{"type":1}',
    "{}",
    '{"id":"a","what":{"type":"begin"}}',
    '{"type":"do"}',
    '{"type":"do","id":"a"}',
    '{"type":"do","id":1,"what":{"type":"begin"}}',
    '{"type":"do","id":"a","what":{"type":"begin","now":true}}',
    '{"type":"do","id":"a","what":{"type":"begin"},"as":"Ann"}',
    '{"type":"do","id":"a","what":{"type":"penalise","trigger":"asks_dice_left"}}',
    '{"type":"do","id":"a","what":{"type":"deal","hands":[[1]]}}',
    '{"type":"do","id":"a","what":{"type":"say","text":"\\ud800"}}',
    '{"type":"do","id":"a","what":{"type":"say","text":"a\\u0000b"}}',
    '{"type":"do","id":"a","what":{"type":"say","text":"a\\nb"}}',
    '{"type":"do","id":"a","what":{"type":"say","text":"a\\u202eb"}}',
    '{"type":"do","id":"a","what":{"type":"say","text":" "}}',
    '{"type":"do","id":"a","what":{"type":"say","text":"' + "x" * 281 + '"}}',
    '{"type":"do","id":"a","what":{"type":"give_seed","seed":"a b"}}',
    '{"type":"do","id":"a","what":{"type":"give_seed","seed":"' + "x" * 65 + '"}}',
    '{"type":"do","id":"a","what":{"type":"change","options":{}}}',
    '{"type":"do","id":"a","what":{"type":"change","options":{"title":"x","ruleset":{"dice":{"faces":1}}}}}',
    '{"type":"do","id":"a","what":{"type":"set_direction","direction":"up"}}',
    SAY % "",
    SAY % ("x" * 41),
    SAY % "é",
    SAY % "a\\u0000",
    HELLO,
    "x" * (LONGEST_MESSAGE + 1),
    *(BID % number for number in NUMBERS if not number.lstrip("-").isdigit() or len(number) > 4000),
)


async def test_what_cannot_be_read_is_malformed_and_changes_nothing(server: Served) -> None:
    ann = server.browser()
    code = await server.opened(ann)
    before = await server.log(code)
    for message in MALFORMED:
        async with server.line(code, ann) as line:
            await greeted(line)
            await line.send(message)
            answer = await heard(line)
            assert isinstance(answer, Problem), message[:80]
            assert answer.code is ErrorCode.MALFORMED, message[:80]
            assert len(answer.text) < 400
    assert await server.log(code) == before


async def test_a_binary_frame_is_malformed(server: Served) -> None:
    code = await server.opened(server.browser())
    async with server.line(code) as line:
        await greeted(line)
        await line.send(b'{"type":"hello","have":0}\xff')
        answer = await heard(line)
        assert isinstance(answer, Problem)
        assert answer.code is ErrorCode.MALFORMED


async def test_wishes_that_are_not_for_somebody_are_named_for_what_they_are(server: Served) -> None:
    ann, eve = server.browser(), server.browser()
    code = await server.opened(ann, bots=["random"], away="wait", rules="basic")
    before = await server.log(code)
    kinds: tuple[tuple[bool, c.Command, int, ErrorCode], ...] = (
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
    async with server.line(code, ann) as hers, server.line(code, eve) as other:
        await greeted(hers)
        await greeted(other)
        for number, (seated, what, mark, kind) in enumerate(kinds):
            line = hers if seated else other
            await asked(line, f"w{number}", what, mark)
            answer = await heard(line)
            assert isinstance(answer, Problem), what
            assert (answer.code, answer.id) == (kind, f"w{number}")
    assert await server.log(code) == before


NO_HELLO = ("", "[]", '{"type":"hello","have":-1}', '{"type":"hello","token":"x"}', SAY % "a", "x" * 20_000)


async def test_who_does_not_say_hello_first_is_hung_up_on(server: Served) -> None:
    ann = server.browser()
    code = await server.opened(ann)
    before = await server.log(code)
    for first in NO_HELLO:
        async with server.line(code, ann) as line:
            await line.send(first)
            answer = await heard(line)
            assert isinstance(answer, Problem), first[:40]
            assert answer.code is ErrorCode.MALFORMED
            assert await closing(line) == CLOSED_FORBIDDEN
    assert await server.log(code) == before


async def test_more_than_a_page_ever_sends_is_hung_up_on_before_it_is_read(server: Served) -> None:
    code = await server.opened(server.browser())
    async with server.line(code) as line:
        await greeted(line)
        await line.send("x" * 100_000)
        assert await closing(line) == TOO_LARGE


async def test_where_no_table_is_the_line_says_so(server: Served) -> None:
    for code in ("ZZZZ", "zz", "%00%00%00%00", "ABCDEFGHJKLMN", "%F0%9F%8E%B2"):
        async with server.line(code) as line:
            answer = await heard(line)
            assert isinstance(answer, Problem), code
            assert answer.code is ErrorCode.NO_SUCH_TABLE
            assert await closing(line) == CLOSED_NO_TABLE


async def test_a_foreign_page_gets_no_line(server: Served) -> None:
    ann = server.browser()
    code = await server.opened(ann)
    for origin in ("http://evil.example", "null", "http://[", "http://127.0.0.1:1", "https://127.0.0.1"):
        with pytest.raises(InvalidStatus) as refused:
            async with server.line(code, ann, origin=origin):
                pass
        assert refused.value.response.status_code == 403


async def test_our_own_page_gets_a_line(server: Served) -> None:
    ann = server.browser()
    code = await server.opened(ann)
    async with server.line(code, ann, origin=server.address) as line:
        setting, update = await greeted(line)
        assert isinstance(setting, Setting)
        assert isinstance(update, Update)


async def test_who_speaks_faster_than_anybody_can_is_cut_off(server: Served) -> None:
    ann = server.browser()
    code = await server.opened(ann)
    async with server.line(code, ann) as line:
        await greeted(line)
        for number in range(3 * BURST):
            await line.send(SAY % number)
        answers = await everything(line)
        assert line.close_code == CLOSED_TOO_FAST
    assert isinstance(answers[-1], Problem)
    assert answers[-1].code is ErrorCode.TOO_FAST
    assert sum(isinstance(answer, Done) for answer in answers) <= 2 * BURST


@given(anything)
def test_reading_understands_or_says_malformed(value: object) -> None:
    _read(json.dumps(value))


@given(st.text())
def test_reading_text_understands_or_says_malformed(text: str) -> None:
    _read(text)


@given(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["hello", "do", "x"])},
        optional={
            "have": anything,
            "id": st.text(max_size=50) | anything,
            "mark": anything,
            "what": st.fixed_dictionaries(
                {"type": st.sampled_from(["say", "bid", "begin", "change", "accuse", "remove"])},
                optional=dict.fromkeys(("text", "quantity", "face", "options", "player", "trigger"), anything),
            )
            | anything,
        },
    )
)
def test_reading_something_like_a_message_understands_or_says_malformed(message: dict[str, object]) -> None:
    _read(json.dumps(message))


def _read(text: str) -> None:
    """What is understood can be said again and means the same."""
    try:
        message = read(text)
    except MalformedError as error:
        refusal = str(error)
    else:
        assert msgspec.json.decode(ENCODER.encode(message), type=type(message)) == message
        return
    assert refusal.isprintable()
    assert len(refusal) < 1000
