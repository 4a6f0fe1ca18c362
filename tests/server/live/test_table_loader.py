"""A table is loaded from the database, or refused with the error that says why it cannot be."""

import pytest

from liarsdice.core.errors import LiarsDiceError
from liarsdice.server.errors import StoreError, TableNotFoundError, TryAgainError, UnreadableTableError
from liarsdice.server.live.live_table import MAX_ROWS_ON_LOOP, load_table, save_snapshot
from liarsdice.server.storage.store import StoredState, StoredTable
from liarsdice.server.table.log_entries import Joined, LogRow, Opened, Spoke, WasReady
from liarsdice.server.table.reducer import replay_log
from liarsdice.server.table.snapshots import Snapshot
from liarsdice.server.table.table_state import TableState
from tests.server.live_tables import START_MS, make_config
from tests.server.memory_store import MemoryStore

OPENED = LogRow(1, START_MS, "", Opened("ABCD", make_config()))


class FailingStore(MemoryStore):
    async def load_state(self, code: str) -> StoredState | None:  # noqa: ARG002  as `Store` has it
        raise StoreError("cannot be read just now")

    async def save_snapshot(self, code: str, snapshot: Snapshot) -> None:
        raise StoreError(f"{code} cannot be written at {snapshot.seq}")


@pytest.mark.parametrize(
    "rows, error",
    [
        (None, TableNotFoundError),
        ((), UnreadableTableError),
        ((LogRow(1, START_MS, "", WasReady(1)),), UnreadableTableError),
        ((OPENED, LogRow(2, START_MS, "", WasReady(1))), UnreadableTableError),
    ],
)
async def test_a_log_that_leads_to_no_state_is_refused(
    rows: tuple[LogRow, ...] | None, error: type[LiarsDiceError]
) -> None:
    store = MemoryStore()
    if rows is not None:
        store.tables["ABCD"] = StoredTable(rows, None)
    with pytest.raises(error, match=r"ABCD|the log of a table"):
        await load_table(store, "ABCD")


async def test_a_database_that_fails_is_to_be_tried_again() -> None:
    with pytest.raises(TryAgainError):
        await load_table(FailingStore(), "ABCD")


async def test_a_table_is_loaded_with_its_deadline() -> None:
    store = MemoryStore()
    store.tables["ABCD"] = StoredTable((OPENED,), START_MS + 5)
    loaded = await load_table(store, "ABCD")
    assert (loaded.state.code, loaded.state.seq, loaded.due_at_ms) == ("ABCD", 1, START_MS + 5)


async def test_a_long_log_without_a_snapshot_is_loaded_and_then_has_one() -> None:
    rows = (OPENED, LogRow(2, START_MS, "", Joined(1, "Ann", "token")))
    talk = tuple(LogRow(seq, START_MS, "", Spoke(1, f"line {seq}")) for seq in range(3, 3 * MAX_ROWS_ON_LOOP))
    store = MemoryStore()
    store.tables["ABCD"] = StoredTable((*rows, *talk), None)
    loaded = await load_table(store, "ABCD")
    assert (loaded.state, loaded.snapshot_seq) == (replay_log((*rows, *talk)), 0)
    await save_snapshot(store, loaded.state)
    again = await load_table(store, "ABCD")
    assert (again.state, again.snapshot_seq) == (loaded.state, loaded.state.seq)


async def test_a_snapshot_that_cannot_be_written_changes_nothing() -> None:
    store = FailingStore()
    await save_snapshot(store, TableState(code="ABCD", config=make_config()))
    assert store.snapshots == {}
