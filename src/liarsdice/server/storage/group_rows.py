"""Stores groups and the results of their matches in a database of either kind, by the same statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from liarsdice.core.errors import LiarsDiceError
from liarsdice.server.errors import UnreadableTableError
from liarsdice.server.storage.store import Store

T = TypeVar("T")
GroupRow = tuple[int, bytes]
"""The version of a group, and its body."""

INSERT = "INSERT INTO groups VALUES ($1, 1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING version"
UPDATE = (
    "UPDATE groups SET version = version + 1, touched_at_ms = $3, due_at_ms = $4, body = $5"
    " WHERE code = $1 AND version = $2 RETURNING version"
)
SELECT = "SELECT version, body FROM groups WHERE code = $1"
SELECT_DUE = "SELECT code FROM groups WHERE due_at_ms <= $1 ORDER BY due_at_ms LIMIT $2"
DELETE = "DELETE FROM groups WHERE code = $1 RETURNING code"
INSERT_RESULT = "INSERT INTO group_results VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING match_number"
SELECT_RESULTS = "SELECT body FROM group_results WHERE code = $1 ORDER BY at_ms, match_table, match_number"
SELECT_COUNTED = "SELECT match_table, match_number FROM group_results WHERE code = $1"
DELETE_RESULTS = "DELETE FROM group_results WHERE code = $1 RETURNING match_number"


class GroupRows:
    """The groups in a store. Every method is called on the event loop and raises `StoreError` as the store does."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def load(self, code: str) -> GroupRow | None:
        """Return a group, None if there is none with this code."""
        rows = await self._store.select(SELECT, code)
        return (rows[0][0], bytes(rows[0][1])) if rows else None

    async def create(self, code: str, now_ms: int, due_at_ms: int | None, body: bytes) -> bool:
        """Store a new group; return False if the code is taken."""
        return bool(await self._store.write(INSERT, code, now_ms, due_at_ms, body))

    async def update(self, code: str, version: int, now_ms: int, due_at_ms: int | None, body: bytes) -> bool:
        """Replace a group that still has a version; return False if somebody else was first."""
        return bool(await self._store.write(UPDATE, code, version, now_ms, due_at_ms, body))

    async def due_codes(self, now_ms: int, limit: int) -> Sequence[str]:
        """Return the codes of at most `limit` groups that something is to be said to by now."""
        return [row[0] for row in await self._store.select(SELECT_DUE, now_ms, limit)]

    async def delete(self, code: str) -> None:
        """Delete a group with its results."""
        await self._store.write(DELETE, code)
        await self._store.write(DELETE_RESULTS, code)  # after the group, of which a match may be counted meanwhile

    async def add_result(self, code: str, table: str, match: int, at_ms: int, body: bytes) -> bool:
        """Store the result of a match; return False if it is there already."""
        return bool(await self._store.write(INSERT_RESULT, code, table, match, at_ms, body))

    async def results(self, code: str) -> Sequence[bytes]:
        """Return the results of a group, the earliest first."""
        return [bytes(row[0]) for row in await self._store.select(SELECT_RESULTS, code)]

    async def counted(self, code: str) -> frozenset[tuple[str, int]]:
        """Return the table and the number of each match that a group has the result of."""
        return frozenset((row[0], row[1]) for row in await self._store.select(SELECT_COUNTED, code))


def read_body(code: str, body: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    """Return what a row holds. Raises `UnreadableTableError` without the content, which may be secret."""
    try:
        return decoder.decode(body)
    except (msgspec.DecodeError, LiarsDiceError, UnicodeError, RecursionError, TypeError) as error:
        raise UnreadableTableError(f"group {code} cannot be read: {type(error).__name__}") from error
