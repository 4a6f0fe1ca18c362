"""A table that is awake in this process: judges wishes one after another, commits, then tells those who look on."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable
from typing import Protocol

from liarsdice.server.errors import NoTableError, TryAgainError
from liarsdice.server.protocol.encoding import ENCODER, Frames
from liarsdice.server.protocol.messages import ErrorCode, Presence, Problem, Stage
from liarsdice.server.services import House
from liarsdice.server.storage.store import Append, StoreError
from liarsdice.server.table.command_handler import sealed_after
from liarsdice.server.table.deadlines import Due, due
from liarsdice.server.table.log_entries import Entry, Row
from liarsdice.server.table.reducer import fold, grown
from liarsdice.server.table.table_state import Player, TableState

Deciding = Callable[[TableState], list[Entry]]
MOST_TRIES = 5
NO_SPECTATORS = "only those who play may see this table"


class Watcher(Protocol):
    """A page that looks at a table.

    `holder`: the hash of its token; `player`: whose seat that holds, None for none; `have`: the seq it was last sent.
    """

    holder: str
    player: int | None
    have: int

    def send(self, frame: bytes) -> None:
        """Hand over a frame; it is sent when the line is free."""
        ...

    def end(self, frame: bytes) -> None:
        """Hand over a last frame, and hang up once it is sent."""
        ...


class Room:
    """One table: its state as far as this process knows it, who looks on, and what is due."""

    def __init__(self, house: House, code: str) -> None:
        self.code = code
        self.watchers: set[Watcher] = set()
        self.due_at_ms: int | None = None
        self.due: Due | None = None
        self.after: list[Callable[[], None]] = []
        self._gone_ms: dict[int, int] = {}
        self._recognised: tuple[Player, ...] = ()
        self._house = house
        self._since_ms = house.now_ms()
        self._table: TableState | None = None
        self._lock = asyncio.Lock()

    @property
    def busy(self) -> bool:
        """Whether something is being decided or written right now."""
        return self._lock.locked()

    @property
    def known(self) -> TableState | None:
        """The table as it was last known here, None where it must be read again."""
        return self._table

    def left_ms(self) -> int | None:
        """What is left until the table goes on by itself."""
        if self.due_at_ms is None:
            return None
        return max(0, self.due_at_ms - self._house.now_ms())

    async def table(self) -> TableState:
        """The table as it is. Raises `NoTableError` where there is none, and `TryAgainError` where none can be read."""
        return self._table or await self._load()

    async def _load(self) -> TableState:
        try:
            kept = await self._house.store.load(self.code)
        except StoreError as error:
            raise TryAgainError("the table cannot be read just now; try again in a moment") from error
        table = fold(kept.rows) if kept else None
        if kept is None or table is None:
            raise NoTableError(f"there is no table {self.code}; check the code, or open one of your own")
        if self._table is None or self._table.seq < table.seq:
            self._table, self.due, self.due_at_ms = table, due(table), kept.due_at_ms
            self.tell(setting=True)  # what was written without our knowing has been told to nobody
            for done in self.after:
                done()
        return self._table

    async def append(self, deciding: Deciding, wish: str = "") -> int:
        """Decide on the table as it is and write what follows; returns the seq at which it stands.

        A wish that was granted before is not granted again. Once begun it is finished, whoever stops waiting for it.
        """
        return await asyncio.shield(self._house.start(self._append(deciding, wish)))

    async def _append(self, deciding: Deciding, wish: str) -> int:
        async with self._lock:
            for _ in range(MOST_TRIES):
                table = await self.table()
                if wish and wish in table.wishes:
                    return table.wishes[wish]
                entries = deciding(table)
                if not entries:
                    return table.seq
                done = await self._try(table, entries, wish)
                if done is not None:
                    return done.wishes.get(wish, done.seq)
                self._house.meters.conflicts.inc()
                self._table = None
            raise TryAgainError("too much happens at this table at once; try again in a moment")

    async def _try(self, before: TableState | None, entries: list[Entry], wish: str) -> TableState | None:
        """Write entries behind what is known; None where somebody was first."""
        now_ms = self._house.now_ms()
        table, rows = _grow(before, entries, wish, now_ms)
        if promised := sealed_after(table, self._house.chances):
            table, more = _grow(table, promised, "", now_ms)
            rows += more
        due_now, due_at_ms = self._due_after(table, now_ms)
        head = before.seq if before else 0
        try:
            kept = await self._house.store.append(
                Append(self.code, head, tuple(rows), due_at_ms, listed=table.options.listed)
            )
        except StoreError as error:
            self._table = None
            raise TryAgainError("it is not known whether that was done; the table will show it") from error
        if not kept:
            return None
        self._table, self.due, self.due_at_ms = table, due_now, due_at_ms
        self._house.meters.commits.inc()
        self.tell(setting=before is None or _set_anew(before, table))
        self._house.bus.tell(self.code, table.seq)
        for done in self.after:
            done()
        return table

    async def open(self, entries: list[Entry]) -> bool:
        """Make this a new table; False where the code is taken."""
        async with self._lock:
            return await self._try(None, entries, "") is not None

    def _due_after(self, table: TableState, now_ms: int) -> tuple[Due | None, int | None]:
        """What is due next, and when: time that runs already runs on, and a pause keeps what was left."""
        fresh, known = due(table), self._table
        if fresh is None:
            return None, None
        if self.due is not None and self.due.key == fresh.key:
            return fresh, self.due_at_ms
        if known is not None and known.left_ms is not None and known.left_of == fresh.key:
            return fresh, now_ms + known.left_ms
        return fresh, now_ms + round(fresh.after_ms * (self._house.pace if fresh.paced else 1))

    async def refresh(self) -> None:
        """Read again what another process may have written, and tell of it."""
        async with self._lock:
            self._table = None
            await self._load()

    # ---- telling --------------------------------------------------------------------------------------------------

    def tell(self, *, setting: bool) -> None:
        """Send every page what is new to it, and the setting where that has changed."""
        table = self._table
        if table is None or not self.watchers:
            return
        self._recognise(table)
        self._send_away(table)
        frames = Frames(table, self.left_ms())
        for watcher in tuple(self.watchers):
            if watcher.have >= table.seq:
                continue
            if setting:
                watcher.send(frames.setting)
            had, watcher.have = watcher.have, table.seq
            watcher.send(frames.update(watcher.player, had))

    def _recognise(self, table: TableState) -> None:
        """Who holds which seat now: people sit down, get up and are sent away."""
        if table.players is self._recognised:
            return
        self._recognised = table.players
        changed = False
        for watcher in self.watchers:
            held = held_by(table, watcher.holder)
            player = None if held is None else held.id
            changed = changed or player != watcher.player
            watcher.player = player
        if changed:
            self.tell_presence()

    def _send_away(self, table: TableState) -> None:
        """Hang up on those to whom the table is not shown (any more)."""
        away = [watcher for watcher in self.watchers if not may_look(table, watcher.player)]
        self.watchers.difference_update(away)
        for watcher in away:
            watcher.end(ENCODER.encode(Problem(ErrorCode.NO_SPECTATORS, NO_SPECTATORS)))
        if away:
            self.tell_presence()

    def welcome(self, watcher: Watcher) -> None:
        """Send a page everything that it needs, and from now on whatever happens."""
        table = self._table
        assert table is not None
        if watcher.have > table.seq:
            watcher.have = 0
        held = held_by(table, watcher.holder)
        watcher.player = None if held is None else held.id
        frames = Frames(table, self.left_ms())
        watcher.send(frames.setting)
        watcher.send(frames.update(watcher.player, watcher.have))
        watcher.have = table.seq
        self.watchers.add(watcher)
        self.tell_presence()

    def leave(self, watcher: Watcher) -> None:
        """Send a page nothing more."""
        self.watchers.discard(watcher)
        if watcher.player is not None:
            self._gone_ms[watcher.player] = self._house.now_ms()
        self.tell_presence()

    def tell_presence(self) -> None:
        """Tell every page who is there."""
        here = tuple(sorted({watcher.player for watcher in self.watchers if watcher.player is not None}))
        watching = sum(watcher.player is None for watcher in self.watchers)
        frame = ENCODER.encode(Presence(here, watching))
        for watcher in tuple(self.watchers):
            watcher.send(frame)

    def is_here(self, player: int) -> bool:
        """Whether a player has a page open at this table."""
        return any(watcher.player == player for watcher in self.watchers)

    def away_ms(self, player: int) -> int:
        """For how long this process knows that a player has no page open here."""
        return self._house.now_ms() - self._gone_ms.get(player, self._since_ms)


def _set_anew(before: TableState, table: TableState) -> bool:
    return before.options is not table.options or before.stage is not table.stage


def may_look(table: TableState, player: int | None) -> bool:
    """Whether a table is shown now to a player, or to somebody without a seat (None)."""
    return player is not None or table.options.spectators or table.stage is not Stage.PLAYING


def held_by(table: TableState, holder: str) -> Player | None:
    """The player whose seat the hash of a token holds, compared in constant time; None for everybody else."""
    if not holder:
        return None
    found = None
    for player in table.players:
        for known in player.holders:
            if hmac.compare_digest(known, holder) and not player.gone:
                found = player
    return found


def _grow(before: TableState | None, entries: list[Entry], wish: str, now_ms: int) -> tuple[TableState, list[Row]]:
    assert entries
    table, rows = before, list[Row]()
    for entry in entries:
        row = Row((table.seq if table else 0) + 1, now_ms, "" if rows else wish, entry)
        table = grown(table, row)
        rows.append(row)
    assert table is not None
    return table, rows
