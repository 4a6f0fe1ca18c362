"""Migrates a database to the schema of this release when the server starts.

It is a module of its own because nothing else needs alembic.
"""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.util import CommandError
from sqlalchemy import URL, Connection, create_engine

from liarsdice.core.errors import UnavailableError


def migrate(connection: Connection) -> None:
    """Run all migrations that are missing. Raises `UnavailableError` if a newer release wrote the database."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise UnavailableError(
            f"the database was made by a newer release ({error}); upgrade liarsdice, or name another with --database"
        ) from error


def schema_version(connection: Connection) -> str | None:
    """Return the latest migration that a database has had, None for a database without one."""
    return MigrationContext.configure(connection).get_current_revision()


def migrate_file(path: Path) -> None:
    """Run all migrations that a SQLite file lacks. Raises as `migrate`, and `SQLAlchemyError` if that fails."""
    engine = create_engine(URL.create("sqlite", database=str(path)))
    try:
        with engine.begin() as connection:
            migrate(connection)
    finally:
        engine.dispose()
