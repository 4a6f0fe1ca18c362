"""The migrations lead to the schema that the program has, and running them again changes nothing."""

import ast
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import asyncpg
import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.ext.asyncio import create_async_engine

from liarsdice.core.errors import UnavailableError
from liarsdice.server.settings import PostgresUrl
from liarsdice.server.storage import migrations
from liarsdice.server.storage.administration import SqliteAdministration
from liarsdice.server.storage.db_schema import LATEST_VERSION, metadata, migrate, migrate_file, schema_version
from liarsdice.server.storage.postgres import PostgresStore

VERSIONS = Path(migrations.__file__).parent / "versions"


def test_the_migrations_lead_to_the_schema(tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'db'}")
    with engine.begin() as connection:
        migrate(connection)
        migrate(connection)
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()


def test_the_latest_version_is_the_last_migration(tmp_path: Path) -> None:
    assert ScriptDirectory(str(VERSIONS.parent)).get_current_head() == LATEST_VERSION
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'db'}")
    with engine.begin() as connection:
        assert schema_version(connection) is None
        migrate(connection)
        assert schema_version(connection) == LATEST_VERSION
    engine.dispose()


def test_a_server_starts_on_a_current_database_without_alembic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    migrate_file(tmp_path / "db")
    monkeypatch.setitem(sys.modules, "alembic", None)  # importing it fails from now on
    migrate_file(tmp_path / "db")


@pytest.mark.parametrize("schema", ["0004", str(int(LATEST_VERSION) + 1)])
def test_a_database_with_an_unknown_schema_is_refused_and_stays_as_it_is(tmp_path: Path, schema: str) -> None:
    path, known = tmp_path / "db", LATEST_VERSION
    migrate_file(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (schema,))
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(UnavailableError, match=rf"schema {schema}, this release knows {known}\); run the release"):
        migrate_file(path)
    with pytest.raises(
        UnavailableError, match=rf"of another release \(schema {schema}, not {known}\); use that release"
    ):
        SqliteAdministration(path).list_tables()
    assert path.read_bytes() == before


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


ADDITIVE = {"create_table", "create_index", "add_column", "get_bind", "f"}
"""What a migration may do: nodes of the release before go on with the database meanwhile."""


@pytest.mark.parametrize("path", sorted(VERSIONS.glob("v*.py")), ids=lambda path: path.stem)
def test_a_migration_only_adds_so_that_nodes_of_the_release_before_go_on(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    upgrade = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "upgrade")
    calls = {
        node.func.attr
        for node in ast.walk(upgrade)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "op"
    }
    assert calls <= ADDITIVE
    columns = [call for call in ast.walk(upgrade) if isinstance(call, ast.Call) and _is_column_of(call, "add_column")]
    assert all("server_default" in ast.unparse(call) or "nullable=False" not in ast.unparse(call) for call in columns)


def _is_column_of(call: ast.Call, name: str) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == name
