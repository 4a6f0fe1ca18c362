"""A table that is loaded in this process: handles commands one at a time, commits, then updates its subscribers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from liarsdice.core.errors import LiarsDiceError
from liarsdice.server.bus.event_bus import TABLES
from liarsdice.server.errors import DatabaseLostError, StoreError, TryAgainError
from liarsdice.server.live.deadline_times import RunningDeadline, deadline_after, stored_deadline_at_ms
from liarsdice.server.live.interfaces import Subscriber, TableServices
from liarsdice.server.live.presence import TablePresence
from liarsdice.server.live.program_pace import ProgramPace
from liarsdice.server.live.recent_frames import RecentFrames
from liarsdice.server.live.seat_limits import SeatLimits
from liarsdice.server.live.table_loader import (
    UNCONFIRMED,
    apply_entries,
    fold_rows,
    is_newest,
    load_table,
    save_snapshot,
)
from liarsdice.server.protocol.encoding import TableFrames
from liarsdice.server.protocol.views import setup_changed
from liarsdice.server.storage.store import LogAppend, StoredTable
from liarsdice.server.table.command_handler import next_seed_entries
from liarsdice.server.table.deadlines import Deadline, next_deadline
from liarsdice.server.table.log_entries import LogEntry
from liarsdice.server.table.seating import restore_host, return_seats
from liarsdice.server.table.snapshots import is_snapshot_due
from liarsdice.server.table.table_state import Player, TableState

Decide = Callable[[TableState], list[LogEntry]]
"""Returns the entries to append to a table in this state, or raises."""

MAX_TRIES = 5
ANSWER_TIMEOUT_S = 4.5
"""How long a command waits for the database of several nodes, and for the commands before it, at most."""


class LiveTable:
    """One table: its state as far as this process knows it, its subscribers, and its next deadline.

    Use it on the event loop only. A lock makes appends wait for one another; reading never waits for it. `deadline` and
    `deadline_at_ms` (milliseconds since 1970) belong to the last known state. The functions in `on_change` are called
    after every change of the state. `drives`: whether the timers of this node act on the table; of several nodes, that
    is the one that wrote the entry from which the deadline runs, or has taken over since.
    """

    def __init__(self, services: TableServices, code: str) -> None:
        self.code = code
        self.subscribers: set[Subscriber] = set()
        self.deadline: Deadline | None = None
        self.deadline_at_ms: int | None = None
        self.on_change: list[Callable[[], None]] = []
        self.presence = TablePresence(services, code, self.subscribers)
        self.program_pace = ProgramPace(services.now_ms)
        self.seat_limits = SeatLimits(services.now_ms)
        self._recent_frames = RecentFrames()
        self._identified_players: tuple[Player, ...] = ()
        self._services = services
        self.drives = services.shared_store is None
        self._state: TableState | None = None
        self._seq = self._snapshot_seq = 0
        self._lock = asyncio.Lock()

    @property
    def busy(self) -> bool:
        """Whether an append is in progress."""
        return self._lock.locked()

    @property
    def known_state(self) -> TableState | None:
        """The last known state, None if it must be loaded first."""
        return self._state

    def left_ms(self) -> int | None:
        """Return the milliseconds until the next deadline, None without one."""
        return None if self.deadline_at_ms is None else max(0, self.deadline_at_ms - self._services.now_ms())

    async def state(self) -> TableState:
        """Return the state, loaded from the database if necessary.

        Raises as `load_table`.
        """
        return self._state or await self._load()

    async def _load(self) -> TableState:
        loaded = await load_table(self._services.store, self.code)
        table = loaded.state
        if self._state is None or self._state.seq < table.seq:
            self._save_snapshot_if_due(None, table, loaded.snapshot_seq)
            self._accept(table, loaded.due_at_ms, setup_changed=True)
            return table
        return self._state

    def _accept(self, table: TableState, due_at_ms: int | None, *, setup_changed: bool) -> None:
        """Hold a state from the database, which another writer may have reached, and send it to the subscribers."""
        deadline = next_deadline(table)
        if table.seq > self._seq:
            self.drives = self._services.shared_store is None or (self.drives and self._goes_on(deadline))
        self._state, self._seq, self.deadline = table, table.seq, deadline
        now_ms, pace = self._services.now_ms(), self._services.pace
        self.deadline_at_ms = stored_deadline_at_ms(self.deadline, due_at_ms, now_ms, pace)
        self.send_updates(setup_changed=setup_changed)
        self._notify()

    async def append(self, decide: Decide, request_id: str = "") -> int:
        """Append the entries that `decide` returns for the current state; return the seq of the log afterwards.

        If another process appends first, the state is loaded again and `decide` is asked again. A request whose id led
        to an entry before is not handled again: its seq is returned. If the caller is cancelled, the entries may be
        appended nevertheless, which the next append finds out. Raises what `decide` raises, and `TryAgainError` if the
        outcome is unknown, also after `ANSWER_TIMEOUT_S`, or too many processes append at once.
        """
        patience_s = None if self._services.shared_store is None else ANSWER_TIMEOUT_S
        try:
            async with asyncio.timeout(patience_s), self._lock:
                return await self._append(decide, request_id)
        except TimeoutError as error:
            raise TryAgainError(UNCONFIRMED) from error

    async def _append(self, decide: Decide, request_id: str) -> int:
        """As `append`, while the lock is held."""
        for _ in range(MAX_TRIES):
            table = await self.state()
            if request_id and request_id in table.handled_requests:
                return table.handled_requests[request_id]
            try:
                entries = decide(table)
            except LiarsDiceError:
                if self._services.shared_store is None or await is_newest(self._services.store, table):
                    raise
                self._state = None
                continue
            if not entries:
                return table.seq
            written = await self._try_append(table, entries, request_id)
            if written is not None:
                return written.handled_requests.get(request_id, written.seq)
            self._services.metrics.conflicts.inc()
            self._state = None
        raise TryAgainError("too many commands at this table; try again in a moment")

    async def _try_append(
        self, before: TableState | None, entries: list[LogEntry], request_id: str
    ) -> TableState | None:
        """Append entries after the state `before` (None: a new table) and return the new state.

        Returns None if another process was first. Raises `DatabaseLostError`, or `TryAgainError` if all is unknown.
        """
        now_ms = self._services.now_ms()
        table, rows = apply_entries(before, entries, request_id, now_ms)
        if seed_entries := next_seed_entries(table, self._services.dice_source):
            table, seed_rows = apply_entries(table, seed_entries, "", now_ms)
            rows += seed_rows
        running = RunningDeadline(self._state, self.deadline, self.deadline_at_ms)
        deadline, deadline_at_ms = deadline_after(running, table, now_ms, self._services.pace)
        request = LogAppend(
            self.code, before.seq if before else 0, tuple(rows), deadline_at_ms, listed=table.config.listed
        )
        try:
            written = await self._services.store.append(request)
        except DatabaseLostError:
            raise
        except (StoreError, asyncio.CancelledError) as error:
            self._state = None  # the entries may be in the log, or come there
            if isinstance(error, StoreError):
                raise TryAgainError(UNCONFIRMED) from error
            raise
        if not written:
            return None
        self.drives = self.drives or not self._goes_on(deadline)
        self._state, self.deadline, self.deadline_at_ms = table, deadline, deadline_at_ms
        self._seq = table.seq
        self._services.metrics.commits.inc()
        self.send_updates(setup_changed=before is None or setup_changed(before, table))
        self._services.event_bus.publish(TABLES, self.code, str(table.seq))
        self._save_snapshot_if_due(before, table, self._snapshot_seq)
        self._notify()
        return table

    def _goes_on(self, deadline: Deadline | None) -> bool:
        """Return whether the present deadline still runs in a new state with a deadline."""
        return self.deadline is not None and deadline is not None and self.deadline.key == deadline.key

    def _save_snapshot_if_due(self, before: TableState | None, table: TableState, snapshot_seq: int) -> None:
        """Save a snapshot of a new state in a task of its own if one is due after the last one at `snapshot_seq`."""
        self._snapshot_seq = snapshot_seq
        if is_snapshot_due(before, table, snapshot_seq):
            self._snapshot_seq = table.seq
            _ = self._services.start_task(save_snapshot(self._services.store, table))

    async def create(self, entries: list[LogEntry]) -> bool:
        """Create the table in the database; return False if its code is taken. Raises `TryAgainError`."""
        async with self._lock:
            return await self._try_append(None, entries, "") is not None

    async def refresh(self) -> None:
        """Load the table again, because another process may have changed it, and update the subscribers.

        Raises as `state`.
        """
        async with self._lock:
            self._state = None
            await self._load()

    async def catch_up(self, stored: StoredTable) -> None:
        """Apply the rows that another node has appended, and update the subscribers. Raises as `state`."""
        async with self._lock:
            before = self._state
            after = None if before is None else fold_rows(before, stored.rows)
            if before is None or after is None:
                self._state = None
                await self._load()
            elif after is not before:
                if is_snapshot_due(before, after, self._snapshot_seq):
                    self._snapshot_seq = after.seq  # the node that appended saves it
                self._accept(after, stored.due_at_ms, setup_changed=setup_changed(before, after))

    def take_over(self) -> None:
        """Let the timers of this node act on the table, whose deadline has passed."""
        self.drives = True
        self._notify()

    def _notify(self) -> None:
        self._return_seats()
        self.program_pace.follow(self._state)
        for callback in self.on_change:
            callback()

    def send_updates(self, *, setup_changed: bool) -> None:
        """Send every subscriber the changes since its last update, with the setup if that has changed.

        Each subscriber receives the view of its own seat only.
        """
        table = self._state
        if table is None or not self.subscribers:
            return
        self._identify_subscribers(table)
        self.presence.remove_spectators(table)
        frames = TableFrames(table, self.left_ms())
        for subscriber in tuple(self.subscribers):
            if subscriber.last_seq >= table.seq:
                continue
            if setup_changed:
                subscriber.send(frames.setup)
            since_seq, subscriber.last_seq = subscriber.last_seq, table.seq
            subscriber.send(frames.update(subscriber.player, since_seq))

    def frames(self) -> TableFrames:
        """Return the messages about the last known state. The caller has loaded it."""
        assert self._state is not None
        return self._recent_frames.of(self._state, self.left_ms)

    def _identify_subscribers(self, table: TableState) -> None:
        """Update which seat each subscriber holds, after players came or left."""
        if table.players is self._identified_players:
            return
        self._identified_players = table.players
        changed = list[Subscriber]()
        for subscriber in self.subscribers:
            player_id = table.id_by_token(subscriber.token_hash)
            if player_id != subscriber.player:
                subscriber.player = player_id
                changed.append(subscriber)
        for subscriber in changed:
            self.presence.greet(subscriber)
        if changed:
            self.presence.subscribers_changed()

    def subscribe(self, subscriber: Subscriber) -> None:
        """Send a new subscriber the setup and everything since its `last_seq`, and all changes from now on.

        The caller has loaded the state and has checked that the subscriber may see the table.
        """
        table = self._state
        assert table is not None
        if subscriber.last_seq > table.seq:
            subscriber.last_seq = 0
        subscriber.player = table.id_by_token(subscriber.token_hash)
        frames = self.frames()
        subscriber.send(frames.setup)
        subscriber.send(frames.update(subscriber.player, subscriber.last_seq))
        subscriber.last_seq = table.seq
        self.subscribers.add(subscriber)
        self.presence.greet(subscriber)
        self.presence.subscribers_changed()
        self._return_seats()
        if subscriber.player is not None and restore_host(table, subscriber.player):
            _ = self._services.start_task(self._restore_host(subscriber.player))

    async def _restore_host(self, player_id: int) -> None:
        """Make whoever opened the table its host again; if that fails, the next connection tries it again."""
        with suppress(LiarsDiceError):
            await self.append(lambda table: restore_host(table, player_id))

    def _return_seats(self) -> None:
        """End the stand-ins of the players who have a page open here, whatever let a bot play for them."""
        if self._state is not None and return_seats(self._state, self.presence.is_connected):
            _ = self._services.start_task(self._append_returns())

    async def _append_returns(self) -> None:
        """As `_return_seats`; if that fails, the next change or connection tries it again."""
        with suppress(LiarsDiceError):
            await self.append(lambda table: return_seats(table, self.presence.is_connected))

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Send a subscriber nothing more."""
        self.subscribers.discard(subscriber)
        self.presence.subscribers_changed([subscriber])
