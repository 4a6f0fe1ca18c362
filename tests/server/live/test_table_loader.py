"""A table is loaded from the database, or refused with the error that says why it cannot be."""

import pytest

from liarsdice.core.errors import LiarsDiceError
from liarsdice.server.errors import StoreError, TableNotFoundError, TryAgainError, UnreadableTableError
from liarsdice.server.live.table_loader import load_table
from liarsdice.server.storage.store import StoredTable
from liarsdice.server.table.log_entries import LogRow, Opened, WasReady
from tests.server.live_tables import START_MS, make_config
from tests.server.memory_store import MemoryStore

OPENED = LogRow(1, START_MS, "", Opened("ABCD", make_config()))


class FailingStore(MemoryStore):
    async def load(self, code: str) -> StoredTable | None:  # noqa: ARG002  as `Store` has it
        raise StoreError("cannot be read just now")


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
    with pytest.raises(error, match="ABCD"):
        await load_table(store, "ABCD")


async def test_a_database_that_fails_is_to_be_tried_again() -> None:
    with pytest.raises(TryAgainError):
        await load_table(FailingStore(), "ABCD")


async def test_a_table_is_loaded_with_its_deadline() -> None:
    store = MemoryStore()
    store.tables["ABCD"] = StoredTable((OPENED,), START_MS + 5)
    loaded = await load_table(store, "ABCD")
    assert (loaded.state.code, loaded.state.seq, loaded.due_at_ms) == ("ABCD", 1, START_MS + 5)
