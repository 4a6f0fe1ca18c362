"""Rows of a database of either kind: the bans and tokens of its operator, and the entries of logs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

import msgspec
import sqlalchemy as sa

from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.server.errors import NewerEntryError, UnreadableTableError
from liarsdice.server.settings import TokenScope
from liarsdice.server.storage.db_schema import program_tokens, server_bans
from liarsdice.server.storage.store import LogAppend, ProgramToken, ServerBan
from liarsdice.server.table.log_entries import (
    LOG_ENTRY_DECODER,
    FaceChosen,
    Left,
    LogRow,
    MatchBegan,
    Played,
    PlayerSeedRevealed,
    PushChanged,
    SpeedChanged,
    Spoke,
    StandInChanged,
    WebhookChanged,
)
from liarsdice.wire import PlayoutSpeed

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


SELECT_TOKENS = "SELECT hash, name, scopes, at_ms, until_ms FROM program_tokens ORDER BY at_ms, name, hash"
LOCK_TOKENS = sa.text("LOCK TABLE program_tokens IN EXCLUSIVE MODE")
MAX_TOKENS = 2_000
"""How many tokens there may be, ended ones included: every server holds all of them."""

TokenRow = tuple[str, str, str, int, int | None]


def read_tokens(rows: Iterable[TokenRow]) -> tuple[ProgramToken, ...]:
    """Return the tokens of the rows of `SELECT_TOKENS`. Scopes that only a newer release knows are left out."""
    known = {scope.value: scope for scope in TokenScope}
    return tuple(
        ProgramToken(digest, name, tuple(known[scope] for scope in scopes.split() if scope in known), at_ms, until_ms)
        for digest, name, scopes, at_ms, until_ms in rows
    )


def list_tokens(connection: sa.Connection) -> Sequence[ProgramToken]:
    """As `Administration.list_tokens`."""
    query = sa.text(SELECT_TOKENS)
    return read_tokens((row[0], row[1], row[2], row[3], row[4]) for row in connection.execute(query))


def add_token(connection: sa.Connection, token: ProgramToken) -> None:
    """As `Administration.add_token`. Raises `UnavailableError`."""
    tokens = _locked_tokens(connection)
    if any(other.name == token.name and other.is_valid(token.at_ms) for other in tokens):
        raise UnavailableError(f"there is a token {token.name!r} already; revoke it, or choose another name")
    if len(tokens) >= MAX_TOKENS:
        raise UnavailableError(f"there are {len(tokens)} tokens, ended ones included, and may be no more")
    row = {
        "hash": token.hash,
        "name": token.name,
        "scopes": " ".join(scope.value for scope in token.scopes),
        "at_ms": token.at_ms,
        "until_ms": token.until_ms,
    }
    insert = sa.insert(program_tokens).values(row)
    connection.execute(insert)


def revoke_token(connection: sa.Connection, name: str, now_ms: int) -> None:
    """As `Administration.revoke_token`. Raises `UnavailableError`."""
    valid = [token.hash for token in _locked_tokens(connection) if token.name == name and token.is_valid(now_ms)]
    if not valid:
        raise UnavailableError(f"there is no token {name!r}; `liarsdice admin token list` shows those that are valid")
    update = sa.update(program_tokens).where(program_tokens.c.hash.in_(valid)).values(until_ms=now_ms)
    connection.execute(update)


def _locked_tokens(connection: sa.Connection) -> Sequence[ProgramToken]:
    """Return the tokens, which no other operator changes before this transaction ends."""
    if connection.dialect.name == "postgresql":  # SQLite has one writer at a time
        connection.execute(LOCK_TOKENS)
    return list_tokens(connection)


RawRow = tuple[int, int, str, bytes]
"""The columns `seq`, `at_ms`, `request_id` and `body` of the table `entries`."""

TALK_PREFIX = msgspec.json.encode(Spoke(0, "")).partition(b",")[0]
"""How the stored body of every line of table talk begins: with its tag."""

REPLACED_PREFIXES = tuple(
    msgspec.json.encode(entry).partition(b",")[0]
    for entry in (FaceChosen(0, 0), PushChanged(0, ()), WebhookChanged(0, ""), SpeedChanged(0, PlayoutSpeed.FAST))
)
"""How the stored body of every entry begins of which only the latest of a player matters; the player follows."""

START_BYTES = 48
"""How much of a stored body has its tag and the player."""

RECORD_PREFIXES = tuple(
    msgspec.json.encode(entry).partition(b",")[0]
    for entry in (
        MatchBegan(0),
        Played(()),
        PlayerSeedRevealed(0, ""),
        StandInChanged(0, bot=True),
        Left(0, removed=True),
    )
)
"""How the stored body of every entry begins that the record of its match depends on."""


def began_prefix(number: int) -> bytes:
    """Return how the stored body of the entry begins with which a match begins."""
    tag, number_field, _ = msgspec.json.encode(MatchBegan(number)).split(b",", 2)
    return tag + b"," + number_field + b","


NEWER = re.compile(r"Invalid value '.*' - at `\$.*\.type`|contains unknown field")
"""What msgspec says of a kind of entry or event that it does not know, and of a field."""

MAX_CHECKED_ENTRIES = 2_000
"""The most entries that one snapshot looks at for those to delete, so that other writers do not wait."""


def needless_entries(starts: Iterable[tuple[int, bytes]], news_seqs: Collection[int]) -> list[int]:
    """Return the seqs of the talk among entries, and of those that a later one of the same kind and player replaces.

    `starts`: the seq and the first `START_BYTES` of the body of each entry, in order. `news_seqs`: as in `Snapshot`.
    """
    needless, latest = list[int](), dict[tuple[bytes, bytes], int]()
    for seq, start in starts:
        tag, _, fields = start.partition(b",")
        if tag == TALK_PREFIX:
            needless.append(seq)
        elif tag in REPLACED_PREFIXES:
            key = tag, fields.partition(b",")[0]
            if key in latest:
                needless.append(latest[key])
            latest[key] = seq
    return [seq for seq in needless if seq not in news_seqs]


def stored_rows(request: LogAppend) -> list[tuple[str, int, int, str, bytes]]:
    """Return the rows of an append as the table `entries` has them."""
    return [(request.code, row.seq, row.at_ms, row.request_id, msgspec.json.encode(row.entry)) for row in request.rows]


def read_row(code: str, row: RawRow) -> LogRow:
    """Return a row of a log.

    Raises `UnreadableTableError` without the content, which may be secret; `NewerEntryError` if this release does not
    know the kind of entry or one of its fields.
    """
    seq, at_ms, request_id, body = row
    try:
        return LogRow(seq, at_ms, request_id, LOG_ENTRY_DECODER.decode(body))
    except msgspec.ValidationError as error:
        if NEWER.search(str(error)):
            raise NewerEntryError(f"entry {seq} of table {code} is of a newer release; try again") from error
        raise _unreadable_entry(code, seq, error) from error
    except (msgspec.DecodeError, LiarsDiceError, UnicodeError, RecursionError, TypeError) as error:
        raise _unreadable_entry(code, seq, error) from error


def _unreadable_entry(code: str, seq: int, error: Exception) -> UnreadableTableError:
    return UnreadableTableError(f"the log of table {code} cannot be read: entry {seq} ({type(error).__name__})")


def read_rows(code: str, raw: Iterable[RawRow], after_seq: int, last_seq: int, deleted: int) -> tuple[LogRow, ...]:
    """Return the rows of a log after an entry. Raises `UnreadableTableError` if more are missing than were deleted."""
    rows = tuple(read_row(code, row) for row in raw)
    wanted = last_seq - after_seq - deleted
    if len(rows) != wanted or (rows and rows[-1].seq != last_seq):
        raise UnreadableTableError(f"the log of table {code} cannot be read: it has {len(rows)} of {wanted} entries")
    return rows
