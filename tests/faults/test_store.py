"""A store that fails, in every way that it can: tables say so, lose nothing, and go on when it works again."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from liarsdice.server.errors import TryAgainError
from liarsdice.server.http.auth import holder_of
from liarsdice.server.live.live_table import Room
from liarsdice.server.live.table_registry import IDLE_MS, Rooms
from liarsdice.server.protocol.messages import Update
from liarsdice.server.storage.store import Append, Kept, Store, StoreError
from liarsdice.server.table import commands as c
from liarsdice.server.table.table_config import Away, Clock
from liarsdice.server.table.table_state import TableState
from tests.server.houses import START_MS, TestHouse, open_house, options, table_of, until
from tests.server.serving import FROM_TABLE

ANN, BO = holder_of("Ann"), holder_of("Bo")
TURN_S = 30


class Page:
    """Somebody who looks at a table and keeps what is sent."""

    def __init__(self, holder: str) -> None:
        self.holder = holder
        self.player: int | None = None
        self.have = 0
        self.seqs: list[int] = []

    def send(self, frame: bytes) -> None:
        message = FROM_TABLE.decode(frame)
        if isinstance(message, Update):
            self.seqs.append(message.seq)

    def end(self, frame: bytes) -> None:
        raise AssertionError(f"hung up with {frame!r}")


def house_of(rooms: Rooms) -> TestHouse:
    assert isinstance(rooms.house, TestHouse)
    return rooms.house


def playing(table: TableState) -> bool:
    return table.playing is not None and bool(table.playing.state.hands)


async def begun(rooms: Rooms) -> Room:
    set_up = options(clock=Clock(TURN_S), away=Away.WAIT)
    room = await table_of(rooms, "Ann", "Bo", set_up=set_up)
    await rooms.ask(room, ANN, "begin", c.Begin())
    await until(room, playing)
    return room


async def test_what_was_written_though_the_store_failed_is_told_to_all_and_not_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await table_of(rooms, "Ann", "Bo")
        page = Page(BO)
        room.welcome(page)
        keep = rooms.house.store.append

        async def written_and_failed(wanted: Append) -> bool:
            await keep(wanted)
            raise StoreError("the answer was lost")

        with monkeypatch.context() as patched:
            patched.setattr(rooms.house.store, "append", written_and_failed)
            with pytest.raises(TryAgainError):
                await rooms.ask(room, ANN, "w1", c.Say("hello"))
        seq = await rooms.ask(room, ANN, "w1", c.Say("hello"))
        assert (await room.table()).seq == seq
        assert page.seqs[-1] == seq


@contextmanager
def refusing(path: Path) -> Iterator[None]:
    """The database takes no entries for a while, as on a full disk."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TRIGGER full BEFORE INSERT ON entries BEGIN SELECT RAISE(ABORT, 'disk full'); END")
        yield
        connection.execute("DROP TRIGGER full")


async def test_while_nothing_can_be_written_wishes_are_put_off_and_later_granted(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        room = await table_of(rooms, "Ann", "Bo")
        before = (await room.table()).seq
        with refusing(tmp_path / "db"), pytest.raises(TryAgainError):
            await rooms.ask(room, ANN, "w1", c.Say("hello"))
        assert await rooms.ask(room, ANN, "w1", c.Say("hello")) == before + 1


class Unread:
    """A store's `load` that fails a number of times."""

    def __init__(self, store: Store, times: int) -> None:
        self._load, self.times = store.load, times

    async def __call__(self, code: str) -> Kept | None:
        if self.times:
            self.times -= 1
            raise StoreError("cannot be read just now")
        return await self._load(code)


async def test_a_table_that_could_not_be_read_when_it_was_due_is_woken_in_a_later_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_house(tmp_path / "db") as rooms:
        code = (await begun(rooms)).code
    async with open_house(tmp_path / "db") as rooms:
        monkeypatch.setattr(rooms.house.store, "load", Unread(rooms.house.store, 2))
        house_of(rooms).ms += 2 * TURN_S * 1000
        await rooms.sweep()
        await rooms.sweep()
        await rooms.sweep()
        room = await rooms.room(code)
        await until(room, lambda table: table.playing is not None and bool(table.playing.state.bids))


async def test_a_log_that_cannot_be_read_does_not_keep_other_tables_from_going_on(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        spoilt, sound = sorted([(await begun(rooms)).code, (await begun(rooms)).code])
    with closing(sqlite3.connect(tmp_path / "db")) as connection:
        connection.execute("UPDATE entries SET body = 'nonsense' WHERE code = ? AND seq = 2", (spoilt,))
        connection.execute("UPDATE tables SET due_at_ms = due_at_ms - 1 WHERE code = ?", (spoilt,))
        connection.commit()
    async with open_house(tmp_path / "db") as rooms:
        house_of(rooms).ms += 2 * TURN_S * 1000
        await rooms.sweep()
        room = await rooms.room(sound)
        await until(room, lambda table: table.playing is not None and bool(table.playing.state.bids))


async def test_time_that_passes_while_no_server_runs_is_taken_from_nobody(tmp_path: Path) -> None:
    hour_ms = 3_600_000
    async with open_house(tmp_path / "db") as rooms:
        room = await begun(rooms)
        house_of(rooms).ms += 10_000
        await rooms.house.store.alive(rooms.house.now_ms())
        left_ms, code = room.left_ms(), room.code
        assert left_ms == (TURN_S - 10) * 1000
    late = TestHouse(tmp_path / "db")
    late.ms = START_MS + 10_000 + hour_ms
    rooms = Rooms(late)
    assert await late.open() == hour_ms
    try:
        assert (await rooms.room(code)).left_ms() == left_ms
    finally:
        await late.close()


async def test_a_table_let_go_of_with_time_left_is_woken_when_its_time_is_up(tmp_path: Path) -> None:
    async with open_house(tmp_path / "db") as rooms:
        set_up = options(clock=Clock(10 * IDLE_MS // 1000), away=Away.WAIT)
        room = await table_of(rooms, "Ann", "Bo", set_up=set_up)
        await rooms.ask(room, ANN, "begin", c.Begin())
        await until(room, playing)
        house_of(rooms).ms += IDLE_MS + 1
        await rooms.sweep()
        assert room.code not in rooms.awake
        house_of(rooms).ms += 10 * IDLE_MS
        await rooms.sweep()
        assert room.code in rooms.awake
        woken = await rooms.room(room.code)
        await until(woken, lambda table: table.playing is not None and bool(table.playing.state.bids))
