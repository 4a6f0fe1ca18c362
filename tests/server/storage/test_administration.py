"""An operator lists, deletes, backs up and restores the tables of a database."""

import asyncio
import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.server.settings import signing_key_path
from liarsdice.server.storage.administration import (
    TableRow,
    back_up,
    list_tables,
    prune_tables,
    remove_table,
    restore,
)
from liarsdice.server.storage.database_file import lock_database
from liarsdice.server.storage.secret_file import key_path, read_or_create_secret
from liarsdice.server.storage.sqlite import SqliteStore
from tests.compatibility.readings import FILES
from tests.server.storage.stored_tables import append

OLD_DATABASE = FILES / "databases" / "server.db"
DAY_MS = 24 * 3600 * 1000


async def fill(path: Path, *, stopped_at_ms: int = 0) -> None:
    """Three tables that changed on days 1, 2 and 3; the first one has a deadline at the end of day 5."""
    store = SqliteStore(path)
    await store.open(0)
    await append(store, "OLDEST", DAY_MS, 5 * DAY_MS, listed=False)
    await append(store, "MIDDLE", 2 * DAY_MS, None, listed=True)
    await append(store, "LATEST", 3 * DAY_MS, None, listed=False)
    await store.heartbeat(stopped_at_ms)
    await store.close()


def codes(path: Path) -> list[str]:
    return [table.code for table in list_tables(path)]


def column(path: Path, query: str) -> list[object]:
    with closing(sqlite3.connect(path)) as connection:
        return [row[0] for row in connection.execute(query)]


async def test_tables_are_listed_with_the_latest_change_first_while_a_server_runs(tmp_path: Path) -> None:
    await fill(tmp_path / "db")
    tables = [
        TableRow("LATEST", 1, False, None, 3 * DAY_MS),
        TableRow("MIDDLE", 1, True, None, 2 * DAY_MS),
        TableRow("OLDEST", 1, False, 5 * DAY_MS, DAY_MS),
    ]
    assert list_tables(tmp_path / "db") == tables
    store = SqliteStore(tmp_path / "db")
    await store.open(4 * DAY_MS)
    assert [table.code for table in list_tables(tmp_path / "db")] == [table.code for table in tables]
    await store.close()


def test_the_tables_of_an_earlier_release_are_listed_and_the_file_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "server.db"
    path.write_bytes(OLD_DATABASE.read_bytes())
    assert len(list_tables(path)) >= 1
    assert path.read_bytes() == OLD_DATABASE.read_bytes()


async def test_a_removed_table_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "db"
    await fill(path)
    remove_table(path, "MIDDLE")
    assert codes(path) == ["LATEST", "OLDEST"]
    assert "MIDDLE" not in column(path, "SELECT code FROM entries")
    with pytest.raises(UnavailableError, match="has no table 'MIDDLE'"):
        remove_table(path, "MIDDLE")


def test_a_table_of_an_earlier_release_can_be_removed(tmp_path: Path) -> None:
    path = tmp_path / "server.db"
    path.write_bytes(OLD_DATABASE.read_bytes())
    for code in codes(path):
        remove_table(path, code)
    assert codes(path) == []


async def test_pruning_deletes_old_tables_but_none_whose_clock_ran_when_the_server_stopped(tmp_path: Path) -> None:
    path = tmp_path / "db"
    await fill(path, stopped_at_ms=4 * DAY_MS)
    assert prune_tables(path, 3 * DAY_MS) == 1
    assert codes(path) == ["LATEST", "OLDEST"]


async def test_pruning_deletes_a_table_whose_deadline_passed_before_the_server_stopped(tmp_path: Path) -> None:
    path = tmp_path / "db"
    await fill(path, stopped_at_ms=6 * DAY_MS)
    assert prune_tables(path, 3 * DAY_MS) == 2
    assert codes(path) == ["LATEST"]


async def test_nothing_is_changed_while_a_server_runs(tmp_path: Path) -> None:
    path = tmp_path / "db"
    await fill(path)
    back_up(path, tmp_path / "copy")
    before = codes(path)
    store = SqliteStore(path)
    await store.open(0)
    running = rf"another server \(process {os.getpid()}\) uses the database"
    with pytest.raises(UnavailableError, match=running):
        remove_table(path, "MIDDLE")
    with pytest.raises(UnavailableError, match=running):
        prune_tables(path, 3 * DAY_MS)
    with pytest.raises(UnavailableError, match=running):
        restore(tmp_path / "copy", path)
    await store.close()
    assert codes(path) == before


async def test_a_backup_and_what_it_restores_have_all_tables_and_the_keys_for_their_owner_only(tmp_path: Path) -> None:
    path, copy, target = tmp_path / "db", tmp_path / "copy.db", tmp_path / "new" / "db"
    await fill(path)
    secret = read_or_create_secret(key_path(path), "the key")
    signing_secret = read_or_create_secret(signing_key_path(path), "the signing key")
    back_up(path, copy)
    restore(copy, target)
    for database in (copy, target):
        assert column(database, "SELECT body FROM entries") == column(path, "SELECT body FROM entries")
        assert key_path(database).read_bytes() == secret
        assert signing_key_path(database).read_bytes() == signing_secret
        files = (database, key_path(database), signing_key_path(database))
        modes = {stat.S_IMODE(file.stat().st_mode) for file in files}
        assert modes == {0o600}
    store = SqliteStore(target)
    await store.open(0)
    await store.close()


async def test_a_backup_replaces_no_file(tmp_path: Path) -> None:
    await fill(tmp_path / "db")
    (tmp_path / "copy").write_text("shopping list", encoding="utf-8")
    with pytest.raises(UnavailableError, match="there is a file already"):
        back_up(tmp_path / "db", tmp_path / "copy")
    assert (tmp_path / "copy").read_text(encoding="utf-8") == "shopping list"


@pytest.mark.parametrize("left", ["db", "db-wal", "db.key", "db.signing-key"])
async def test_a_backup_is_not_restored_beside_a_file_of_another_database(tmp_path: Path, left: str) -> None:
    """SQLite would play the write-ahead log of another database into the restored one."""
    await fill(tmp_path / "source")
    back_up(tmp_path / "source", tmp_path / "copy")
    folder = tmp_path / "server"
    folder.mkdir()
    (folder / left).touch()
    with pytest.raises(UnavailableError, match=f"there is a file already: .*/{left};"):
        restore(tmp_path / "copy", folder / "db")


async def test_a_damaged_database_is_not_taken_for_a_backup(tmp_path: Path) -> None:
    path = tmp_path / "db"
    await fill(path)
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'tables_due'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    with pytest.raises(UnavailableError, match=r"is damaged|malformed"):
        back_up(path, tmp_path / "copy")
    assert not await asyncio.to_thread(lambda: list(tmp_path.glob("copy*")))


def test_what_is_no_database_of_the_server_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other")) as connection:
        connection.execute("CREATE TABLE recipes (name)")
    (tmp_path / "text").write_text("shopping list " * 100, encoding="utf-8")
    with pytest.raises(UnavailableError, match="there is no database"):
        list_tables(tmp_path / "none")
    with pytest.raises(UnavailableError, match="no such table: tables"):
        restore(tmp_path / "other", tmp_path / "db")
    with pytest.raises(UnavailableError, match="file is not a database"):
        restore(tmp_path / "text", tmp_path / "db")
    os.close(lock_database(tmp_path / "db"))
