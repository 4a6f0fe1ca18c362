"""The tests of a database run on each kind of it."""

from pathlib import Path

import pytest

from tests.server.storage.stored_tables import PostgresTables, SqliteTables, StoredTables


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> StoredTables:
    """A new database without tables."""
    if request.param == "sqlite":
        return SqliteTables(tmp_path / "db")
    return PostgresTables(request.getfixturevalue("postgres_url"), tmp_path / "postgresql")
