"""Databases on which no server can start or go on: it says what is wrong, in words, and breaks nothing."""

import resource
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
import pytest
from websockets.asyncio.client import ClientConnection, connect

from liarsdice.cli.exit_status import REFUSED
from liarsdice.server.http.auth import COOKIE
from liarsdice.server.protocol.messages import Do, Done, ErrorCode, Hello, Problem, Update
from liarsdice.server.table.commands import Say
from tests.faults.players import FROM_TABLE, Player, gather_table
from tests.processes import Server, logs_of, refusal
from tests.server.houses import open_house, table_of

WORDS = "a line of talk that fills the disk, " * 6


async def test_a_file_that_is_no_database_is_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    path.write_bytes(b"shopping list: milk, dice, cups " * 100)
    before = path.read_bytes()
    status, said = refusal(path)
    assert status == REFUSED
    assert f"the database {path} cannot be used: file is not a database" in said
    assert path.read_bytes() == before


async def test_a_database_of_a_newer_release_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    async with open_house(path) as rooms:
        await table_of(rooms, "Ann")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    status, said = refusal(path)
    assert status == REFUSED
    assert "the database was made by a newer release" in said
    assert len(logs_of(path)) == 1


async def test_a_folder_in_which_nothing_can_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    status, said = refusal(tmp_path / "file" / "tables.db")
    assert status == REFUSED
    assert "cannot be used" in said


@contextmanager
def no_file_grows(pid: int) -> Iterator[None]:
    """No file that a process writes can get longer for a while, as when the disk is full."""
    old = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, old[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, old)


async def _sat_down(line: ClientConnection) -> None:
    await line.send(msgspec.json.encode(Hello()).decode())
    while not isinstance(FROM_TABLE.decode(await line.recv()), Update):
        pass


async def _answer(line: ClientConnection, wish: str) -> Done | Problem:
    await line.send(msgspec.json.encode(Do(wish, Say(WORDS))).decode())
    while not isinstance(answer := FROM_TABLE.decode(await line.recv()), Done | Problem):
        pass
    return answer


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux sets the limits of another process")
async def test_a_full_disk_puts_wishes_off_and_the_server_goes_on_when_there_is_room_again(tmp_path: Path) -> None:
    server = Server(tmp_path / "tables.db", "--log-level", "warning")
    server.start()
    try:
        ann: Player = (await gather_table(server.address, ["Ann"], 1))[0]
        uri = f"{server.address.replace('http', 'ws', 1)}/ws/{ann.code}"
        async with connect(uri, additional_headers={"cookie": f"{COOKIE}={ann.token}"}, proxy=None) as line:
            await _sat_down(line)
            assert isinstance(await _answer(line, "before"), Done)
            with no_file_grows(server.pid):
                put_off = await _answer(line, "during")
                assert isinstance(put_off, Problem)
                assert put_off.code is ErrorCode.TRY_AGAIN
            assert isinstance(await _answer(line, "during"), Done)
            assert isinstance(await _answer(line, "after"), Done)
        assert server.stop() == 0
    finally:
        server.end()
    said = [row.wish.partition(":")[2] for row in logs_of(server.database)[ann.code] if row.wish]
    assert said == ["before", "during", "after"]
