"""A failing database: clients receive errors, nothing is lost or done twice, and tables go on when it works again."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from liarsdice.server.errors import StoreError, TryAgainError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import IDLE_MS, TableRegistry
from liarsdice.server.protocol.messages import Update
from liarsdice.server.storage.sqlite import SqliteStore
from liarsdice.server.storage.store import LogAppend, Store, StoredState
from liarsdice.server.table import commands as c
from liarsdice.server.table.table_config import Away, Clock
from liarsdice.server.table.table_state import TableState
from tests.server.live_tables import (
    START_MS,
    FakeClockServices,
    fake_clock,
    make_config,
    make_table,
    open_registry,
    wait_until,
)
from tests.server.running_server import FROM_TABLE

ANN, BO = hash_token("Ann"), hash_token("Bo")
TURN_S = 30


class SeqRecorder:
    """A subscriber that records the seq of every update."""

    def __init__(self, token_hash: str) -> None:
        self.token_hash = token_hash
        self.player: int | None = None
        self.last_seq = 0
        self.seqs: list[int] = []

    def send(self, frame: bytes) -> None:
        message = FROM_TABLE.decode(frame)
        if isinstance(message, Update):
            self.seqs.append(message.seq)

    def send_presence(self, frame: bytes) -> None:
        pass

    def end(self, frame: bytes) -> None:
        raise AssertionError(f"closed with {frame!r}")

    def hand_over(self) -> None:
        raise AssertionError("handed over")


def has_dice(table: TableState) -> bool:
    return table.ongoing_match is not None and bool(table.ongoing_match.state.hands)


async def table_in_match(registry: TableRegistry) -> LiveTable:
    config = make_config(clock=Clock(TURN_S), away=Away.WAIT)
    live_table = await make_table(registry, "Ann", "Bo", config=config)
    await registry.submit(live_table, ANN, "begin", c.Begin())
    await wait_until(live_table, has_dice)
    return live_table


async def test_an_append_whose_answer_was_lost_is_sent_to_clients_and_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        recorder = SeqRecorder(BO)
        live_table.subscribe(recorder)
        append = registry.services.store.append

        async def write_and_fail(request: LogAppend) -> bool:
            await append(request)
            raise StoreError("the answer was lost")

        with monkeypatch.context() as patched:
            patched.setattr(registry.services.store, "append", write_and_fail)
            with pytest.raises(TryAgainError):
                await registry.submit(live_table, ANN, "w1", c.Say("hello"))
        seq = await registry.submit(live_table, ANN, "w1", c.Say("hello"))
        assert (await live_table.state()).seq == seq
        assert recorder.seqs[-1] == seq


@contextmanager
def refuse_writes(path: Path) -> Iterator[None]:
    """Let the database refuse entries, as on a full disk."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TRIGGER full BEFORE INSERT ON entries BEGIN SELECT RAISE(ABORT, 'disk full'); END")
        yield
        connection.execute("DROP TRIGGER full")


async def test_commands_fail_while_nothing_can_be_written_and_succeed_later(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        before = (await live_table.state()).seq
        with refuse_writes(tmp_path / "db"), pytest.raises(TryAgainError):
            await registry.submit(live_table, ANN, "w1", c.Say("hello"))
        assert await registry.submit(live_table, ANN, "w1", c.Say("hello")) == before + 1


class FailingLoad:
    """The `load_state` of a store, which fails a number of times first."""

    def __init__(self, store: Store, times: int) -> None:
        self._load, self.times = store.load_state, times

    async def __call__(self, code: str) -> StoredState | None:
        if self.times:
            self.times -= 1
            raise StoreError("cannot be read just now")
        return await self._load(code)


async def test_a_due_table_that_could_not_be_read_is_loaded_in_a_later_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_registry(tmp_path / "db") as registry:
        code = (await table_in_match(registry)).code
    async with open_registry(tmp_path / "db") as registry:
        monkeypatch.setattr(registry.services.store, "load_state", FailingLoad(registry.services.store, 2))
        fake_clock(registry).time_ms += 2 * TURN_S * 1000
        await registry.sweep()
        await registry.sweep()
        await registry.sweep()
        live_table = await registry.get(code)
        await wait_until(
            live_table, lambda table: table.ongoing_match is not None and bool(table.ongoing_match.state.bids)
        )


async def test_an_unreadable_log_does_not_stop_other_tables(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        broken, sound = sorted([(await table_in_match(registry)).code, (await table_in_match(registry)).code])
    with closing(sqlite3.connect(tmp_path / "db")) as connection:
        connection.execute("UPDATE entries SET body = 'nonsense' WHERE code = ? AND seq = 2", (broken,))
        connection.execute("UPDATE tables SET due_at_ms = due_at_ms - 1 WHERE code = ?", (broken,))
        connection.commit()
    async with open_registry(tmp_path / "db") as registry:
        fake_clock(registry).time_ms += 2 * TURN_S * 1000
        await registry.sweep()
        live_table = await registry.get(sound)
        await wait_until(
            live_table, lambda table: table.ongoing_match is not None and bool(table.ongoing_match.state.bids)
        )


async def test_clocks_stand_still_while_no_server_runs(tmp_path: Path) -> None:
    hour_ms = 3_600_000
    async with open_registry(tmp_path / "db") as registry:
        live_table = await table_in_match(registry)
        fake_clock(registry).time_ms += 10_000
        await registry.services.store.heartbeat(registry.services.now_ms())
        left_ms, code = live_table.left_ms(), live_table.code
        assert left_ms == (TURN_S - 10) * 1000
    later = FakeClockServices(SqliteStore(tmp_path / "db"))
    later.time_ms = START_MS + 10_000 + hour_ms
    registry = TableRegistry(later)
    assert await later.open() == hour_ms
    try:
        assert (await registry.get(code)).left_ms() == left_ms
    finally:
        await later.close()


async def test_a_server_that_starts_with_an_earlier_clock_continues_the_clocks_of_players(tmp_path: Path) -> None:
    hour_ms = 3_600_000
    async with open_registry(tmp_path / "db") as registry:
        fake_clock(registry).time_ms += hour_ms
        live_table = await table_in_match(registry)
        fake_clock(registry).time_ms += 10_000
        await registry.services.store.heartbeat(registry.services.now_ms())
        left_ms, code = live_table.left_ms(), live_table.code
    async with open_registry(tmp_path / "db") as registry:
        assert registry.services.now_ms() == START_MS
        assert (await registry.get(code)).left_ms() == left_ms == (TURN_S - 10) * 1000


async def test_a_stored_deadline_further_away_than_the_whole_turn_counts_as_a_whole_turn(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        code = (await table_in_match(registry)).code
    async with open_registry(tmp_path / "db") as registry:
        with closing(sqlite3.connect(tmp_path / "db")) as connection:
            connection.execute("UPDATE tables SET due_at_ms = due_at_ms + 3600000")
            connection.commit()
        assert (await registry.get(code)).left_ms() == TURN_S * 1000


async def test_an_unloaded_table_is_loaded_when_its_deadline_comes(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        config = make_config(clock=Clock(10 * IDLE_MS // 1000), away=Away.WAIT)
        live_table = await make_table(registry, "Ann", "Bo", config=config)
        await registry.submit(live_table, ANN, "begin", c.Begin())
        await wait_until(live_table, has_dice)
        fake_clock(registry).time_ms += IDLE_MS + 1
        await registry.sweep()
        assert live_table.code not in registry.loaded_codes
        fake_clock(registry).time_ms += 10 * IDLE_MS
        await registry.sweep()
        assert live_table.code in registry.loaded_codes
        loaded = await registry.get(live_table.code)
        await wait_until(loaded, lambda table: table.ongoing_match is not None and bool(table.ongoing_match.state.bids))
