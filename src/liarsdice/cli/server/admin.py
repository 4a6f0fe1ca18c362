"""`liarsdice admin`: what an operator does with the tables of a server. Every change goes into the audit log."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from liarsdice.cli.arguments import setting_option
from liarsdice.cli.stdio import EXIT_ERROR, align_columns, format_minute, print_error
from liarsdice.core.errors import MalformedError, UnavailableError, counted
from liarsdice.runtime.atomic_files import write_atomically
from liarsdice.server.errors import UnreadableTableError
from liarsdice.server.settings import Settings, TokenScope, read_settings, require_postgresql
from liarsdice.server.storage.audit_log import audited, read_reports
from liarsdice.server.storage.signing_keys import (
    key_path,
    read_or_create_secret,
    read_signing_keys,
    rotate_signing_key,
)

if TYPE_CHECKING:
    from liarsdice.server.http.match_api import FinishedMatch
    from liarsdice.server.storage.administration import Administration, BanHash, TableRow


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


def open_database(database: str | None) -> tuple[Settings, Administration]:
    """Return the settings, and the access to a database that exists, so that no audit log records a missing one.

    Raises `UnavailableError` if there is none.
    """
    settings = open_settings(database)
    administration = database_of(settings)
    administration.require_database()
    return settings, administration


DAY_MS = 24 * 3600 * 1000
MAX_DAYS = 36_500

HOUR_MS = 3_600_000
MAX_HOURS = 24 * 36_500
MAX_NOTE_LENGTH = 200
BAN_HEAD = ("ban", "of", "since (UTC)", "until (UTC)", "note")
MAX_NAME_LENGTH = 40
TOKEN_HEAD = ("name", "scopes", "since (UTC)", "until (UTC)")
NODE_HEAD = ("machine", "process", "keys", "settings")
TABLE_HEAD = ("code", "entries", "lobby", "next deadline (UTC)", "last change (UTC)")

admin_app = typer.Typer(help="Look after a server: its tables, their records, backups, and who is excluded.")
ban_app = typer.Typer(help="Exclude people from the server. Servers that run enforce it within seconds.")
token_app = typer.Typer(help="Give tokens to programs that play here. Servers that run know of them within seconds.")
promise_key_app = typer.Typer(help="The key that signs the records of a server and stands in its promises.")
admin_app.add_typer(ban_app, name="ban")
admin_app.add_typer(token_app, name="token")
admin_app.add_typer(promise_key_app, name="promise-key")


@admin_app.command("tables")
def tables(database: Database = None) -> None:
    """List all tables, the latest change first. A server may run at the same time.

    Who knows the code of a table can open it, so keep the list to yourself.
    """
    print(*table_lines(database_of(open_settings(database)).list_tables()), sep="\n")


@admin_app.command("nodes")
def nodes(database: Database = None) -> None:
    """List the servers that use the database now, with digests of their keys and of the settings that they share.

    Both must be the same for all of them.
    """
    _, administration = open_database(database)
    rows = [(row.machine, row.process, row.keys, row.settings) for row in administration.list_nodes()]
    print(*align_columns([NODE_HEAD, *rows]), sep="\n")


@admin_app.command("reports")
def reports(database: Database = None) -> None:
    """List what players have reported of each other, the latest last. A server may run at the same time.

    Each report has the latest lines that the reported player had said. `liarsdice admin ban add` excludes a player.
    """
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
    settings, administration = open_database(database)
    with audited(settings.key_base, "export", folder=folder, table=table or ""):
        status = export_records(folder, administration, settings.key_file, table)
    raise typer.Exit(status)


@admin_app.command("remove")
def remove(
    codes: Annotated[list[str], typer.Argument(metavar="CODE...", help="The codes of the tables or groups.")],
    database: Database = None,
) -> None:
    """Delete tables with their logs and records, or groups with their results. Stop the server first."""
    settings, administration = open_database(database)
    for code in codes:
        with audited(settings.key_base, "remove", table=code):
            administration.remove_table(code)
        print(f"Deleted: {code}.")


@admin_app.command("prune")
def prune(
    days: Annotated[int, typer.Option(min=1, max=MAX_DAYS, help="For how many days a table must not have changed.")],
    database: Database = None,
) -> None:
    """Delete old tables with their logs and the records of their matches. Stop the server first.

    A server that runs does the same by itself with --keep-days.
    """
    settings, administration = open_database(database)
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
    settings, administration = open_database(database)
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
    settings = open_settings(database)
    administration = database_of(settings)
    with audited(settings.key_base, "restore", file=str(file)):
        administration.restore(file)
    print(f"The database {administration} is restored from {file}.")


@ban_app.command("add")
def add_ban(
    network: Annotated[
        str | None, typer.Argument(metavar="[ADDRESS]", help="An address or a network, such as 192.0.2.0/24.")
    ] = None,
    table: Annotated[
        str | None, typer.Option(metavar="CODE", help="Instead of an address: the table of a player.")
    ] = None,
    player: Annotated[str | None, typer.Option(metavar="NAME", help="The name of that player.")] = None,
    hours: Annotated[
        int | None, typer.Option(min=1, max=MAX_HOURS, help="For how many hours; by default for good.")
    ] = None,
    note: Annotated[str, typer.Option(help="A reason for yourself; it is stored as you write it.")] = "",
    database: Database = None,
) -> None:
    """Ban an address or a network, or a player: their devices, and their address unless others at the table share it.

    Neither the database nor the audit log gets the address, so only you can know it from the note.
    """
    if (network is None) == (table is None or player is None):
        raise MalformedError("name an address, or a player by --table and --player")
    if len(note) > MAX_NOTE_LENGTH or not note.isprintable():
        raise MalformedError(f"a note has at most {MAX_NOTE_LENGTH} printable characters")
    from liarsdice.server.http.server_bans import holds_loopback, network_hash

    settings, administration = open_database(database)
    path = key_path(settings.key_base)
    address_key = read_or_create_secret(path, "the key of the addresses") if network or path.exists() else None
    if network is not None and address_key is not None:
        hashes = [network_hash(address_key, network)]
    else:
        assert table is not None
        assert player is not None
        hashes = player_hashes(administration, table.upper(), player)
    now_ms = int(time.time() * 1000)
    until_ms = None if hours is None else now_ms + hours * HOUR_MS
    with audited(settings.key_base, "ban add", of=_ban_kind(hashes), hours=hours or 0, note=note) as command:
        ban = administration.add_ban(hashes, until_ms, now_ms, note)
        command.result = f"ban {ban}"
    print(f"Ban {ban} is in force ({_ban_kind(hashes)}). `liarsdice admin ban lift {ban}` lifts it.")
    if address_key is not None and holds_loopback(address_key, hashes):
        print_error(
            "warning: that is an address of this machine. Everybody has it behind a proxy that does not name the"
            f" client's address in X-Forwarded-For. Then lift ban {ban}, which excludes all of them, and let the proxy"
            " name the address"
        )


@ban_app.command("list")
def list_bans(database: Database = None) -> None:
    """List the bans that are in force."""
    _, administration = open_database(database)
    rows = []
    for number, parts in groupby(administration.list_bans(int(time.time() * 1000)), lambda part: part.ban):
        hashes = [*parts]
        first = hashes[0]
        of = _ban_kind([(part.scope, part.hash) for part in hashes])
        until = "for good" if first.until_ms is None else format_minute(first.until_ms)
        rows.append((str(number), of, format_minute(first.at_ms), until, first.note))
    print(*align_columns([BAN_HEAD, *rows]), sep="\n")


@ban_app.command("lift")
def lift_ban(
    ban: Annotated[int, typer.Argument(min=1, help="The number of the ban, which `list` shows.")],
    database: Database = None,
) -> None:
    """Lift a ban before its end."""
    settings, administration = open_database(database)
    with audited(settings.key_base, "ban lift", ban=ban):
        administration.lift_ban(ban)
    print(f"Ban {ban} is lifted.")


def player_hashes(administration: Administration, code: str, name: str) -> list[BanHash]:
    """Return what a ban of a player holds: the hashes of their devices' tokens, and that of their address.

    The player may have left the table. Raises `UnavailableError` if the table has had no such player, or neither a
    token nor an address of theirs is known, and `UnreadableTableError` if its log cannot be read.
    """
    from liarsdice.server.http.server_bans import TOKEN_SCOPE
    from liarsdice.server.table.reducer import apply_stored_row
    from liarsdice.server.table.seating import identity_of

    ((_, log),) = administration.read_logs(code)
    if isinstance(log, UnreadableTableError):
        raise log
    table, identity = None, None
    for row in log:
        table = apply_stored_row(table, row)
        player = next((player for player in table.players if player.name == name), None)
        if player is not None:
            identity = identity_of(table, player)
    if identity is None:
        raise UnavailableError(f"table {code} has had no player {name!r}")
    hashes = [(TOKEN_SCOPE, token_hash) for token_hash in identity.token_hashes]
    if identity.address_hash:
        hashes.append((code, identity.address_hash))
    if not hashes:
        raise UnavailableError(f"nothing is known of {name!r} at table {code} by which a ban could recognise them")
    return hashes


def _ban_kind(hashes: Sequence[BanHash]) -> str:
    """Return what a ban is of, without addresses.

    >>> _ban_kind([("v4/24", "a1")]), _ban_kind([("token", "a1"), ("token", "b2"), ("ABCD", "c3")])
    ('IPv4 /24', 'ABCD address, 2 devices')
    """
    scopes = sorted(scope for scope, _ in hashes if scope != "token")
    parts = [f"IP{scope.replace('/', ' /')}" if "/" in scope else f"{scope} address" for scope in scopes]
    devices = len(hashes) - len(scopes)
    return ", ".join([*parts, *([counted(devices, "device")] if devices else [])])


@token_app.command("add")
def add_token(
    name: Annotated[str, typer.Argument(help="A name for the program, which only you see.")],
    scope: Annotated[
        list[TokenScope],
        typer.Option(help="What it may do: look at tables, play, open tables. Repeat the option for more."),
    ],
    expires: Annotated[
        int | None,
        typer.Option(metavar="DAYS", min=1, max=MAX_DAYS, help="The number of days until it ends; by default never."),
    ] = None,
    database: Database = None,
) -> None:
    """Make a token and print it. It is shown this once; the database has only its hash."""
    if not 1 <= len(name) <= MAX_NAME_LENGTH or not name.isprintable() or name != name.strip():
        raise MalformedError(f"a name has 1 to {MAX_NAME_LENGTH} printable characters")
    from liarsdice.server.http.auth import hash_token, new_token
    from liarsdice.server.storage.store import ProgramToken

    settings, administration = open_database(database)
    scopes = tuple(known for known in TokenScope if known in scope)
    now_ms = int(time.time() * 1000)
    until_ms = None if expires is None else now_ms + expires * DAY_MS
    token = new_token()
    with audited(settings.key_base, "token add", name=name, scopes=" ".join(map(str, scopes)), days=expires or 0):
        administration.add_token(ProgramToken(hash_token(token), name, scopes, now_ms, until_ms))
    print(token)


@token_app.command("list")
def list_tokens(database: Database = None) -> None:
    """List the tokens that are valid."""
    _, administration = open_database(database)
    now_ms = int(time.time() * 1000)
    rows = [
        (
            token.name,
            " ".join(map(str, token.scopes)),
            format_minute(token.at_ms),
            "until revoked" if token.until_ms is None else format_minute(token.until_ms),
        )
        for token in administration.list_tokens()
        if token.is_valid(now_ms)
    ]
    print(*align_columns([TOKEN_HEAD, *rows]), sep="\n")


@token_app.command("revoke")
def revoke_token(
    name: Annotated[str, typer.Argument(help="The name of the token, which `list` shows.")],
    database: Database = None,
) -> None:
    """End a token at once. Its seats stay at their tables, where bots play on for them."""
    settings, administration = open_database(database)
    with audited(settings.key_base, "token revoke", name=name):
        administration.revoke_token(name, int(time.time() * 1000))
    print(f"The token {name} is revoked.")


@promise_key_app.command("show")
def show_keys(database: Database = None, key_file: KeyFile = None) -> None:
    """Print the public keys: the present one first, then those that were retired, the latest first."""
    present, *retired = public_keys(open_settings(database, key_file))
    print(f"{present}  present")
    for key in retired:
        print(f"{key}  retired")


@promise_key_app.command("export")
def export_keys(
    file: Annotated[Path, typer.Argument(help="The new file.")], database: Database = None, key_file: KeyFile = None
) -> None:
    """Write all public keys to a file, one on each line, for `liarsdice verify --keys`."""
    keys = public_keys(open_settings(database, key_file))
    write_atomically(file, "".join(f"{key}\n" for key in keys).encode())
    print(f"Public keys written to {file}: {len(keys)}.")


@promise_key_app.command("rotate")
def rotate_key(database: Database = None, key_file: KeyFile = None) -> None:
    """Replace the key. A server uses the new one after its next start.

    Records that were signed stay valid under the old key, and it still signs matches that began under it.
    """
    settings = open_settings(database, key_file)
    old, *_ = public_keys(settings)
    with audited(settings.key_base, "promise-key rotate", retired=old) as command:
        rotate_signing_key(settings.key_file)
        new, *_ = public_keys(settings)
        command.result = f"new key {new}"
    print(f"The new key is {new}. Restart the server, and publish the key.")


def public_keys(settings: Settings) -> tuple[str, ...]:
    """Return the public keys of a server, the present one first. Raises `UnavailableError` if it has none yet."""
    from liarsdice.play.verify_record import RecordSigner

    if not settings.key_file.exists():
        raise UnavailableError(f"there is no key {settings.key_file}; a server creates it when it first starts")
    return RecordSigner(*read_signing_keys(settings.key_file)).public_keys


def table_lines(tables: Sequence[TableRow]) -> list[str]:
    """Return a line for each table below a line of headings."""
    rows = [
        (
            table.code,
            f"{table.entry_count:,}",
            "yes" if table.listed else "no",
            "none" if table.due_at_ms is None else format_minute(table.due_at_ms),
            format_minute(table.touched_at_ms),
        )
        for table in tables
    ]
    return align_columns([TABLE_HEAD, *rows])


def export_records(folder: str, database: Administration, key_file: Path, only: str | None = None) -> int:
    """Write every record that is not in the folder yet, of all tables or `only` the one with this code.

    The records are signed if the key file of the server exists. Returns 0, and 2 if the log of a table cannot be read.
    Raises `UnavailableError` if the database has no such table, the database or the key cannot be read, or the folder
    cannot be written.
    """
    from liarsdice.play.verify_record import RecordSigner
    from liarsdice.server.http.match_api import finished_matches

    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnavailableError(f"cannot write to {folder}: {error.strerror}") from error
    signer = RecordSigner(*read_signing_keys(key_file)) if key_file.exists() else None
    written, present, status = 0, 0, 0
    for code, log in database.read_logs(only):
        if isinstance(log, UnreadableTableError):
            print_error(log)
            status = EXIT_ERROR
            continue
        try:
            for match in finished_matches(log):
                file = target / file_name(code, match)
                if file.exists():
                    present += 1
                else:
                    write_atomically(file, match.record().signed(signer).encode())
                    written += 1
        except UnreadableTableError as error:
            print_error(error)
            status = EXIT_ERROR
    print(f"Records written to {folder}: {written}. Records that were there already: {present}.")
    return status


def file_name(code: str, match: FinishedMatch) -> str:
    """Return the name of a record's file: the day on which the match ended (UTC), its table, and its number."""
    ended = datetime.fromtimestamp(match.ended_at_ms / 1000, UTC)
    return f"{ended:%Y%m%d}-{code}-{match.number}.jsonl"
