"""Migrates a database to the schema of this release when the server starts.

It is a module of its own because nothing else needs alembic. Loading alembic takes longer than starting the rest of a
server's database, so a database that has the schema already is recognised without it.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import URL, Connection, create_engine

from liarsdice.core.errors import UnavailableError

LATEST_VERSION = "1"
"""The last migration in `migrations/versions`."""


def migrate(connection: Connection) -> None:
    """Run all migrations that are missing. Raises `UnavailableError` if the schema of the database is unknown."""
    version = schema_version(connection)
    if version == LATEST_VERSION:
        return
    from alembic import command  # noqa: PLC0415  see above
    from alembic.config import Config  # noqa: PLC0415
    from alembic.util import CommandError  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise UnavailableError(
            f"the database was made by a newer release, or by one before 1.0 (schema {version}, this release knows"
            f" {LATEST_VERSION}); run the release that made it, or name another database with --database"
        ) from error


def schema_version(connection: Connection) -> str | None:
    """Return the latest migration that a database has had, None for a database without one."""
    if not connection.dialect.has_table(connection, "alembic_version"):
        return None
    version: str | None = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return version


def migrate_file(path: Path) -> None:
    """Run all migrations that a SQLite file lacks. Raises as `migrate`, and `SQLAlchemyError` if that fails."""
    engine = create_engine(URL.create("sqlite", database=str(path)))
    try:
        with engine.begin() as connection:
            migrate(connection)
    finally:
        engine.dispose()
