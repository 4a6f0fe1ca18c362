"""A table that is loaded in this process: handles commands one at a time, commits, then updates its subscribers.

Beside it: how a table is loaded from its log, who is connected, and the limits of its seats.
"""

from __future__ import annotations

import asyncio
import weakref
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Sequence
from contextlib import suppress

import msgspec
import structlog

from liarsdice.core.actions import MOVES
from liarsdice.core.errors import LiarsDiceError
from liarsdice.server.bus.event_bus import TABLES
from liarsdice.server.errors import (
    DatabaseLostError,
    NoSpectatorsError,
    RateLimitError,
    StoreError,
    TableNotFoundError,
    TryAgainError,
    UnreadableTableError,
)
from liarsdice.server.live.node_presence import OpenPages
from liarsdice.server.live.table_services import Subscriber, TableServices
from liarsdice.server.protocol.encoding import ENCODER, TableFrames
from liarsdice.server.protocol.messages import ErrorCode, Presence, Problem
from liarsdice.server.protocol.views import setup_changed
from liarsdice.server.storage.store import LogAppend, Store, StoredTable
from liarsdice.server.table import commands as c
from liarsdice.server.table.command_handler import next_seed_entries
from liarsdice.server.table.commands import Command
from liarsdice.server.table.deadlines import (
    Deadline,
    DeadlineKind,
    next_deadline,
    program_delay_ms,
    takeover_at_ms,
)
from liarsdice.server.table.log_entries import LogEntry, LogRow
from liarsdice.server.table.reducer import apply_row, apply_stored_row
from liarsdice.server.table.seating import restore_host, return_seats
from liarsdice.server.table.snapshots import SNAPSHOT_EVERY, is_snapshot_due, take_snapshot
from liarsdice.server.table.table_state import Player, TableState, player_on_turn
from liarsdice.server.token_bucket import TokenBucket


def stored_deadline_at_ms(deadline: Deadline | None, due_at_ms: int | None, now_ms: int, pace: float) -> int | None:
    """Return the stored time of the present deadline, but none that is further away than the whole wait."""
    if deadline is None or due_at_ms is None:
        return due_at_ms
    return min(due_at_ms, now_ms + _whole_wait_ms(deadline, pace))


def _whole_wait_ms(deadline: Deadline, pace: float) -> int:
    return round(deadline.after_ms * (pace if deadline.paced else 1))


NO_SPECTATORS = "only those who play may see this table"
ANNOUNCE_EVERY_S = 0.25
"""The shortest time between two announcements at one table. A crowd that comes or leaves causes a few, not hundreds."""


_Announced = tuple[tuple[int, ...], int, int | None]
"""The ids of the players who look at the table, the number of spectators, and when a bot moves for an absent player.

That is the time in milliseconds since 1970, None if no bot will.
"""


class TablePresence:
    """The players who look at one table and the number of its spectators. Use it on the event loop only.

    `subscribers` is the live set of the table: the announcements say what it holds when they are sent. `takeover_at_ms`
    returns when a bot plays for the player on turn, None if no bot will.
    """

    def __init__(
        self,
        services: TableServices,
        code: str,
        subscribers: set[Subscriber],
        takeover_at_ms: Callable[[], int | None],
    ) -> None:
        self.code = code
        self._services = services
        self._subscribers = subscribers
        self._takeover_at_ms = weakref.WeakMethod(takeover_at_ms)  # of the table, which holds this object
        self._elsewhere = services.node_presence.pages_elsewhere(code)
        self._loaded_at_ms = services.now_ms()
        self._last_here_ms: dict[int, int] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._announced: _Announced | None = None

    def is_connected(self, player_id: int) -> bool:
        """Return whether a player looks at a page of this table, on any node."""
        return player_id in self.connected()

    def connected(self) -> set[int]:
        """Return the ids of the players who look at a page of this table, on any node."""
        return self._players_here().union(self._elsewhere.players)

    def away_since_ms(self, player_id: int) -> int:
        """Return the time at which a player last looked at the table through this node, in milliseconds since 1970.

        It is the time at which this node loaded the table if they have not looked at it since.
        """
        return self._last_here_ms.get(player_id, self._loaded_at_ms)

    def is_away(self, player_id: int, for_ms: int) -> bool:
        """Return whether a player has looked at no page of this table for a time."""
        away_ms = self._services.now_ms() - self.away_since_ms(player_id)
        return not self.is_connected(player_id) and away_ms >= for_ms

    def local_pages(self) -> OpenPages:
        """As `LocalTable.local_pages`."""
        watching = sum(subscriber.player is None for subscriber in self._subscribers)
        return OpenPages(tuple(sorted(self._players_here())), watching)

    def _players_here(self) -> set[int]:
        return {page.player for page in self._subscribers if page.player is not None and page.looking}

    def subscribers_changed(self, left: Collection[Subscriber] = ()) -> None:
        """Tell every subscriber and the other nodes that pages were opened, closed, shown or hidden here.

        They are told at once, or `ANNOUNCE_EVERY_S` after the last announcement. `left`: whose pages were closed or
        hidden.
        """
        for subscriber in left:
            if subscriber.player is not None:
                self._last_here_ms[subscriber.player] = self._services.now_ms()
        self._services.node_presence.changed(self, empty=not self._subscribers)
        self.announce()

    def remove_spectators(self, table: TableState) -> None:
        """Disconnect the subscribers that may not see the table any more."""
        if table.is_visible_to(None):
            return
        removed = [subscriber for subscriber in self._subscribers if not table.is_visible_to(subscriber.player)]
        self._subscribers.difference_update(removed)
        for subscriber in removed:
            subscriber.end(ENCODER.encode(Problem(ErrorCode.NO_SPECTATORS, NO_SPECTATORS)))
        if removed:
            self.subscribers_changed(removed)

    def elsewhere_changed(self) -> None:
        """Take over what other nodes have told since, and tell every subscriber."""
        before, self._elsewhere = self._elsewhere, self._services.node_presence.pages_elsewhere(self.code)
        for player_id in set(before.players) - set(self._elsewhere.players):
            self._last_here_ms[player_id] = self._services.now_ms()
        self.announce()

    def greet(self, subscriber: Subscriber) -> None:
        """Tell a subscriber at once what is true now: a new one, or one who has taken or left a seat."""
        now = self._now()
        if now != self._announced:
            self._announced = None  # no longer what all of them know
        subscriber.send_presence(self._frame(now))

    def announce(self) -> None:
        """Tell every subscriber what is true now, if that has changed."""
        if self._timer is not None or not self._subscribers:
            return
        now = self._now()
        if now == self._announced:
            return
        self._announced, frame = now, self._frame(now)
        for subscriber in tuple(self._subscribers):
            subscriber.send_presence(frame)
        self._timer = asyncio.get_running_loop().call_later(ANNOUNCE_EVERY_S, self._end_pause)

    def _end_pause(self) -> None:
        self._timer = None
        self.announce()

    def _now(self) -> _Announced:
        watching = self.local_pages().watching + self._elsewhere.watching
        takeover_at_ms = self._takeover_at_ms()
        return tuple(sorted(self.connected())), watching, takeover_at_ms() if takeover_at_ms else None

    def _frame(self, announced: _Announced) -> bytes:
        connected, watching, at_ms = announced
        bot_ms = None if at_ms is None else max(0, at_ms - self._services.now_ms())
        return ENCODER.encode(Presence(connected, watching, bot_ms))


class ProgramPace:
    """Knows since when one table waits for its next move, as far as this process has seen.

    `now_ms` returns milliseconds of any clock that never goes back.
    """

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._situation: tuple[int, int] | None = None
        self._since_ms = 0

    def follow(self, table: TableState | None) -> None:
        """Take note of a new state of the table, None if it is not known."""
        match = None if table is None else table.ongoing_match
        situation = None if match is None else (match.number, match.turn_id)
        if situation != self._situation:
            self._situation, self._since_ms = situation, self._now_ms()

    async def wait(self, table: TableState, token_hash: str, command: Command, turn_id: int, pace: float) -> None:
        """Wait until a program may make a move. Other players and commands, and stale moves, wait for nothing.

        `turn_id`: the step of the match that the move answers. `pace` multiplies the wait.
        """
        player = table.player_by_token(token_hash)
        if not isinstance(command, MOVES) or player is None or not player.program or table.match is None:
            return
        seat = table.seat_of(player.id)
        if seat is not None and turn_id == table.match.turn_id:
            due_ms = self._since_ms + program_delay_ms(table, seat) * pace
            await asyncio.sleep(max(0.0, due_ms - self._now_ms()) / 1000)


KEPT_S = 0.05
"""How old the time until the next deadline may be in a shared message. A crowd comes within a few such times."""


class RecentFrames:
    """The messages about the state of one table that a subscriber received last, for `KEPT_S`.

    Building them takes milliseconds at the largest tables: a hundred spectators who come at once receive the same ones.
    """

    def __init__(self) -> None:
        self._table: TableState | None = None
        self._frames: TableFrames | None = None

    def of(self, table: TableState, left_ms: Callable[[], int | None]) -> TableFrames:
        """Return the messages about a state. `left_ms` returns the milliseconds until its next deadline."""
        if self._frames is None or self._table is not table:
            self._table, self._frames = table, TableFrames(table, left_ms())
            asyncio.get_running_loop().call_later(KEPT_S, _call_if_alive, weakref.WeakMethod(self._forget))
        return self._frames

    def _forget(self) -> None:
        self._table = self._frames = None


def _call_if_alive(kept: weakref.WeakMethod[Callable[[], None]]) -> None:
    """Call a method unless its object is gone: a timer does not keep a table that was unloaded."""
    if (method := kept()) is not None:
        method()


MESSAGE_BURST, MESSAGES_PER_S = 40, 10
"""How many messages a seat may send at once, and per second in the long run."""
ENTRY_BURST, ENTRIES_PER_S = 40, 0.5
"""How many commands of a seat may change a table, not counting talk and those that the match itself limits."""
LINES_PER_S = 1
"""How many lines a seat may say per second."""
CHANGE_COST = 10
"""A `Change` counts as this many commands: its entry has all rules."""
REPORT_BURST, REPORTS_PER_HOUR = 3, 6
"""How often the people at one address may report players of a table."""
SEAT_BURST, SEATS_PER_MINUTE = 24, 12
"""How often the people at one address may sit down at a table, or ask for a seat."""
MAX_REMEMBERED = 1_000

LIMITED_BY_MATCH = (*MOVES, c.Ready, c.GuessCall, c.CommitSeed, c.RevealSeed, c.AcceptRules)
"""Commands that change a table once in each situation."""

TOO_MANY = "too many commands from your seat; wait a moment and send fewer"
TOO_MUCH_TALK = "one line of talk a second; wait a moment"
TOO_MANY_REPORTS = "you reported players here just now; wait some minutes"
TOO_MANY_SEATS = "many people from your network have sat down here just now; wait a minute"


class SeatLimits:
    """The budgets at one table of its players and of those who sit down. `now_ms` returns milliseconds.

    Every method raises `RateLimitError` if a budget is used up. Only the latest `MAX_REMEMBERED` budgets are kept.
    """

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._buckets: OrderedDict[Hashable, TokenBucket] = OrderedDict()

    def count_message(self, player_id: int, cost: float) -> None:
        """Count a message of a seat, whatever it is."""
        self._spend(("message", player_id), MESSAGE_BURST, MESSAGES_PER_S, cost, TOO_MANY)

    def count_entries(self, player_id: int, command: c.Command | None, sign: int = 1) -> None:
        """Count what changes the table: a command, or None for a request over HTTP.

        `sign` -1 takes that back, for a command that could not be stored.
        """
        if isinstance(command, c.Say):
            self._spend(("say", player_id), LINES_PER_S, LINES_PER_S, sign, TOO_MUCH_TALK)
        elif not isinstance(command, LIMITED_BY_MATCH):
            cost = CHANGE_COST if isinstance(command, c.Change) else 1
            self._spend(("entry", player_id), ENTRY_BURST, ENTRIES_PER_S, sign * cost, TOO_MANY)

    def count_report(self, person: str) -> None:
        """Count a report. `person`: as in `count_seat`."""
        self._spend(("report", person), REPORT_BURST, REPORTS_PER_HOUR / 3600, 1, TOO_MANY_REPORTS)

    def count_seat(self, person: str) -> None:
        """Count somebody who sits down, by the hash of the address or, if that is unknown, of the token."""
        self._spend(("seat", person), SEAT_BURST, SEATS_PER_MINUTE / 60, 1, TOO_MANY_SEATS)

    def _spend(self, key: Hashable, burst: float, per_s: float, cost: float, text: str) -> None:
        now_s = self._now_ms() / 1000
        bucket = self._buckets.pop(key, None) or TokenBucket(burst, per_s, now_s)
        self._buckets[key] = bucket
        if len(self._buckets) > MAX_REMEMBERED:
            self._buckets.popitem(last=False)
        if not bucket.consume(now_s, cost):
            raise RateLimitError(text)


LOG = structlog.get_logger()
UNCONFIRMED = "the server could not confirm the action; check the table"
MAX_ROWS_ON_LOOP = 2 * SNAPSHOT_EVERY
"""Longer logs, which have no snapshot, are read in another thread, so that all other tables go on."""


class LoadedTable(msgspec.Struct, frozen=True):
    """A state from the database, and the time of its next deadline in milliseconds since 1970.

    `snapshot_seq`: the entry after which its latest snapshot was taken, 0 without a snapshot.
    """

    state: TableState
    due_at_ms: int | None
    snapshot_seq: int


async def load_table(store: Store, code: str) -> LoadedTable:
    """Return the stored state of a table.

    Raises `TableNotFoundError` if there is no such table, `UnreadableTableError` if its log leads to no state, and
    `TryAgainError` if the database fails.
    """
    try:
        stored = await store.load_state(code)
    except StoreError as error:
        raise TryAgainError("the table cannot be read just now; try again in a moment") from error
    if stored is None:
        raise TableNotFoundError(f"there is no table {code}; check the code, or open one of your own")
    if len(stored.rows) > MAX_ROWS_ON_LOOP:
        state = await asyncio.to_thread(_fold, code, stored.snapshot, stored.rows)
    else:
        state = _fold(code, stored.snapshot, stored.rows)
    return LoadedTable(state, stored.due_at_ms, stored.snapshot.seq if stored.snapshot else 0)


async def save_snapshot(store: Store, table: TableState) -> None:
    """Save a snapshot of a state. A failure is logged only, because the log leads to the same state."""
    try:
        await store.save_snapshot(table.code, take_snapshot(table))
    except StoreError as error:
        LOG.warning("snapshot_failed", error=str(error))


def _fold(code: str, table: TableState | None, rows: Sequence[LogRow]) -> TableState:
    """Return the state after some rows. Raises `UnreadableTableError` if one of them cannot follow."""
    for row in rows:
        table = apply_stored_row(table, row)
    if table is None:
        raise UnreadableTableError(f"the log of table {code} cannot be read: it is empty")
    return table


def apply_entries(
    before: TableState | None, entries: Sequence[LogEntry], request_id: str, now_ms: int
) -> tuple[TableState, list[LogRow]]:
    """Return the state after some entries, at least one, and their rows; the first row carries the request's id."""
    table, rows = before, list[LogRow]()
    for entry in entries:
        row = LogRow((table.seq if table else 0) + 1, now_ms, "" if rows else request_id, entry)
        table = apply_row(table, row)
        rows.append(row)
    assert table is not None
    return table, rows


def fold_rows(before: TableState, rows: Sequence[LogRow]) -> TableState | None:
    """Return the state after those rows that are new, None if some are missing, or none were given.

    Raises `UnreadableTableError` if one of them cannot follow.
    """
    table = before
    for row in rows:
        if row.seq > table.seq + 1:
            return None
        if row.seq == table.seq + 1:
            table = apply_stored_row(table, row)
    return table if rows else None


async def is_newest(store: Store, table: TableState) -> bool:
    """Return whether nobody has appended to a table after a state. Raises `TryAgainError` if the database fails."""
    try:
        return (await store.heads([table.code])).get(table.code) == table.seq
    except StoreError as error:
        raise TryAgainError(UNCONFIRMED) from error


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
        self.presence = TablePresence(services, code, self.subscribers, self._takeover_at_ms)
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
        """Return the state, loaded from the database if necessary. Raises as `load_table`."""
        return self._state or await self._load()

    async def state_for(self, token_hash: str, last_seq: int) -> TableState:
        """Return the state for a client who may know it up to `last_seq`, maybe from another process.

        Raises as `load_table`, and `NoSpectatorsError` if the owner of the token may not see the table.
        """
        table = await self.state()
        if last_seq > table.seq:
            await self.refresh()
            table = await self.state()
        if not table.is_visible_to(table.id_by_token(token_hash)):
            raise NoSpectatorsError(NO_SPECTATORS)
        return table

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
        deadline, deadline_at_ms = self._deadline_after(table, now_ms)
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

    def _deadline_after(self, table: TableState, now_ms: int) -> tuple[Deadline | None, int | None]:
        """Return the deadline of a new state and its time.

        A deadline that is running keeps its time, and one that was paused has the time that was left.
        """
        new, state = next_deadline(table), self._state
        if new is None:
            return None, None
        if self._goes_on(new):
            return new, self.deadline_at_ms
        if state is not None and state.paused_left_ms is not None and state.paused_deadline_key == new.key:
            return new, now_ms + state.paused_left_ms
        return new, now_ms + _whole_wait_ms(new, self._services.pace)

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

    def _takeover_at_ms(self) -> int | None:
        """Return the time at which a bot moves for the player on turn, in milliseconds since 1970.

        Returns None if the player looks at the table, or if no bot will move.
        """
        table, deadline, due_at_ms = self._state, self.deadline, self.deadline_at_ms
        player = None if table is None else player_on_turn(table)
        if table is None or player is None or deadline is None or due_at_ms is None:
            return None
        if self.presence.is_connected(player.id):
            return None
        if deadline.kind is DeadlineKind.TIME_UP:
            return due_at_ms
        return takeover_at_ms(table, due_at_ms, self.presence.away_since_ms(player.id))

    def _notify(self) -> None:
        self._return_seats()
        self.presence.announce()
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
        self._arrived(subscriber)

    def look(self, subscriber: Subscriber, *, looking: bool) -> None:
        """Take note that a subscriber is looked at, or no more."""
        if subscriber.looking == looking:
            return
        subscriber.looking = looking
        if looking:
            self._arrived(subscriber)
        else:
            self.presence.subscribers_changed([subscriber])

    def _arrived(self, subscriber: Subscriber) -> None:
        """Give a player who looks at the table their seat, and whoever opened it their place as host."""
        self.presence.subscribers_changed()
        self._return_seats()
        player_id, table = subscriber.player, self._state
        if player_id is not None and subscriber.looking and table is not None and restore_host(table, player_id):
            self._start_append(lambda table: restore_host(table, player_id))

    def _return_seats(self) -> None:
        """End the stand-ins of the players who look at this table, whatever let a bot play for them."""
        if self._state is not None and return_seats(self._state, self.presence.is_connected):
            self._start_append(lambda table: return_seats(table, self.presence.is_connected))

    def _start_append(self, decide: Decide) -> None:
        """Append in a task of its own; if that fails, the next change or connection tries it again."""

        async def append() -> None:
            with suppress(LiarsDiceError):
                await self.append(decide)

        _ = self._services.start_task(append())

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Send a subscriber nothing more."""
        self.subscribers.discard(subscriber)
        self.presence.subscribers_changed([subscriber] if subscriber.looking else [])
