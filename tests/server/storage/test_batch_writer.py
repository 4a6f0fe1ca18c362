"""Jobs that arrive together are written together, and one that fails does not undo the others."""

import asyncio
import itertools
import sqlite3
from collections.abc import AsyncIterator, Mapping, Sequence

import pytest

from liarsdice.server.errors import StoreError
from liarsdice.server.storage import batch_writer
from liarsdice.server.storage.batch_writer import MAX_BATCH, MAX_IN_FLIGHT, AppendBatches, BatchWriter
from liarsdice.server.storage.store import LogAppend
from tests.server.live_tables import PATIENCE_S


@pytest.fixture
async def connection() -> AsyncIterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.execute("CREATE TABLE numbers (number INTEGER PRIMARY KEY)")
    yield connection
    connection.close()


async def insert(writer: BatchWriter, number: int) -> int:
    statement = "INSERT INTO numbers VALUES (?)"
    return await writer.submit("", lambda opened: opened.execute(statement, (number,)).rowcount)


async def test_jobs_that_arrive_together_share_a_transaction(connection: sqlite3.Connection) -> None:
    writer, statements = BatchWriter(), list[str]()
    connection.set_trace_callback(statements.append)
    waiting = [asyncio.create_task(insert(writer, number)) for number in (1, 2, 3)]
    await asyncio.sleep(0)  # all three are submitted before the writer starts
    writer.start(connection)
    assert await asyncio.gather(*waiting) == [1, 1, 1]
    await writer.close()
    assert [statement.partition(" ")[0] for statement in statements] == [
        "BEGIN",
        "INSERT",
        "INSERT",
        "INSERT",
        "COMMIT",
    ]


async def test_a_job_that_fails_does_not_undo_the_others_of_its_transaction(connection: sqlite3.Connection) -> None:
    writer = BatchWriter()
    waiting = [asyncio.create_task(insert(writer, number)) for number in (1, 2, 2, 3)]
    await asyncio.sleep(0)  # all four are submitted before the writer starts, so they share a transaction
    writer.start(connection)
    results = await asyncio.gather(*waiting, return_exceptions=True)
    await writer.close()
    assert [isinstance(result, StoreError) for result in results] == [False, False, True, False]
    assert [row[0] for row in connection.execute("SELECT number FROM numbers")] == [1, 2, 3]


async def test_a_database_that_takes_nothing_fails_every_job(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA query_only = ON")
    writer = BatchWriter()
    writer.start(connection)
    with pytest.raises(StoreError, match="readonly"):
        await writer.submit("", lambda opened: opened.execute("INSERT INTO numbers VALUES (1)"))
    await writer.close()


def request(code: str, expected_seq: int = 0) -> LogAppend:
    return LogAppend(code, expected_seq, (), None, listed=False)


class SlowDatabase:
    """Writes nothing until `go_on` is set. `batches`: the tables of each batch that it was given."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.go_on = asyncio.Event()
        self.error: StoreError | None = None

    async def write(self, requests: Sequence[LogAppend]) -> Mapping[str, bool | StoreError]:
        self.batches.append([request.code for request in requests])
        await self.go_on.wait()
        if self.error is not None:
            raise self.error
        return {request.code: request.expected_seq == 0 for request in requests}


async def started(*tasks: asyncio.Task[bool]) -> None:
    """Let new tasks submit what they have, and the writers take it."""
    for _ in range(3):
        await asyncio.sleep(0)
    assert not any(task.done() for task in tasks)


async def test_appends_wait_for_a_free_batch_and_are_written_together() -> None:
    database = SlowDatabase()
    batches = AppendBatches(database.write)
    tasks = []
    for number in range(MAX_IN_FLIGHT):
        tasks.append(asyncio.create_task(batches.submit(request(f"A{number}"))))
        await started(*tasks)
    tasks += [asyncio.create_task(batches.submit(request(code, 1))) for code in ("D", "C", "B")]
    await started(*tasks)
    assert database.batches == [[f"A{number}"] for number in range(MAX_IN_FLIGHT)]
    database.go_on.set()
    assert await asyncio.gather(*tasks) == [True] * MAX_IN_FLIGHT + [False] * 3
    assert database.batches[MAX_IN_FLIGHT:] == [["B", "C", "D"]]
    await batches.close()


async def test_two_appends_of_one_table_are_never_in_one_batch_and_no_batch_is_too_large() -> None:
    database = SlowDatabase()
    database.go_on.set()
    batches = AppendBatches(database.write)
    codes = [f"T{number % (MAX_BATCH + 10):04}" for number in range(2 * MAX_BATCH)]
    assert all(await asyncio.gather(*(batches.submit(request(code)) for code in codes)))
    assert all(len(set(batch)) == len(batch) <= MAX_BATCH for batch in database.batches)
    assert sorted(itertools.chain(*database.batches)) == sorted(codes)
    await batches.close()


async def test_a_batch_that_fails_fails_all_its_appends_and_no_later_one() -> None:
    database = SlowDatabase()
    batches = AppendBatches(database.write)
    database.error = StoreError("the database does not work")
    tasks = [asyncio.create_task(batches.submit(request(code))) for code in ("A", "B")]
    await started(*tasks)
    database.go_on.set()
    for task in tasks:
        with pytest.raises(StoreError, match="does not work"):
            await task
    database.error = None
    assert await batches.submit(request("A"))
    await batches.close()


async def test_closing_waits_for_what_was_submitted() -> None:
    database = SlowDatabase()
    batches = AppendBatches(database.write)
    task = asyncio.create_task(batches.submit(request("A")))
    await started(task)
    closing = asyncio.create_task(batches.close())
    await started(task)
    assert not closing.done()
    database.go_on.set()
    await closing
    assert await task


async def test_closing_does_not_wait_for_a_database_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_writer, "CLOSE_TIMEOUT_S", 0)
    batches = AppendBatches(SlowDatabase().write)
    tasks = [asyncio.create_task(batches.submit(request(f"A{number}"))) for number in range(MAX_IN_FLIGHT + 1)]
    await started(*tasks)
    async with asyncio.timeout(PATIENCE_S):
        await batches.close()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            assert isinstance(outcome, StoreError)
        with pytest.raises(StoreError, match="closed"):
            await batches.submit(request("B"))
