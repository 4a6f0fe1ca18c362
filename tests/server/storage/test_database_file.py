"""The files of a database: who may read them, who may use them, and their schema."""

import ast
import os
import sqlite3
import stat
import sys
from collections.abc import Iterator
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
from liarsdice.server.storage.database_file import SIDE_SUFFIXES, lock_database
from liarsdice.server.storage.db_schema import LATEST_VERSION, metadata, migrate, migrate_file, schema_version
from liarsdice.server.storage.postgres import PostgresStore
from liarsdice.server.storage.sqlite import SqliteStore
from tests.server.storage.stored_tables import append

USUAL_UMASK = 0o022


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    """New files may be read by everybody unless a program says otherwise."""
    before = os.umask(USUAL_UMASK)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def modes_in(folder: Path) -> set[int]:
    return {mode(file) for file in folder.iterdir()}


async def test_a_new_database_can_be_read_by_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "state" / "liarsdice" / "server.db"
    store = SqliteStore(path)
    await store.open(0)
    await append(store, "ABCD", 1_000, None, listed=True)
    files = sorted(file.name for file in path.parent.iterdir())
    assert files == ["server.db", "server.db-shm", "server.db-wal", "server.db.lock"]
    assert modes_in(path.parent) == {0o600}
    assert [mode(folder) for folder in (path.parent, path.parent.parent)] == [0o700, 0o700]
    await store.close()


async def test_a_database_that_others_could_read_is_closed_to_them_and_its_folder_keeps_its_mode(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "shared"
    folder.mkdir(0o755)
    path = folder / "server.db"
    path.touch(0o644)
    store = SqliteStore(path)
    await store.open(0)
    await append(store, "ABCD", 1_000, None, listed=True)
    assert modes_in(folder) == {0o600}
    assert mode(folder) == 0o755
    await store.close()


async def test_the_files_that_a_killed_server_left_are_closed_to_others(tmp_path: Path) -> None:
    path = tmp_path / "server.db"
    store = SqliteStore(path)
    await store.open(0)
    left = [path.with_name(path.name + suffix) for suffix in SIDE_SUFFIXES]
    for file in (path, *left):
        if file.exists():
            file.chmod(0o644)
    copies = {file.name: file.read_bytes() for file in (path, *left) if file.exists()}
    await store.close()
    for name, content in copies.items():
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(0o644)
    again = SqliteStore(path)
    await again.open(0)
    assert modes_in(tmp_path) == {0o600}
    await again.close()


async def test_a_second_server_on_a_database_is_refused_until_the_first_has_closed_it(tmp_path: Path) -> None:
    path = tmp_path / "server.db"
    (tmp_path / "link.db").symlink_to(path)
    first = SqliteStore(path)
    await first.open(0)
    for name in ("server.db", "link.db"):
        second = SqliteStore(tmp_path / name)
        with pytest.raises(UnavailableError, match=rf"another server \(process {os.getpid()}\) uses the database"):
            await second.open(0)
        await second.close()
    await first.close()
    third = SqliteStore(path)
    await third.open(0)
    await third.close()


async def test_a_database_with_a_hard_link_is_refused_under_both_names(tmp_path: Path) -> None:
    path, other = tmp_path / "server.db", tmp_path / "other.db"
    first = SqliteStore(path)
    await first.open(0)
    other.hardlink_to(path)
    with pytest.raises(UnavailableError, match="2 names"):
        await SqliteStore(other).open(0)
    await first.close()
    with pytest.raises(UnavailableError, match="2 names"):
        await SqliteStore(path).open(0)
    other.unlink()
    again = SqliteStore(path)
    await again.open(0)
    await again.close()


async def test_a_database_that_cannot_be_used_is_not_left_locked(tmp_path: Path) -> None:
    path = tmp_path / "server.db"
    path.write_bytes(b"shopping list: milk, dice, cups " * 100)
    path.chmod(0o644)
    with pytest.raises(UnavailableError, match="file is not a database"):
        await SqliteStore(path).open(0)
    assert mode(path) == 0o644, "a file that is no database was changed"
    os.close(lock_database(path))


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
