"""`liarsdice admin`: what an operator does with the tables of a server. Every change goes into the audit log."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from liarsdice.cli.arguments import setting_option
from liarsdice.core.errors import UnavailableError
from liarsdice.server.settings import Settings, read_settings

DAY_MS = 24 * 3600 * 1000
MAX_DAYS = 36_500

Database = Annotated[str | None, setting_option("database")]

admin_app = typer.Typer(help="Look after the database of a server: list, export, delete, back up, restore.")


@admin_app.command("tables")
def tables(database: Database = None) -> None:
    """List all tables, the latest change first. A server may run at the same time.

    Who knows the code of a table can open it, so keep the list to yourself.
    """
    from liarsdice.cli.server.table_list import table_lines
    from liarsdice.server.storage.administration import list_tables

    for line in table_lines(list_tables(_file(database))):
        print(line)


@admin_app.command("export")
def export(
    folder: Annotated[str, typer.Argument(help="The folder to write to; records that are in it are kept.")],
    table: Annotated[str | None, typer.Option(metavar="CODE", help="Only the matches of this table.")] = None,
    database: Database = None,
) -> None:
    """Write the records of all finished matches to a folder. A server may run at the same time."""
    from liarsdice.cli.server.export_records import run
    from liarsdice.server.storage.audit_log import audited

    path = _existing(database)
    with audited(path, "export", folder=folder, table=table or ""):
        status = run(folder, path, _settings(database).key_file, table)
    raise typer.Exit(status)


@admin_app.command("remove")
def remove(
    codes: Annotated[list[str], typer.Argument(metavar="CODE...", help="The codes of the tables.")],
    database: Database = None,
) -> None:
    """Delete tables with their logs and the records of their matches. Stop the server first."""
    from liarsdice.server.storage.administration import remove_table
    from liarsdice.server.storage.audit_log import audited

    path = _existing(database)
    for code in codes:
        with audited(path, "remove", table=code):
            remove_table(path, code)
        print(f"Table {code} is deleted.")


@admin_app.command("prune")
def prune(
    days: Annotated[int, typer.Option(min=1, max=MAX_DAYS, help="For how many days a table must not have changed.")],
    database: Database = None,
) -> None:
    """Delete old tables with their logs and the records of their matches. Stop the server first.

    A server that runs does the same by itself with --keep-days.
    """
    import time

    from liarsdice.server.storage.administration import prune_tables
    from liarsdice.server.storage.audit_log import audited

    path = _existing(database)
    with audited(path, "prune", days=days) as command:
        count = prune_tables(path, int(time.time() * 1000) - days * DAY_MS)
        command.result = f"deleted {count}"
    print(f"Tables deleted: {count}.")


@admin_app.command("backup")
def backup(
    file: Annotated[
        Path, typer.Argument(help="The new file; the keys beside the database go to FILE.key and FILE.signing-key.")
    ],
    database: Database = None,
) -> None:
    """Copy the database to a new file. A server may run at the same time.

    The copy contains hidden dice, like the database; only the account that runs this can read it.
    """
    from liarsdice.server.storage.administration import back_up
    from liarsdice.server.storage.audit_log import audited

    path = _existing(database)
    with audited(path, "backup", file=str(file)):
        back_up(path, file)
    print(f"The database {path} is copied to {file}.")


@admin_app.command("restore")
def restore(
    file: Annotated[Path, typer.Argument(help="A file that `liarsdice admin backup` wrote.")],
    database: Database = None,
) -> None:
    """Copy a backup to the place of the database. Stop the server and move the old database away first."""
    from liarsdice.server.storage import administration
    from liarsdice.server.storage.audit_log import audited
    from liarsdice.server.storage.database_file import make_folder

    path = _file(database)
    make_folder(path.parent)
    with audited(path, "restore", file=str(file)):
        administration.restore(file, path)
    print(f"The database {path} is restored from {file}.")


def _settings(database: str | None) -> Settings:
    return read_settings({"database": database}, os.environ)


def _file(database: str | None) -> Path:
    """Return the file of a SQLite database. Raises `UnavailableError` for PostgreSQL, which has tools of its own."""
    path = _settings(database).database
    if isinstance(path, Path):
        return path
    raise UnavailableError(f"these commands are for SQLite files; use the tools of PostgreSQL for {path}")


def _existing(database: str | None) -> Path:
    """Return the path of a database. Raises `UnavailableError` if there is none, which no audit log should record."""
    from liarsdice.server.storage.administration import require_database

    path = _file(database)
    require_database(path)
    return path
