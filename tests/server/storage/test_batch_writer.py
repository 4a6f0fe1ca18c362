"""Jobs that arrive together are written together, and one that fails does not undo the others."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator

import pytest

from liarsdice.server.errors import StoreError
from liarsdice.server.storage.batch_writer import BatchWriter


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
