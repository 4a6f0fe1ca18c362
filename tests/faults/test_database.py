"""Databases that a server cannot use: it says what is wrong and leaves the file as it is."""

import resource
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
import pytest
from websockets.asyncio.client import ClientConnection, connect

from liarsdice.cli.stdio import EXIT_ERROR
from liarsdice.server.http.auth import COOKIE
from liarsdice.server.protocol.error_codes import ErrorCode
from liarsdice.server.protocol.messages import CommandRequest, Done, Hello, Problem, Update
from liarsdice.server.table.commands import Lock
from tests.faults.players import FROM_TABLE, Player, gather_table
from tests.processes import Server, logs_of, refusal
from tests.server.live_tables import make_table, open_registry


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
