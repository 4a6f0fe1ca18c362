"""Snapshots of a table's state, so that loading a long log does not begin at its first entry.

A snapshot is a shortcut and never the truth: the log alone leads to the same state. A snapshot that other sources
wrote, or that cannot be read, is ignored.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from liarsdice.core.errors import LiarsDiceError
from liarsdice.core.rules.bid_space import BidSpace, bid_space
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.runtime.source_digest import source_digest
from liarsdice.server.table.table_state import TableState

SOURCES = (
    "liarsdice.core",
    "liarsdice.core.bids",
    "liarsdice.core.engine",
    "liarsdice.core.records",
    "liarsdice.core.rules",
    "liarsdice.play",
    "liarsdice.server.table",
    "liarsdice.wire",
)
"""All that computes a state from a log. After a change in any of these files, older snapshots are ignored."""

DIGEST = source_digest(*SOURCES)
SNAPSHOT_EVERY = 256
"""The most entries between two snapshots of a table."""

KEPT_ENTRIES = 1_000
"""This many of the latest entries all stay in the log."""


class Snapshot(msgspec.Struct, frozen=True):
    """A state as it is stored: after the entry `seq`, by the sources with a digest, as JSON.

    `talk_from_seq`: the state, and every later one, is the same without the lines of talk before this entry, and
    without entries that a later one before it replaces, but for those of the news, `news_seqs`.
    """

    seq: int
    digest: str
    body: bytes
    talk_from_seq: int
    news_seqs: frozenset[int]


def is_snapshot_due(before: TableState | None, after: TableState, snapshot_seq: int) -> bool:
    """Return whether a snapshot is due after a change: a match has ended, or the last snapshot is long ago."""
    if after.seq - snapshot_seq >= SNAPSHOT_EVERY:
        return True
    return before is not None and before.ongoing_match is not None and after.ongoing_match is None


def take_snapshot(table: TableState) -> Snapshot:
    """Return a snapshot of a state."""
    news_seqs = frozenset(item.seq for item in table.news)
    return Snapshot(table.seq, DIGEST, _ENCODER.encode(table), _talk_from_seq(table), news_seqs)


def restore_snapshot(code: str, seq: int, digest: str, body: bytes) -> TableState | None:
    """Return the state of a stored snapshot, None if it must be ignored."""
    if digest != DIGEST:
        return None
    try:
        table = _DECODER.decode(body)
    except (msgspec.DecodeError, LiarsDiceError, UnicodeError, RecursionError):
        return None
    if table.code != code or table.seq != seq:
        return None
    match = table.match
    if match is None:
        return table
    ruleset = table.config.ruleset if match.state.ruleset == table.config.ruleset else match.state.ruleset
    state = replace(match.state, ruleset=ruleset, bid_space=bid_space(ruleset))
    return replace(table, match=replace(match, state=state))


def _talk_from_seq(table: TableState) -> int:
    """Return the first entry from which talk is kept: one of the latest, or of the known requests.

    Only newer entries push requests out of those that are known, and talk out of the news, so without older talk that
    is in neither these lists would be the same.
    """
    oldest_request = next(iter(table.handled_requests.values()), table.seq)
    return max(0, min(oldest_request, table.seq - KEPT_ENTRIES))


def _encode(value: object) -> None:
    """Encode a bid space as null, because it follows from the ruleset."""
    if not isinstance(value, BidSpace):
        raise NotImplementedError(f"{type(value).__name__} is not part of a state")


def _decode(kind: type, _: object) -> Any:  # noqa: ANN401  msgspec checks the type
    assert kind is BidSpace
    return bid_space(Ruleset())  # until `restore_snapshot` puts that of the match in its place


_ENCODER = msgspec.json.Encoder(enc_hook=_encode)
_DECODER = msgspec.json.Decoder(TableState, dec_hook=_decode)
