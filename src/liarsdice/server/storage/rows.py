"""Reads the rows of a database of either kind: the bans and tokens of its operator, and the entries of logs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

import msgspec

from liarsdice.core.errors import LiarsDiceError, counted
from liarsdice.server.errors import NewerEntryError, UnreadableTableError
from liarsdice.server.settings import TokenScope
from liarsdice.server.storage.store import LogAppend, ProgramToken, RawRow, ServerBan
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

SELECT_BANS = "SELECT scope, hash, ban, until_ms, at_ms, note FROM server_bans ORDER BY ban, scope, hash"
SELECT_TOKENS = "SELECT hash, name, scopes, at_ms, until_ms FROM program_tokens ORDER BY at_ms, name, hash"


def read_bans(rows: Iterable[Any], now_ms: int) -> tuple[ServerBan, ...]:  # a driver's rows
    """Return the bans in the rows of `SELECT_BANS` that are in force."""
    bans = (ServerBan(*row) for row in rows)
    return tuple(ban for ban in bans if ban.until_ms is None or ban.until_ms > now_ms)


def read_tokens(rows: Iterable[Any]) -> tuple[ProgramToken, ...]:  # as `read_bans`
    """Return the tokens of the rows of `SELECT_TOKENS`. Scopes that only a newer release knows are left out."""
    known = {scope.value: scope for scope in TokenScope}
    return tuple(
        ProgramToken(digest, name, tuple(known[scope] for scope in scopes.split() if scope in known), at_ms, until_ms)
        for digest, name, scopes, at_ms, until_ms in rows
    )


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


def read_rows(code: str, raw: Iterable[Any], after_seq: int, last_seq: int, deleted: int) -> tuple[LogRow, ...]:
    """Return the rows of a log after an entry. Raises `UnreadableTableError` if more are missing than were deleted."""
    rows = tuple(read_row(code, row) for row in raw)
    wanted = last_seq - after_seq - deleted
    if len(rows) != wanted or (rows and rows[-1].seq != last_seq):
        raise UnreadableTableError(
            f"the log of table {code} cannot be read: it has {len(rows)} of {counted(wanted, 'entry', 'entries')}"
        )
    return rows
