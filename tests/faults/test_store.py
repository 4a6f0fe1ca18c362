"""A failing database: clients receive errors, nothing is lost or done twice, and tables go on when it works again."""

import asyncio
import resource
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import msgspec
import pytest
from websockets.asyncio.client import ClientConnection, connect

from liarsdice.cli.stdio import EXIT_ERROR
from liarsdice.server.errors import StoreError, TryAgainError
from liarsdice.server.http.auth import COOKIE, hash_token
from liarsdice.server.http.connections import FILES_RESERVED
from liarsdice.server.http.websocket import CLOSED_NO_TABLE, handle_message
from liarsdice.server.live import table_services
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import IDLE_MS, TableRegistry
from liarsdice.server.protocol.encoding import ENCODER
from liarsdice.server.protocol.messages import CommandRequest, Done, ErrorCode, Hello, Problem
from liarsdice.server.storage.sqlite import SqliteStore
from liarsdice.server.storage.store import LogAppend, Store, StoredState
from liarsdice.server.table import commands as c
from liarsdice.server.table.commands import Lock, Say
from liarsdice.server.table.table_config import Away, Clock
from liarsdice.server.table.table_state import TableState
from liarsdice.wire import Said, Update
from tests.faults.players import Player, gather_table
from tests.processes import Server, logs_of, refusal
from tests.server.live_tables import (
    START_MS,
    FakeClockServices,
    fake_clock,
    make_config,
    make_table,
    open_registry,
    wait_until,
)
from tests.server.running_server import (
    FROM_TABLE,
    RunningServer,
    close_code,
    receive,
    run_server,
    say_hello,
    send_command,
)

ANN, BO = hash_token("Ann"), hash_token("Bo")
TURN_S = 30


class SeqRecorder:
    """A subscriber that records the seq of every update."""

    def __init__(self, token_hash: str) -> None:
        self.token_hash = token_hash
        self.player: int | None = None
        self.last_seq = 0
        self.looking = True
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


FILES, CLIENTS = 256, 300
PATIENCE_S = 60.0


@contextmanager
def open_files_limited(count: int) -> Iterator[None]:
    """Let the processes that are started meanwhile open so many files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_a_server_without_free_files_refuses_clients_and_keeps_its_players(tmp_path: Path) -> None:
    server = Server(tmp_path / "server.db")
    with open_files_limited(FILES):
        server.start()
    try:
        async with asyncio.timeout(PATIENCE_S):
            await _crowd_out(server.address)
    finally:
        server.end()


async def _crowd_out(address: str) -> None:
    (ann, *_) = await gather_table(address, ["Ann", "Bo"], 1)
    parts = urlsplit(address)
    open_connection = partial(asyncio.open_connection, parts.hostname, parts.port)
    uri = f"{address.replace('http', 'ws', 1)}/ws/{ann.code}"
    async with connect(uri, additional_headers={"cookie": f"{COOKIE}={ann.token}"}, proxy=None) as socket:
        await say_hello(socket)
        admitted, admitted_writer = await open_connection()
        clients = [await open_connection() for _ in range(CLIENTS)]
        answers = await asyncio.gather(*(reader.read(12) for reader, _ in clients[FILES - FILES_RESERVED :]))
        assert set(answers) == {b"HTTP/1.1 503"}
        await send_command(socket, "1", c.Say("still here"))
        while not isinstance(await receive(socket), Done):
            pass
        admitted_writer.write(b"GET /readyz HTTP/1.1\r\nHost: here\r\n\r\n")
        assert await admitted.readline() == b"HTTP/1.1 200 OK\r\n"
        for _, writer in [(admitted, admitted_writer), *clients]:
            writer.close()


async def test_a_file_that_is_no_database_is_refused_and_left_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    path.write_bytes(b"shopping list: milk, dice, cups " * 100)
    before = path.read_bytes()
    status, output = refusal(path)
    assert status == EXIT_ERROR
    assert f"the database {path} cannot be used: file is not a database" in output
    assert path.read_bytes() == before


async def test_a_database_of_a_newer_release_is_refused_and_left_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    async with open_registry(path) as registry:
        await make_table(registry, "Ann")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    status, output = refusal(path)
    assert status == EXIT_ERROR
    assert "the database was made by a newer release" in output
    assert len(logs_of(path)) == 1


async def test_a_folder_that_cannot_be_created_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    status, output = refusal(tmp_path / "file" / "tables.db")
    assert status == EXIT_ERROR
    assert "cannot be used" in output


async def test_a_second_server_is_refused_and_a_killed_one_leaves_no_lock(tmp_path: Path) -> None:
    server = Server(tmp_path / "tables.db")
    server.start()
    try:
        status, output = refusal(tmp_path / "tables.db", fresh=True)
        assert status == EXIT_ERROR
        assert f"another server (process {server.pid}) uses the database {server.database}; stop that one" in output
        server.kill()
        server.start()
        assert server.stop() == 0
    finally:
        server.end()


@contextmanager
def disk_is_full(pid: int) -> Iterator[None]:
    """Let no file of a process grow, as on a full disk."""
    old = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, old[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, old)


async def _say_hello(socket: ClientConnection) -> None:
    await socket.send(msgspec.json.encode(Hello()).decode())
    while not isinstance(FROM_TABLE.decode(await socket.recv()), Update):
        pass


async def _lock(socket: ClientConnection, request_id: str, *, locked: bool) -> Done | Problem:
    await socket.send(msgspec.json.encode(CommandRequest(request_id, Lock(locked=locked))).decode())
    while not isinstance(answer := FROM_TABLE.decode(await socket.recv()), Done | Problem):
        pass
    return answer


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux sets the limits of another process")
async def test_commands_fail_while_the_disk_is_full_and_succeed_afterwards(tmp_path: Path) -> None:
    server = Server(tmp_path / "tables.db", "--log-level", "warning")
    server.start()
    try:
        ann: Player = (await gather_table(server.address, ["Ann"], 1))[0]
        uri = f"{server.address.replace('http', 'ws', 1)}/ws/{ann.code}"
        async with connect(uri, additional_headers={"cookie": f"{COOKIE}={ann.token}"}, proxy=None) as socket:
            await _say_hello(socket)
            assert isinstance(await _lock(socket, "before", locked=True), Done)
            with disk_is_full(server.pid):
                failed = await _lock(socket, "during", locked=False)
                assert isinstance(failed, Problem)
                assert failed.code is ErrorCode.TRY_AGAIN
            assert isinstance(await _lock(socket, "during", locked=False), Done)
            assert isinstance(await _lock(socket, "after", locked=True), Done)
        assert server.stop() == 0
    finally:
        server.end()
    request_ids = [
        row.request_id.partition(":")[2] for row in logs_of(tmp_path / "tables.db")[ann.code] if row.request_id
    ]
    assert request_ids == ["before", "during", "after"]


UNIQUE = "a line of talk that stands in the file once"
PAGE_BYTES = 4096
Damage = Callable[[Path, str], None]


def say(request_id: str, text: str) -> str:
    """The message with which a player talks."""
    return ENCODER.encode(CommandRequest(request_id, Say(text))).decode()


def execute(statement: str) -> Damage:
    """Damage by a statement about one table."""

    def damage(path: Path, code: str) -> None:
        with closing(sqlite3.connect(path)) as connection:
            changed = connection.execute(statement, (code,))
            assert changed.rowcount == 1
            connection.commit()

    return damage


def overwrite_page(path: Path, code: str) -> None:
    """Overwrite the page of the file that holds one line of talk."""
    content = bytearray(path.read_bytes())
    start = content.index(f"{UNIQUE} {code}".encode()) // PAGE_BYTES * PAGE_BYTES
    content[start : start + PAGE_BYTES] = b"\xff" * PAGE_BYTES
    path.write_bytes(content)


DAMAGES: dict[str, Damage] = {
    "no JSON": execute("UPDATE entries SET body = 'nonsense' WHERE code = ? AND seq = 2"),
    "no UTF-8": execute("UPDATE entries SET body = X'FFFE' WHERE code = ? AND seq = 2"),
    "an unknown kind": execute("""UPDATE entries SET body = '{"type":"cheated"}' WHERE code = ? AND seq = 2"""),
    "an impossible entry": execute(
        """UPDATE entries SET body = '{"type":"began","number":[]}' WHERE code = ? AND seq = 3"""
    ),
    "an entry that cannot follow": execute(
        """UPDATE entries SET body = '{"type":"was_ready","player":9}' WHERE code = ? AND seq = 3"""
    ),
    "a missing entry": execute("DELETE FROM entries WHERE code = ? AND seq = 3"),
    "a damaged page": overwrite_page,
}


async def make_listed_table(server: RunningServer, name: str) -> tuple[httpx.AsyncClient, str]:
    """A listed table with a log of many pages."""
    browser = server.browser()
    code = await server.open_table(browser, name, listed=True)
    async with server.connect(code, browser) as socket:
        await say_hello(socket)
        for number in range(36):
            server.services.time_ms += 1_000
            await send_command(
                socket, f"s{number}", Say(f"{UNIQUE} {code}" if number == 18 else "long talk " * 27 + "end")
            )
            while not isinstance(await receive(socket), Done):
                pass
    return browser, code


@pytest.mark.parametrize("kind", DAMAGES)
async def test_a_damaged_table_is_refused_and_all_others_are_listed_and_played(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "db"
    async with run_server(path) as server:
        _, damaged = await make_listed_table(server, "Ann")
        bo, sound = await make_listed_table(server, "Bo")
        cookies = bo.cookies
    DAMAGES[kind](path, damaged)
    async with run_server(path) as server:
        browser = server.browser()
        browser.cookies = cookies
        for _ in range(2):
            listed = await browser.get("/api/lobby")
            assert (listed.status_code, [table["code"] for table in listed.json()]) == (200, [sound])
            refused = await browser.get(f"/api/tables/{damaged}")
            assert (refused.status_code, refused.json()["code"]) == (500, "unreadable")
        async with server.connect(damaged, browser) as socket:
            answer = await receive(socket)
            assert isinstance(answer, Problem)
            assert answer.code is ErrorCode.UNREADABLE
            assert await close_code(socket) == CLOSED_NO_TABLE
        async with server.connect(sound, browser) as socket:
            await say_hello(socket)
            await send_command(socket, "s", Say("we go on"))
            while not isinstance(answer := await receive(socket), Done | Problem):
                pass
            assert isinstance(answer, Done)
        assert "liarsdice_unreadable_tables 1.0" in (await browser.get("/metrics")).text.splitlines()
        assert (await browser.get("/readyz")).status_code == 200


@contextmanager
def refuse_heartbeats(path: Path) -> Iterator[None]:
    """Let the database refuse to record that a server runs, while it can still be read."""
    with closing(sqlite3.connect(path)) as connection:
        for when in ("INSERT", "UPDATE"):
            connection.execute(
                f"CREATE TRIGGER full_{when} BEFORE {when} ON presence BEGIN SELECT RAISE(ABORT, 'disk full'); END"
            )
        yield
        connection.execute("DROP TRIGGER full_INSERT")
        connection.execute("DROP TRIGGER full_UPDATE")


async def test_a_server_is_not_ready_while_its_database_takes_nothing(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db") as server:
        browser = server.browser()
        with refuse_heartbeats(tmp_path / "db"):
            refused = await browser.get("/readyz")
        assert (refused.status_code, refused.json()["code"]) == (503, "try_again")
        assert (await browser.get("/readyz")).status_code == 200


async def test_a_server_is_not_ready_while_the_file_of_its_database_is_gone_or_another_one(tmp_path: Path) -> None:
    path, moved = tmp_path / "db", tmp_path / "moved"
    async with run_server(path) as server:
        browser = server.browser()
        path.rename(moved)
        gone = await browser.get("/readyz")
        path.touch()
        replaced = await browser.get("/readyz")
        assert [gone.status_code, replaced.status_code] == [503, 503]
        assert "deleted or replaced" in gone.json()["text"]
        moved.replace(path)
        assert (await browser.get("/readyz")).status_code == 200


async def test_a_move_is_refused_once_the_file_of_the_database_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "db"
    async with open_registry(path) as registry:
        live_table = await make_table(registry, "Ann")
        seq = (await live_table.state()).seq
        path.unlink()
        answer = await handle_message(registry, live_table, hash_token("Ann"), say("1", "lost"))
        assert isinstance(answer, Problem)
        assert (answer.code, answer.request_id) == (ErrorCode.DATABASE_LOST, "1")
        assert (await live_table.state()).seq == seq


@pytest.mark.parametrize("replaced", ["db", "db-wal"])
async def test_a_move_is_refused_once_a_file_of_the_database_is_another_one(tmp_path: Path, replaced: str) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann")
        (tmp_path / replaced).rename(tmp_path / "kept")
        (tmp_path / replaced).touch()
        lost = await handle_message(registry, live_table, hash_token("Ann"), say("1", "lost"))
        assert isinstance(lost, Problem)
        (tmp_path / "kept").replace(tmp_path / replaced)
        assert isinstance(await handle_message(registry, live_table, hash_token("Ann"), say("2", "kept")), Done)
        said = [item.content.text for item in (await live_table.state()).news if isinstance(item.content, Said)]
        assert said == ["kept"]


async def test_a_server_is_not_ready_while_its_database_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with run_server(tmp_path / "db") as server:
        browser = server.browser()
        with closing(sqlite3.connect(tmp_path / "db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with monkeypatch.context() as patched:
                patched.setattr(table_services, "CHECK_TIMEOUT_S", 0.01)
                refused = await browser.get("/readyz")
            other.execute("ROLLBACK")
        assert (refused.status_code, refused.json()["text"]) == (503, "the database does not answer in time")
        assert (await browser.get("/readyz")).status_code == 200


async def test_a_server_is_not_ready_if_its_database_forgets_what_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with run_server(tmp_path / "db") as server:

        async def forget() -> int:
            return 0

        monkeypatch.setattr(server.services.store, "last_heartbeat_ms", forget)
        assert (await server.browser().get("/readyz")).status_code == 503
