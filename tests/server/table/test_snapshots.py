"""A snapshot leads to the same state as the log, and one that cannot be trusted is ignored."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from liarsdice.server.table import log_entries as e
from liarsdice.server.table.reducer import MAX_HANDLED_REQUESTS, MAX_NEWS, apply_row, replay_log
from liarsdice.server.table.snapshots import (
    DIGEST,
    KEPT_ENTRIES,
    SNAPSHOT_EVERY,
    SOURCES,
    is_snapshot_due,
    restore_snapshot,
    take_snapshot,
)
from liarsdice.server.table.table_state import TableState
from tests.server.live_tables import START_MS, make_config

CODE = "ABCD"


def rows_of(entries: list[e.LogEntry]) -> list[e.LogRow]:
    """The log of a table with two people and these entries, each of which was requested."""
    people: list[e.LogEntry] = [e.Joined(1, "Ann", "token"), e.HostChanged(1), e.Joined(2, "Bo", "other")]
    return [
        e.LogRow(seq, START_MS + seq, f"w{seq}", entry)
        for seq, entry in enumerate([e.Opened(CODE, make_config()), *people, *entries], 1)
    ]


def folded(rows: list[e.LogRow]) -> TableState:
    table = replay_log(rows)
    assert table is not None
    return table


TABLE = folded(rows_of([e.Spoke(1, "hello"), e.SeedCommitted("s"), e.MatchBegan(1)]))
SNAPSHOT = take_snapshot(TABLE)


def test_a_snapshot_restores_the_state() -> None:
    restored = restore_snapshot(CODE, SNAPSHOT.seq, SNAPSHOT.digest, SNAPSHOT.body)
    assert restored == TABLE
    assert restored is not None
    assert restored.match is not None
    assert restored.match.state.ruleset is restored.config.ruleset


def test_a_snapshot_restores_a_pause_with_any_deadline() -> None:
    paused = replace(TABLE, paused=True, paused_left_ms=1, paused_deadline_key=(1, 2, "long", True, 0.5))
    snapshot = take_snapshot(paused)
    assert restore_snapshot(CODE, snapshot.seq, snapshot.digest, snapshot.body) == paused


@pytest.mark.parametrize(
    "code, seq, digest, body",
    [
        (CODE, SNAPSHOT.seq, "0" * 64, SNAPSHOT.body),
        ("EFGH", SNAPSHOT.seq, DIGEST, SNAPSHOT.body),
        (CODE, SNAPSHOT.seq + 1, DIGEST, SNAPSHOT.body),
        (CODE, SNAPSHOT.seq, DIGEST, SNAPSHOT.body[:-1]),
        (CODE, SNAPSHOT.seq, DIGEST, b"\xff"),
        (CODE, SNAPSHOT.seq, DIGEST, SNAPSHOT.body.replace(b'"quantity_first"', b'"any"')),
        (CODE, SNAPSHOT.seq, DIGEST, SNAPSHOT.body.replace(b'"faces":6', b'"faces":0')),
    ],
    ids=["other sources", "another table", "another entry", "cut off", "no UTF-8", "unknown rules", "impossible rules"],
)
def test_a_snapshot_that_cannot_be_trusted_is_ignored(code: str, seq: int, digest: str, body: bytes) -> None:
    assert (code, seq, digest, body) != (CODE, SNAPSHOT.seq, DIGEST, SNAPSHOT.body)
    assert restore_snapshot(code, seq, digest, body) is None


def test_the_digest_covers_every_module_that_computes_a_state() -> None:
    """A change in a module that is not covered would leave snapshots that differ from what the log leads to."""
    script = (
        "import sys, liarsdice.server.table.reducer; print(*(n for n in sys.modules if n.startswith('liarsdice.')))"
    )
    imported = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    folders = {Path(spec.origin).parent for name in SOURCES if (spec := find_spec(name)) and spec.origin}
    computing = [name for name in imported if name.startswith(("liarsdice.core.", "liarsdice.server.table."))]
    uncovered = [
        name
        for name in computing
        if (spec := find_spec(name)) and spec.origin and Path(spec.origin).parent not in folders
    ]
    assert len(computing) > 20
    assert [name for name in uncovered if not name.startswith("liarsdice.core.rules.presets")] == []


def test_a_snapshot_is_due_after_many_entries_and_at_the_end_of_a_match() -> None:
    assert not is_snapshot_due(TABLE, TABLE, TABLE.seq)
    later = msgspec.structs.replace(TABLE, seq=TABLE.seq + SNAPSHOT_EVERY)
    assert is_snapshot_due(TABLE, later, TABLE.seq)
    assert not is_snapshot_due(TABLE, later, TABLE.seq + 1)
    assert is_snapshot_due(TABLE, msgspec.structs.replace(TABLE, match=None), TABLE.seq)
    assert not is_snapshot_due(None, TABLE, TABLE.seq)


@pytest.mark.parametrize("talk_in_match", [False, True])
def test_without_the_talk_before_a_snapshot_the_log_leads_to_the_same_states(*, talk_in_match: bool) -> None:
    """Old talk that is still among the news, because nothing pushed it out, is kept."""
    talk = [e.Spoke(1, f"line {number}") for number in range(KEPT_ENTRIES // 2)]
    quiet = [e.PlayerSeedCommitted(1, "commitment") for _ in range(KEPT_ENTRIES)]
    rows = rows_of([*talk, e.SeedCommitted("s"), *([e.MatchBegan(1)] if talk_in_match else []), *quiet, *talk, *quiet])
    deleted_count = 0
    for last in range(100, len(rows), 333):
        table = folded(rows[:last])
        snapshot = take_snapshot(table)
        assert snapshot.talk_from_seq <= max(0, last - KEPT_ENTRIES)
        old = [row for row in rows[:last] if row.seq < snapshot.talk_from_seq and row.seq not in snapshot.news_seqs]
        kept = [row for row in rows[:last] if row not in old or not isinstance(row.entry, e.Spoke)]
        deleted_count = last - len(kept)
        without = folded(kept)
        assert without == table
        for row in rows[last : last + MAX_NEWS + MAX_HANDLED_REQUESTS]:
            without, table = apply_row(without, row), apply_row(table, row)
            assert without == table
    assert deleted_count >= KEPT_ENTRIES // 2 - MAX_NEWS
