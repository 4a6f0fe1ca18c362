"""`liarsdice admin ban`: excludes people from a server, by their address, by a network, or as a player at a table."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from liarsdice.cli.server.access import Database, existing_database, open_settings
from liarsdice.cli.stdio import align_columns, format_minute
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.server.errors import UnreadableTableError

if TYPE_CHECKING:
    from liarsdice.server.storage.administration import Administration
    from liarsdice.server.storage.rows import BanHash
    from liarsdice.server.storage.store import ServerBan

HOUR_MS = 3_600_000
MAX_HOURS = 24 * 36_500
MAX_NOTE_LENGTH = 200
HEAD = ("ban", "of", "since (UTC)", "until (UTC)", "note")

ban_app = typer.Typer(help="Exclude people from the server. Servers that run enforce it within seconds.")


@ban_app.command("add")
def add(
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
    from liarsdice.server.storage.audit_log import audited

    settings = open_settings(database)
    administration = existing_database(settings)
    if network is not None:
        hashes = [_network_hash(settings.key_base, network)]
    else:
        assert table is not None
        assert player is not None
        hashes = player_hashes(administration, table.upper(), player)
    now_ms = int(time.time() * 1000)
    until_ms = None if hours is None else now_ms + hours * HOUR_MS
    with audited(settings.key_base, "ban add", of=_kind(hashes), hours=hours or 0, note=note) as command:
        ban = administration.add_ban(hashes, until_ms, now_ms, note)
        command.result = f"ban {ban}"
    print(f"Ban {ban} is in force ({_kind(hashes)}). `liarsdice admin ban lift {ban}` lifts it.")


@ban_app.command("list")
def list_bans(database: Database = None) -> None:
    """List the bans that are in force."""
    administration = existing_database(open_settings(database))
    for line in ban_lines(administration.list_bans(int(time.time() * 1000))):
        print(line)


@ban_app.command("lift")
def lift(
    ban: Annotated[int, typer.Argument(min=1, help="The number of the ban, which `list` shows.")],
    database: Database = None,
) -> None:
    """Lift a ban before its end."""
    from liarsdice.server.storage.audit_log import audited

    settings = open_settings(database)
    administration = existing_database(settings)
    with audited(settings.key_base, "ban lift", ban=ban):
        administration.lift_ban(ban)
    print(f"Ban {ban} is lifted.")


def ban_lines(bans: Sequence[ServerBan]) -> list[str]:
    """Return a line for each ban below a line of headings."""
    rows = []
    for number, parts in groupby(bans, lambda part: part.ban):
        hashes = [*parts]
        first = hashes[0]
        of = _kind([(part.scope, part.hash) for part in hashes])
        until = "for good" if first.until_ms is None else format_minute(first.until_ms)
        rows.append((str(number), of, format_minute(first.at_ms), until, first.note))
    return align_columns([HEAD, *rows])


def player_hashes(administration: Administration, code: str, name: str) -> list[BanHash]:
    """Return what a player of a table is recognised by, also one who has left.

    Raises `UnavailableError` if the table has had no such player, or nothing is known by which a ban could recognise
    them, and `UnreadableTableError` if its log cannot be read.
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


def _network_hash(key_base: Path, network: str) -> BanHash:
    from liarsdice.server.http.server_bans import network_hash
    from liarsdice.server.storage.signing_keys import key_path, read_or_create_secret

    return network_hash(read_or_create_secret(key_path(key_base), "the key of the addresses"), network)


def _kind(hashes: Sequence[BanHash]) -> str:
    """Return what a ban is of, without addresses.

    >>> _kind([("v4/24", "a1")]), _kind([("token", "a1"), ("token", "b2"), ("ABCD", "c3")])
    ('IPv4 /24', 'ABCD address, 2 devices')
    """
    scopes = sorted(scope for scope, _ in hashes if scope != "token")
    parts = [f"IP{scope.replace('/', ' /')}" if "/" in scope else f"{scope} address" for scope in scopes]
    devices = len(hashes) - len(scopes)
    return ", ".join([*parts, *([f"{devices} device{'s' if devices > 1 else ''}"] if devices else [])])
