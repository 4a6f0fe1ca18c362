"""`liarsdice admin`: what an operator does with the tables of a server. Every change goes into the audit log."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from liarsdice.cli.server import bans, promise_key, tokens
from liarsdice.cli.server.access import Database, database_of, existing_database, open_settings

DAY_MS = 24 * 3600 * 1000
MAX_DAYS = 36_500

admin_app = typer.Typer(help="Look after a server: its tables, their records, backups, and who is excluded.")
admin_app.add_typer(bans.ban_app, name="ban")
admin_app.add_typer(tokens.token_app, name="token")
admin_app.add_typer(promise_key.promise_key_app, name="promise-key")


@admin_app.command("tables")
def tables(database: Database = None) -> None:
    """List all tables, the latest change first. A server may run at the same time.

    Who knows the code of a table can open it, so keep the list to yourself.
    """
    from liarsdice.cli.server.table_list import table_lines

    for line in table_lines(database_of(open_settings(database)).list_tables()):
        print(line)


@admin_app.command("nodes")
def nodes(database: Database = None) -> None:
    """List the servers that use the database now, with digests of their keys and of the settings that they share.

    Both must be the same for all of them.
    """
    from liarsdice.cli.stdio import align_columns

    rows = existing_database(open_settings(database)).list_nodes()
    for line in align_columns(
        [
            ("machine", "process", "keys", "settings"),
            *((row.machine, row.process, row.keys, row.settings) for row in rows),
        ]
    ):
        print(line)


@admin_app.command("reports")
def reports(database: Database = None) -> None:
    """List what players have reported of each other, the latest last. A server may run at the same time.

    Each report has the latest lines that the reported player had said. `liarsdice admin ban add` excludes a player.
    """
    from liarsdice.server.storage.audit_log import read_reports

    for entry in read_reports(open_settings(database).key_base):
        about = entry.arguments
        print(f"{entry.at}  table {about['table']}: {about['player']}, reported by {about['by']}")
        for line in str(about["said"]).splitlines():
            print(f"    {line}")


@admin_app.command("export")
def export(
    folder: Annotated[str, typer.Argument(help="The folder to write to; records that are in it are kept.")],
    table: Annotated[str | None, typer.Option(metavar="CODE", help="Only the matches of this table.")] = None,
    database: Database = None,
) -> None:
    """Write the records of all finished matches to a folder. A server may run at the same time."""
    from liarsdice.cli.server.export_records import run
    from liarsdice.server.storage.audit_log import audited

    settings = open_settings(database)
    administration = existing_database(settings)
    with audited(settings.key_base, "export", folder=folder, table=table or ""):
        status = run(folder, administration, settings.key_file, table)
    raise typer.Exit(status)


@admin_app.command("remove")
def remove(
    codes: Annotated[list[str], typer.Argument(metavar="CODE...", help="The codes of the tables.")],
    database: Database = None,
) -> None:
    """Delete tables with their logs and the records of their matches. Stop the server first."""
    from liarsdice.server.storage.audit_log import audited

    settings = open_settings(database)
    administration = existing_database(settings)
    for code in codes:
        with audited(settings.key_base, "remove", table=code):
            administration.remove_table(code)
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

    from liarsdice.server.storage.audit_log import audited

    settings = open_settings(database)
    administration = existing_database(settings)
    with audited(settings.key_base, "prune", days=days) as command:
        count = administration.prune_tables(int(time.time() * 1000) - days * DAY_MS)
        command.result = f"deleted {count}"
    print(f"Tables deleted: {count}.")


@admin_app.command("backup")
def backup(
    file: Annotated[
        Path, typer.Argument(help="The new file; the keys of the server go to FILE.key and FILE.signing-key.")
    ],
    database: Database = None,
) -> None:
    """Copy the database to a new SQLite file, also from PostgreSQL. A server may run at the same time.

    The copy contains hidden dice, like the database; only the account that runs this can read it.
    """
    from liarsdice.server.storage.audit_log import audited

    settings = open_settings(database)
    administration = existing_database(settings)
    with audited(settings.key_base, "backup", file=str(file)):
        administration.back_up(file)
    print(f"The database {administration} is copied to {file}.")


@admin_app.command("restore")
def restore(
    file: Annotated[Path, typer.Argument(help="A file that `liarsdice admin backup` wrote.")],
    database: Database = None,
) -> None:
    """Copy a backup to the place of the database: a SQLite file that isn't there, or an empty PostgreSQL database.

    The backup may come from either kind. Stop the server and move the old database and its keys away first.
    """
    from liarsdice.server.storage.audit_log import audited

    settings = open_settings(database)
    administration = database_of(settings)
    with audited(settings.key_base, "restore", file=str(file)):
        administration.restore(file)
    print(f"The database {administration} is restored from {file}.")
