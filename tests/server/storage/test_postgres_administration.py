"""What an operator does with a PostgreSQL database: old schemas, backups while players act, and databases in use."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.server.settings import PostgresUrl
from liarsdice.server.storage.administration import PostgresAdministration
from liarsdice.server.storage.store import LogAppend, Store
from liarsdice.server.table.log_entries import LogRow, Resumed
from tests.server.storage.stored_tables import PostgresTables, SqliteTables, append
from tests.server.storage.test_administration import codes, fill, run

LAST_SEQ = 400


@pytest.fixture
def tables(postgres_url: PostgresUrl, tmp_path: Path) -> PostgresTables:
    return PostgresTables(postgres_url, tmp_path / "postgresql")


async def test_a_backup_has_one_state_of_all_tables_while_a_server_writes(
    tables: PostgresTables, tmp_path: Path
) -> None:
    """Each entry is appended to the second table only after the same one of the first table."""
    store = await tables.open()
    for code in ("AAAA", "BBBB"):
        await append(store, code, 1, None, listed=False)
    writing = asyncio.create_task(write_in_turns(store))
    copies = [tmp_path / f"copy{number}.db" for number in range(3)]
    for copy in copies:
        await run(tables.administration.back_up, copy)
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    await store.close()
    for copy in copies:
        with closing(sqlite3.connect(copy)) as connection:
            heads = dict(connection.execute("SELECT code, head FROM tables").fetchall())
            counts = dict(connection.execute("SELECT code, count(*) FROM entries GROUP BY code").fetchall())
        assert counts == heads, "a log has not the entries that its table counts"
        assert heads["AAAA"] - heads["BBBB"] in (0, 1)


async def write_in_turns(store: Store) -> None:
    for seq in range(1, LAST_SEQ):
        for code in ("AAAA", "BBBB"):
            row = LogRow(seq + 1, seq, "", Resumed())
            assert await store.append(LogAppend(code, seq, (row,), None, listed=False))


async def test_a_backup_is_restored_to_an_empty_database_only(tables: PostgresTables, tmp_path: Path) -> None:
    await fill(tables)
    source = SqliteTables(tmp_path / "source")
    await fill(source)
    await run(source.administration.remove_table, "LATEST")
    await run(source.administration.back_up, tmp_path / "copy")
    with pytest.raises(UnavailableError, match="has tables already"):
        await run(tables.administration.restore, tmp_path / "copy")
    assert await codes(tables) == ["LATEST", "MIDDLE", "OLDEST"]


async def test_a_database_of_another_release_is_not_backed_up(tables: PostgresTables, tmp_path: Path) -> None:
    await fill(tables)
    await tables.execute("UPDATE alembic_version SET version_num = '0001'")
    with pytest.raises(UnavailableError, match=r"of another release \(schema 0001, not 1"):
        await run(tables.administration.back_up, tmp_path / "copy")
    assert [file.name for file in await run(lambda: list(tmp_path.iterdir()))] == []


async def test_a_damaged_log_is_named_and_all_others_are_read(tables: PostgresTables) -> None:
    await fill(tables)
    await tables.execute("UPDATE entries SET body = 'nonsense' WHERE code = 'MIDDLE'")
    logs = await run(lambda: dict(tables.administration.read_logs()))
    assert str(logs["MIDDLE"]) == "the log of table MIDDLE cannot be read: entry 1 (DecodeError)"
    assert len(logs["LATEST"]) == len(logs["OLDEST"]) == 1  # type: ignore[arg-type]  # they are no errors


async def test_a_database_that_cannot_be_used_is_named_without_its_password(tmp_path: Path) -> None:
    url = PostgresUrl(f"postgresql://ann:s3cr3t@/dice?host={tmp_path}")
    with pytest.raises(UnavailableError, match="the database postgresql:///dice cannot be used") as caught:
        await run(PostgresAdministration(url, tmp_path / "postgresql").list_tables)
    assert "s3cr3t" not in str(caught.value)
