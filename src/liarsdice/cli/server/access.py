"""How the commands of an operator reach a database: the option `--database`, and the access that fits its kind."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from liarsdice.cli.arguments import setting_option
from liarsdice.server.settings import Settings, read_settings, require_postgresql

if TYPE_CHECKING:
    from liarsdice.server.storage.administration import Administration

Database = Annotated[str | None, setting_option("database")]
KeyFile = Annotated[str | None, setting_option("key_file")]


def open_settings(database: str | None, key_file: str | None = None) -> Settings:
    """Return the settings of the server from these options, None to take the environment or the default."""
    return read_settings({"database": database, "key_file": key_file}, os.environ)


def database_of(settings: Settings) -> Administration:
    """Return the access to a database. Raises `UnavailableError` if its driver is missing."""
    if isinstance(settings.database, Path):
        from liarsdice.server.storage.administration import SqliteAdministration

        return SqliteAdministration(settings.database)
    require_postgresql()
    from liarsdice.server.storage.postgres import PostgresAdministration

    return PostgresAdministration(settings.database, settings.key_base)


def existing_database(settings: Settings) -> Administration:
    """Return the access to a database. Raises `UnavailableError` if there is none, which no audit log should record."""
    administration = database_of(settings)
    administration.require_database()
    return administration
