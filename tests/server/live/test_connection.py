"""The line to one page: in order, to its last message, and no longer than a page reads."""

import asyncio

import pytest

from liarsdice.server.http.websocket import BURST, CLOSED_TOO_FAST
from liarsdice.server.live.connection import LONGEST_QUEUE, Line
from liarsdice.server.table import commands as c
from tests.server.serving import Served, asked, everything, greeted


async def test_messages_come_in_their_order_and_the_last_one_ends_the_line() -> None:
    line, sent = Line("", 0), list[bytes]()

    async def deliver(frame: bytes) -> None:
        sent.append(frame)
        if frame == b"2":
            line.send(b"3")
            line.end(b"4")

    line.send(b"1")
    running = asyncio.create_task(line.run(deliver))
    await asyncio.sleep(0)
    assert sent == [b"1"]
    line.send(b"2")
    async with asyncio.timeout(5):
        await running
    assert sent == [b"1", b"2", b"3", b"4"]


async def test_who_reads_too_slowly_is_given_up_and_not_waited_for() -> None:
    line, given_up = Line("", 0), list[str]()
    line.on_overflow = lambda: given_up.append("given up")
    for _ in range(LONGEST_QUEUE):
        line.send(b"waits")
    assert not given_up
    line.send(b"one too many")
    assert given_up


async def test_to_be_cut_off_for_speaking_too_fast_breaks_nothing(
    server: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    ann = server.browser()
    code = await server.opened(ann)
    async with server.line(code, ann) as line:
        await greeted(line)
        for number in range(2 * BURST):
            await asked(line, str(number), c.Say("hello"))
        await everything(line)
        assert line.close_code == CLOSED_TOO_FAST
    assert "line_broke" not in capsys.readouterr().out
