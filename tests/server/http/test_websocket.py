"""Who may look at a table, and for how long."""

from pathlib import Path

from liarsdice.server.http.auth import holder_of
from liarsdice.server.http.websocket import CLOSED_FORBIDDEN
from liarsdice.server.protocol.messages import Done, ErrorCode, Problem, Setting, Update
from liarsdice.server.storage.store import Append
from liarsdice.server.table import commands as c
from liarsdice.server.table.log_entries import Row, Spoke
from tests.server.houses import open_house, options, table_of
from tests.server.serving import Served, asked, closing, greeted, heard
from tests.server.watching import Eyes

ANN, BO = holder_of("Ann"), holder_of("Bo")


async def test_who_has_no_seat_is_sent_away_when_a_match_without_spectators_begins(server: Served) -> None:
    ann, eve = server.browser(), server.browser()
    code = await server.opened(ann, spectators=False, bots=["random"], away="wait")
    async with server.line(code, ann) as hers, server.line(code, eve) as other:
        for line in (hers, other):
            setting, update = await greeted(line)
            assert isinstance(setting, Setting)
            assert isinstance(update, Update)
        await asked(hers, "1", c.Begin())
        refusal = await heard(other)
        assert isinstance(refusal, Problem)
        assert refusal.code is ErrorCode.NO_SPECTATORS
        assert await closing(other) == CLOSED_FORBIDDEN
        while not isinstance(await heard(hers), Done):
            pass
    async with server.line(code, eve) as other:
        await other.send('{"type":"hello"}')
        refusal = await heard(other)
        assert isinstance(refusal, Problem)
        assert refusal.code is ErrorCode.NO_SPECTATORS
        assert await closing(other) == CLOSED_FORBIDDEN


async def test_who_leaves_a_match_without_spectators_sees_no_more_of_it(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await table_of(rooms, "Ann", "Bo", "Cy", set_up=options(spectators=False))
        ann, bo = Eyes(ANN), Eyes(BO)
        room.welcome(ann)
        room.welcome(bo)
        await rooms.ask(room, ANN, "begin", c.Begin())
        await rooms.ask(room, BO, "leave", c.Leave())
        assert b'"no_spectators"' in bo.frames[-1]
        assert bo.ended
        seen = len(bo.frames)
        await rooms.ask(room, ANN, "say", c.Say("who is next?"))
        assert len(bo.frames) == seen
        assert b"who is next?" in ann.frames[-1]


async def test_where_spectators_are_welcome_they_see_the_match(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await table_of(rooms, "Ann", "Bo")
        eyes = Eyes("")
        room.welcome(eyes)
        await rooms.ask(room, ANN, "begin", c.Begin())
        assert not eyes.ended
        assert b'"stage":"playing"' in eyes.frames[-1]


async def test_a_page_that_knows_more_than_its_server_makes_it_look_again(server: Served) -> None:
    """As where another process has told it: here the log grows behind the back of the one that is asked."""
    ann = server.browser()
    code = await server.opened(ann)
    last = (await server.log(code))[-1]
    grown = Row(last.seq + 1, last.at_ms, "", Spoke(1, "from elsewhere"))
    assert await server.house.store.append(Append(code, last.seq, (grown,), None, listed=False))
    async with server.line(code, ann) as line:
        _, update = await greeted(line, have=grown.seq)
        assert isinstance(update, Update)
        assert update.seq == grown.seq
