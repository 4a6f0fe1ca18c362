"""The migrations lead to the schema that the program has, and running them again changes nothing."""

from pathlib import Path

import asyncpg
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.ext.asyncio import create_async_engine

from liarsdice.server.database_url import PostgresUrl
from liarsdice.server.storage.db_schema import metadata
from liarsdice.server.storage.migrate import migrate
from liarsdice.server.storage.postgres import PostgresStore


def test_the_migrations_lead_to_the_schema(tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'db'}")
    with engine.begin() as connection:
        migrate(connection)
        migrate(connection)
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()


async def test_the_migrations_lead_to_the_same_schema_in_postgresql(postgres_url: PostgresUrl) -> None:
    for _ in range(2):
        store = PostgresStore(postgres_url)
        await store.open(0)
        await store.close()
    engine = create_async_engine(
        "postgresql+asyncpg://", async_creator=lambda: asyncpg.connect(postgres_url.url), poolclass=sa.NullPool
    )
    async with engine.connect() as connection:
        assert await connection.run_sync(_differences) == []
    await engine.dispose()


def _differences(connection: sa.Connection) -> list[object]:
    return list(compare_metadata(MigrationContext.configure(connection), metadata))
