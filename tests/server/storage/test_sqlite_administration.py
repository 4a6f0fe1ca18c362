"""What an operator does with a SQLite file: damaged ones, and what is left beside one."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.server.storage.administration import SqliteAdministration
from tests.server.storage.stored_tables import SqliteTables
from tests.server.storage.test_administration import fill


@pytest.mark.parametrize("left", ["db", "db-wal"])
async def test_a_backup_is_not_restored_beside_a_file_of_another_database(tmp_path: Path, left: str) -> None:
    """SQLite would play the write-ahead log of another database into the restored one."""
    await fill(SqliteTables(tmp_path / "source"))
    SqliteAdministration(tmp_path / "source").back_up(tmp_path / "copy")
    folder = tmp_path / "server"
    folder.mkdir()
    (folder / left).touch()
    with pytest.raises(UnavailableError, match=f"there is a file already: .*/{left};"):
        SqliteAdministration(folder / "db").restore(tmp_path / "copy")


async def test_a_damaged_database_is_not_taken_for_a_backup(tmp_path: Path) -> None:
    path = tmp_path / "db"
    await fill(SqliteTables(path))
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'tables_due'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    with pytest.raises(UnavailableError, match=r"is damaged|malformed"):
        SqliteAdministration(path).back_up(tmp_path / "copy")
    assert not await asyncio.to_thread(lambda: list(tmp_path.glob("copy*")))
