"""A damaged table is refused by itself: all others are listed and played, and readiness says what the database does."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest

from liarsdice.server import services
from liarsdice.server.http.auth import hash_token
from liarsdice.server.http.websocket import CLOSED_NO_TABLE, handle_message
from liarsdice.server.protocol.encoding import ENCODER
from liarsdice.server.protocol.error_codes import ErrorCode
from liarsdice.server.protocol.messages import CommandRequest, Done, Problem
from liarsdice.server.table.commands import Say
from liarsdice.server.table.public_events import Said
from tests.server.live_tables import make_table, open_registry
from tests.server.running_server import RunningServer, close_code, receive, run_server, say_hello, send_command

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
                patched.setattr(services, "CHECK_TIMEOUT_S", 0.01)
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
