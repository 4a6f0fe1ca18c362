"""The tests of a database run on each kind of it."""

from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from liarsdice.server.settings import PostgresUrl
from tests.server.storage.stored_tables import PostgresTables, SqliteTables, StoredTables


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> StoredTables:
    """A new database without tables."""
    if request.param == "sqlite":
        return SqliteTables(tmp_path / "db")
    return PostgresTables(request.getfixturevalue("postgres_url"), tmp_path / "postgresql")


@pytest.fixture
async def administrator(postgres_url: PostgresUrl) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    """A connection of somebody else to the database."""
    connection = await asyncpg.connect(postgres_url.url)
    yield connection
    await connection.close()
