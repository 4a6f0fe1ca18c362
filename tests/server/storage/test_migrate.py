"""The migrations lead to the schema that the program has, and running them again changes nothing."""

from pathlib import Path

import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from liarsdice.server.storage.db_schema import metadata
from liarsdice.server.storage.migrate import migrate


def test_the_migrations_lead_to_the_schema(tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'db'}")
    with engine.begin() as connection:
        migrate(connection)
        migrate(connection)
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()
