"""A store that forgets everything at the end, for tests that play thousands of matches."""

from __future__ import annotations

from collections.abc import Sequence

from liarsdice.server.storage.store import Append, Kept


class MemoryStore:
    """As `Store`, in a dictionary."""

    def __init__(self) -> None:
        self.kept: dict[str, Kept] = {}
        self._listed: dict[str, int] = {}
        self._tickets: dict[str, tuple[str, int, int]] = {}

    async def open(self, now_ms: int) -> int:  # noqa: ARG002  as `Store` has it
        return 0

    async def close(self) -> None:
        """Nothing is held."""

    async def append(self, wanted: Append) -> bool:
        known = self.kept.get(wanted.code, Kept((), None))
        if len(known.rows) != wanted.head:
            return False
        self.kept[wanted.code] = Kept((*known.rows, *wanted.rows), wanted.due_at_ms)
        self._listed.pop(wanted.code, None)
        if wanted.listed:
            self._listed[wanted.code] = wanted.rows[-1].at_ms
        return True

    async def load(self, code: str) -> Kept | None:
        return self.kept.get(code)

    async def due(self, after_ms: int, until_ms: int) -> Sequence[str]:
        late = {code: kept.due_at_ms for code, kept in self.kept.items() if kept.due_at_ms is not None}
        return sorted((code for code, at_ms in late.items() if after_ms < at_ms <= until_ms), key=late.__getitem__)

    async def listed(self, most: int, since_ms: int) -> Sequence[str]:
        return [code for code, at_ms in reversed(self._listed.items()) if at_ms >= since_ms][:most]

    async def alive(self, now_ms: int) -> None:
        """Nobody asks."""

    async def keep_ticket(self, ticket: str, code: str, player: int, until_ms: int) -> None:
        self._tickets[ticket] = (code, player, until_ms)

    async def take_ticket(self, ticket: str, code: str, now_ms: int) -> int | None:
        known = self._tickets.get(ticket)
        if known is None or known[0] != code or known[2] < now_ms:
            return None
        del self._tickets[ticket]
        return known[1]
