"""Stores tables in a PostgreSQL database, for any number of server processes.

What it reads and writes is in `postgres_statements`. Needs the extra `postgresql`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

import asyncpg

from liarsdice.server.database_url import PostgresUrl
from liarsdice.server.errors import StoreError, UnreadableTableError
from liarsdice.server.storage import postgres_statements as statements
from liarsdice.server.storage.append_batches import AppendBatches
from liarsdice.server.storage.postgres_connections import (
    START_TIMEOUT_S,
    Connection,
    PostgresConnections,
    running_nodes,
)
from liarsdice.server.storage.store import LogAppend, ProgramToken, ServerBan, StoredState, StoredTable
from liarsdice.server.storage.token_rows import SELECT_TOKENS, read_tokens
from liarsdice.server.table.log_entries import LogRow
from liarsdice.server.table.snapshots import Snapshot

DAMAGED = (asyncpg.DataCorruptedError, asyncpg.IndexCorruptedError)
ROW_ERRORS = (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError)
"""Errors for which the rows of one append may be at fault."""


class PostgresStore:
    """A `SharedStore`. If the connection is lost, every call raises `StoreError` until it could be made again.

    `clock` tells the time of the database; tests replace it. `reconnect_count`: how often the connection was lost and
    made again. `keys_digest`, `settings_digest`: as in `PostgresConnections`.
    """

    def __init__(
        self,
        url: PostgresUrl,
        clock: Callable[[Connection], Awaitable[int]] = statements.clock_ms,
        *,
        keys_digest: str = "",
        settings_digest: str = "",
    ) -> None:
        self._connections = PostgresConnections(url, keys_digest, settings_digest)
        self._settings_digest = settings_digest
        self._batches = AppendBatches(self._write_batch)
        self._clock = clock

    @property
    def reconnect_count(self) -> int:
        """How often the connection was made again after it was lost."""
        return self._connections.reconnect_count

    async def open(self, now_ms: int) -> int:  # noqa: ARG002  the clock of the database counts
        """As `Store.open`: creates or migrates the tables of the database."""
        is_first = await self._connections.open()
        if not is_first:
            return 0
        async with self._connections.connection() as connection:
            database_ms = await self._clock(connection)
            away_ms = await statements.continue_clocks(connection, database_ms, START_TIMEOUT_S)
        await self._connections.let_others_in()
        return away_ms

    async def close(self) -> None:
        """As `Store.close`."""
        await self._batches.close()
        await self._connections.close()

    async def append(self, request: LogAppend) -> bool:
        """As `Store.append`."""
        return await self._batches.submit(request)

    async def _write_batch(self, requests: Sequence[LogAppend]) -> Mapping[str, bool | StoreError]:
        """Write appends in one statement; if the rows of one may be at fault, write each alone."""
        try:
            async with self._connections.connection() as connection:
                written = await statements.append(connection, requests)
        except StoreError as error:
            if not isinstance(error.__cause__, ROW_ERRORS) or len(requests) == 1:
                return {request.code: error for request in requests}
            results: dict[str, bool | StoreError] = {}
            for request in requests:
                results |= await self._write_batch([request])
            return results
        return {request.code: request.code in written for request in requests}

    async def load(self, code: str) -> StoredTable | None:
        """As `Store.load`."""
        async with self._connections.connection() as connection:
            try:
                return await statements.load(connection, code)
            except DAMAGED as error:
                raise _damaged(code) from error

    async def load_match(self, code: str, number: int, limit: int) -> Sequence[LogRow]:
        """As `Store.load_match`."""
        async with self._connections.connection() as connection:
            try:
                return await statements.load_match(connection, code, number, limit)
            except DAMAGED as error:
                raise _damaged(code) from error

    async def load_state(self, code: str) -> StoredState | None:
        """As `Store.load_state`."""
        async with self._connections.connection() as connection:
            try:
                return await statements.load_state(connection, code)
            except DAMAGED as error:
                raise _damaged(code) from error

    async def heads(self, codes: Sequence[str]) -> Mapping[str, int]:
        """As `Store.heads`."""
        async with self._connections.connection() as connection:
            return await statements.heads(connection, codes)

    async def clock_ms(self) -> int:
        """As `SharedStore.clock_ms`."""
        async with self._connections.connection() as connection:
            return await self._clock(connection)

    async def load_changes(self, known_seqs: Mapping[str, int]) -> Mapping[str, StoredTable]:
        """As `SharedStore.load_changes`."""
        async with self._connections.connection() as connection:
            return await statements.load_changes(connection, known_seqs)

    async def claim_due(self, grace_ms: int, limit: int, but_not: Sequence[str] = ()) -> Sequence[str]:
        """As `SharedStore.claim_due`."""
        async with self._connections.connection() as connection:
            return await statements.claim_due(connection, await self._clock(connection), grace_ms, limit, but_not)

    async def postpone(self, due_times: Sequence[tuple[str, int, int]]) -> None:
        """As `SharedStore.postpone`."""
        async with self._connections.connection() as connection:
            await statements.postpone(connection, due_times)

    async def nodes_with_other_settings(self) -> Sequence[str]:
        """As `SharedStore.nodes_with_other_settings`."""
        async with self._connections.connection() as connection:
            nodes = await running_nodes(connection)
        return sorted(str(node) for node in nodes if node.settings not in ("", self._settings_digest))

    async def save_snapshot(self, code: str, snapshot: Snapshot) -> None:
        """As `Store.save_snapshot`."""
        async with self._connections.connection() as connection:
            await statements.save_snapshot(connection, code, snapshot)

    async def due_codes(self, after_ms: int, until_ms: int) -> Sequence[str]:
        """As `Store.due_codes`."""
        async with self._connections.connection() as connection:
            return await statements.due_codes(connection, after_ms, until_ms)

    async def listed_codes(self, limit: int, since_ms: int) -> Sequence[str]:
        """As `Store.listed_codes`."""
        async with self._connections.connection() as connection:
            return await statements.listed_codes(connection, limit, since_ms)

    async def unchanged_codes(self, before_ms: int, now_ms: int, limit: int) -> Sequence[str]:
        """As `Store.unchanged_codes`."""
        async with self._connections.connection() as connection:
            return await statements.unchanged_codes(connection, before_ms, now_ms, limit)

    async def delete_table(self, code: str, before_ms: int) -> bool:
        """As `Store.delete_table`."""
        async with self._connections.connection() as connection:
            return await statements.delete_table(connection, code, before_ms)

    async def heartbeat(self, now_ms: int) -> None:
        """As `Store.heartbeat`."""
        async with self._connections.lock_connection() as connection:
            await statements.record_presence(connection, now_ms)

    async def last_heartbeat_ms(self) -> int:
        """As `Store.last_heartbeat_ms`."""
        async with self._connections.connection() as connection:
            return await statements.last_presence_ms(connection)

    async def server_bans(self, now_ms: int) -> tuple[ServerBan, ...]:
        """As `Store.server_bans`."""
        async with self._connections.connection() as connection:
            return await statements.server_bans(connection, now_ms)

    async def program_tokens(self) -> tuple[ProgramToken, ...]:
        """As `Store.program_tokens`."""
        async with self._connections.connection() as connection:
            rows = await connection.fetch(SELECT_TOKENS)
        return read_tokens((row[0], row[1], row[2], row[3], row[4]) for row in rows)

    async def save_ticket(self, ticket_hash: str, code: str, player: int, until_ms: int) -> None:
        """As `Store.save_ticket`."""
        async with self._connections.connection() as connection:
            await statements.save_ticket(connection, ticket_hash, code, player, until_ms)

    async def redeem_ticket(self, ticket_hash: str, code: str, now_ms: int) -> int | None:
        """As `Store.redeem_ticket`."""
        async with self._connections.connection() as connection:
            return await statements.redeem_ticket(connection, ticket_hash, code, now_ms)


def _damaged(code: str) -> UnreadableTableError:
    return UnreadableTableError(f"the log of table {code} cannot be read: the database is damaged")
