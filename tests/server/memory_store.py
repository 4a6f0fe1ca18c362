"""A store in memory, for tests that play thousands of matches."""

import sqlite3
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec
import sqlalchemy as sa

from liarsdice.server.storage.db_schema import group_results, groups, metadata
from liarsdice.server.storage.store import LogAppend, ProgramToken, RawRow, ServerBan, StoredState, StoredTable
from liarsdice.server.table.log_entries import MatchBegan, Played, PlayerSeedRevealed
from liarsdice.server.table.snapshots import Snapshot, restore_snapshot


class MemoryStore:
    """A `Store` in dictionaries. `tables` and `snapshots` hold the stored tables by code."""

    def __init__(self) -> None:
        self.tables: dict[str, StoredTable] = {}
        self.snapshots: dict[str, Snapshot] = {}
        self.bans: tuple[ServerBan, ...] = ()
        self.tokens: tuple[ProgramToken, ...] = ()
        self._listed: dict[str, int] = {}
        self._heartbeat_ms = 0
        self._tickets: dict[str, tuple[str, int, int]] = {}

    async def open(self, now_ms: int) -> int:  # noqa: ARG002  as `Store` has it
        return 0

    async def close(self) -> None:
        """Nothing is open."""

    async def select(self, statement: str, *values: object) -> Sequence[tuple[Any, ...]]:
        return self._groups.execute(statement, {str(n): value for n, value in enumerate(values, 1)}).fetchall()

    @cached_property
    def _groups(self) -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        engine = sa.create_engine("sqlite://", creator=lambda: connection, poolclass=sa.StaticPool)
        metadata.create_all(engine, tables=[groups, group_results])
        return connection

    async def write(self, statement: str, *values: object) -> Sequence[tuple[Any, ...]]:
        return await self.select(statement, *values)

    async def append(self, request: LogAppend) -> bool:
        stored = self.tables.get(request.code, StoredTable((), None))
        if len(stored.rows) != request.expected_seq:
            return False
        self.tables[request.code] = StoredTable((*stored.rows, *request.rows), request.due_at_ms)
        self._listed.pop(request.code, None)
        if request.listed:
            self._listed[request.code] = request.rows[-1].at_ms
        return True

    async def load_match(self, code: str, number: int, limit: int) -> Sequence[RawRow]:
        rows = self.tables[code].rows if code in self.tables else ()
        began = [row.seq for row in rows if isinstance(row.entry, MatchBegan)]
        if number > len(began):
            return []
        own = rows[began[number - 1] - 1 : began[number] - 1 if number < len(began) else None]
        needed = [row for row in own if isinstance(row.entry, MatchBegan | Played | PlayerSeedRevealed)][:limit]
        return [(row.seq, row.at_ms, row.request_id, msgspec.json.encode(row.entry)) for row in needed]

    async def load_state(self, code: str) -> StoredState | None:
        stored, snapshot = self.tables.get(code), self.snapshots.get(code)
        if stored is None:
            return None
        state = restore_snapshot(code, snapshot.seq, snapshot.digest, snapshot.body) if snapshot else None
        return StoredState(state, stored.rows[state.seq if state else 0 :], stored.due_at_ms)

    async def heads(self, codes: Sequence[str]) -> Mapping[str, int]:
        return {code: self.tables[code].rows[-1].seq for code in codes if code in self.tables}

    async def save_snapshot(self, code: str, snapshot: Snapshot) -> None:
        self.snapshots[code] = snapshot

    async def due_codes(self, after_ms: int, until_ms: int) -> Sequence[str]:
        due = {code: stored.due_at_ms for code, stored in self.tables.items() if stored.due_at_ms is not None}
        return sorted((code for code, at_ms in due.items() if after_ms < at_ms <= until_ms), key=due.__getitem__)

    async def listed_codes(self, limit: int, since_ms: int) -> Sequence[str]:
        return [code for code, at_ms in reversed(self._listed.items()) if at_ms >= since_ms][:limit]

    async def unchanged_codes(self, before_ms: int, now_ms: int, limit: int) -> Sequence[str]:
        ages = {
            code: stored.rows[-1].at_ms for code, stored in self.tables.items() if (stored.due_at_ms or 0) <= now_ms
        }
        return sorted((code for code, at_ms in ages.items() if at_ms < before_ms), key=ages.__getitem__)[:limit]

    async def delete_table(self, code: str, before_ms: int) -> bool:
        if self.tables[code].rows[-1].at_ms >= before_ms:
            return False
        del self.tables[code]
        self.snapshots.pop(code, None)
        return True

    async def heartbeat(self, now_ms: int) -> None:
        self._heartbeat_ms = now_ms

    async def last_heartbeat_ms(self) -> int:
        return self._heartbeat_ms

    async def program_tokens(self) -> tuple[ProgramToken, ...]:
        return self.tokens

    async def server_bans(self, now_ms: int) -> tuple[ServerBan, ...]:
        return tuple(ban for ban in self.bans if ban.until_ms is None or ban.until_ms > now_ms)

    async def save_ticket(self, ticket_hash: str, code: str, player: int, until_ms: int) -> None:
        others = {other: known for other, known in self._tickets.items() if known[:2] != (code, player)}
        self._tickets = {**others, ticket_hash: (code, player, until_ms)}

    async def redeem_ticket(self, ticket_hash: str, code: str, now_ms: int) -> int | None:
        known = self._tickets.get(ticket_hash)
        if known is None or known[0] != code or known[2] < now_ms:
            return None
        del self._tickets[ticket_hash]
        return known[1]


class SharedMemoryStore(MemoryStore):
    """A `SharedStore` in dictionaries, for several nodes in one process. `time_ms`: its clock, which stands still."""

    def __init__(self, time_ms: int) -> None:
        super().__init__()
        self.time_ms = time_ms
        self.other_nodes: tuple[str, ...] = ()

    async def nodes_with_other_settings(self) -> Sequence[str]:
        return self.other_nodes

    async def clock_ms(self) -> int:
        return self.time_ms

    async def load_changes(self, known_seqs: Mapping[str, int]) -> Mapping[str, StoredTable]:
        known = {code: seq for code, seq in known_seqs.items() if code in self.tables}
        return {
            code: StoredTable(self.tables[code].rows[seq:], self.tables[code].due_at_ms)
            for code, seq in known.items()
            if self.tables[code].rows[-1].seq > seq
        }

    async def claim_due(self, grace_ms: int, limit: int, but_not: Sequence[str] = ()) -> Sequence[str]:
        due = await self.due_codes(0, self.time_ms - grace_ms - 1)
        codes = [code for code in due if code not in but_not][:limit]
        for code in codes:
            self.tables[code] = StoredTable(self.tables[code].rows, self.time_ms)
        return codes

    async def postpone(self, due_times: Sequence[tuple[str, int, int]]) -> None:
        for code, seq, due_at_ms in due_times:
            stored = self.tables[code]
            if stored.rows[-1].seq == seq and stored.due_at_ms is not None and stored.due_at_ms < due_at_ms:
                self.tables[code] = StoredTable(stored.rows, due_at_ms)
