"""The rows of the operator's bans, as functions of a connection to a database of either kind."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from liarsdice.core.errors import UnavailableError
from liarsdice.server.storage.db_schema import server_bans
from liarsdice.server.storage.store import ServerBan

BanHash = tuple[str, str]
"""The scope and the hash of one thing by which a ban recognises a person (`ServerBan`)."""

LOCK_BANS = sa.text("LOCK TABLE server_bans IN EXCLUSIVE MODE")
MAX_BAN_HASHES = 2_000
"""How many hashes all bans may have together: servers compare each new address with them."""


def list_bans(connection: sa.Connection, now_ms: int) -> Sequence[ServerBan]:
    """As `Administration.list_bans`."""
    columns = server_bans.c
    query = (
        sa.select(columns.scope, columns.hash, columns.ban, columns.until_ms, columns.at_ms, columns.note)
        .where(sa.or_(columns.until_ms.is_(None), columns.until_ms > now_ms))
        .order_by(columns.ban, columns.scope, columns.hash)
    )
    return [ServerBan(*row) for row in connection.execute(query)]


def add_ban(connection: sa.Connection, hashes: Sequence[BanHash], until_ms: int | None, now_ms: int, note: str) -> int:
    """As `Administration.add_ban`; expired bans are deleted. Raises `UnavailableError`."""
    _wait_for_others(connection)
    columns = server_bans.c
    delete_expired = sa.delete(server_bans).where(columns.until_ms <= now_ms)
    connection.execute(delete_expired)
    last_and_count = sa.select(sa.func.max(columns.ban), sa.func.count())
    last, count = connection.execute(last_and_count).one()
    if count + len(hashes) > MAX_BAN_HASHES:
        raise UnavailableError(f"there are too many bans ({count} hashes of at most {MAX_BAN_HASHES}); lift some")
    ban = (last or 0) + 1
    for scope, digest in dict.fromkeys(hashes):
        delete = sa.delete(server_bans).where(columns.scope == scope, columns.hash == digest)
        connection.execute(delete)
        row = {"scope": scope, "hash": digest, "ban": ban, "until_ms": until_ms, "at_ms": now_ms, "note": note}
        insert = sa.insert(server_bans).values(row)
        connection.execute(insert)
    return ban


def lift_ban(connection: sa.Connection, ban: int) -> None:
    """As `Administration.lift_ban`. Raises `UnavailableError`."""
    delete = sa.delete(server_bans).where(server_bans.c.ban == ban)
    if connection.execute(delete).rowcount == 0:
        raise UnavailableError(f"there is no ban {ban}; `liarsdice admin ban list` shows those that are in force")


def _wait_for_others(connection: sa.Connection) -> None:
    """Let no other operator change bans before this transaction ends, or two bans could get the same number."""
    if connection.dialect.name == "postgresql":  # SQLite has one writer at a time
        connection.execute(LOCK_BANS)
