"""All tables of a process: opens them, loads them by their code, submits commands to them, and unloads idle ones.

With several processes it follows what the others change (`NodeSync`), and ends waits while the database is silent.
"""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager, suppress

import structlog

from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.play.player_names import player_name
from liarsdice.server.bus.event_bus import TABLES
from liarsdice.server.errors import (
    AddressLimitError,
    ForbiddenError,
    NewerEntryError,
    StoreError,
    TableNotFoundError,
    TryAgainError,
    UnreadableTableError,
)
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.node_presence import NO_PAGES
from liarsdice.server.live.table_services import TableServices
from liarsdice.server.live.timers import TableTimers
from liarsdice.server.live.turn_notifications import TurnNotifications
from liarsdice.server.storage.store import SharedStore, StoredTable
from liarsdice.server.table import log_entries as e
from liarsdice.server.table import seating
from liarsdice.server.table.command_handler import Attendance, handle_command
from liarsdice.server.table.commands import AddBot, Change, Command, Report, request_key
from liarsdice.server.table.deadlines import AWAY_MS
from liarsdice.server.table.seating import request_by_token
from liarsdice.server.table.table_config import TableConfig, normalize_config
from liarsdice.server.table.table_state import TableState
from liarsdice.wire import Said

LoadedTables = Mapping[str, tuple[LiveTable, TableTimers]]
"""The tables in memory, by code."""
OVERDUE_GRACE_MS = 1_000
"""A table that is not loaded is loaded this long after its deadline. The timers of a loaded one need no help."""


class DueTables:
    """Loads the tables that are not in `loaded` when their deadline has passed, by `load`. Their timers then act."""

    def __init__(
        self, services: TableServices, loaded: LoadedTables, load: Callable[[str], Awaitable[LiveTable]]
    ) -> None:
        self._services = services
        self._loaded, self._load = loaded, load
        self._swept_until_ms = 0

    async def load(self) -> None:
        """Load those whose deadline has passed since the last call. Raises `StoreError` if the database fails."""
        until_ms = self._services.now_ms() - OVERDUE_GRACE_MS
        for code in await self._services.store.due_codes(self._swept_until_ms, until_ms):
            entry = self._loaded.get(code)
            if entry is not None and entry[0].known_state is not None:
                continue
            try:
                await self._load(code)
            except TryAgainError:
                return  # the next call looks for the same tables again
            except (TableNotFoundError, UnreadableTableError):
                continue
            except Exception as error:  # noqa: BLE001  one table must not hold up the others
                LOG.warning("table_not_loaded", code=code, error=type(error).__name__)
        self._swept_until_ms = until_ms


CLOSED_PER_S = 400
MAX_SPREAD_S = 5.0
"""However many connections there are, they are closed within this time."""

STEP_S = 0.05
SILENT_AFTER_S = 4.0
"""After how long without an answer of the database the pages of a node connect to another one."""


async def close_gradually(closings: Iterable[Callable[[], object]], stop_waiting: Callable[[], bool]) -> None:
    """Close connections in random order, at `CLOSED_PER_S` or faster; all at once when `stop_waiting` returns True."""
    waiting = list(closings)
    random.shuffle(waiting)
    per_step = max(1, round(STEP_S * max(CLOSED_PER_S, len(waiting) / MAX_SPREAD_S)))
    while waiting:
        closing = waiting if stop_waiting() else waiting[-per_step:]
        waiting = [] if stop_waiting() else waiting[:-per_step]
        for close in closing:
            close()
        if waiting:
            await asyncio.sleep(STEP_S)


class DatabaseSilence:
    """Hands the pages of a node over while the database does not answer it, if there are other nodes.

    A database that refuses to work does so at every node. One that answers nothing may be out of the reach of this node
    alone, whose pages would see a table that stands still. `now_s` returns seconds of any clock that never goes back.
    """

    def __init__(
        self, services: TableServices, loaded: LoadedTables, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._services, self._loaded, self._now_s = services, loaded, now_s
        self._since_s: float | None = None

    @property
    def lasts(self) -> bool:
        """Whether the database has been silent for so long that another node should serve the pages."""
        elsewhere = self._services.shared_store is not None and self._services.node_presence.node_count > 1
        return elsewhere and self._since_s is not None and self._now_s() - self._since_s >= SILENT_AFTER_S

    async def listen(self) -> None:
        """Write the heartbeat; hand the pages over if the database has been silent for long. Raises `StoreError`.

        A `SharedStore` has a connection for that alone: a node that waits for a free one is busy, and not cut off.
        """
        asked_s = self._now_s()
        try:
            await self._services.store.heartbeat(self._services.now_ms())
        except StoreError as error:
            if not isinstance(error.__cause__, TimeoutError):
                self._since_s = None
            elif self._since_s is None:
                self._since_s = asked_s
            if self.lasts:
                await self._hand_over()
            raise
        self._since_s = None

    async def _hand_over(self) -> None:
        pages = [subscriber for live_table, _ in self._loaded.values() for subscriber in live_table.subscribers]
        if pages:
            LOG.warning("pages_handed_over", pages=len(pages))
        await close_gradually((page.hand_over for page in pages), lambda: False)


ROUND_S = 0.5
GRACE_MS, STARTING_GRACE_MS = 1_000, 2_000
"""A node that does not drive a table takes it over this long after its deadline.

The second time is for a node whose first process for bots is starting, so that another one goes first.
"""

POLL_EVERY_S = 1.0
MAX_CLAIMED, MAX_COMPARED = 200, 1_000
MAX_LOADING = 4
"""How many tables a node takes over at a time, so that commands at other tables find free connections."""


class NodeSync:
    """What one of several nodes does for the tables in `loaded`. `load` loads a table that is not among them.

    `unload` removes one. `claims`: whether it goes on with tables that other nodes left. `claiming`: the task that does
    so, if it was needed.
    """

    def __init__(
        self,
        services: TableServices,
        store: SharedStore,
        loaded: LoadedTables,
        load: Callable[[str], Awaitable[LiveTable]],
        unload: Callable[[str], object],
    ) -> None:
        self._services, self._store = services, store
        self._loaded, self._load, self._unload = loaded, load, unload
        self.claims = True
        self.claiming: asyncio.Task[None] | None = None
        self._places = asyncio.Semaphore(MAX_LOADING)
        self._unreadable: set[str] = set()
        self._behind: set[str] = set()
        self._reading = False
        self._next_poll_s = 0.0
        self._seen_gap_count = services.event_bus.gap_count
        services.event_bus.subscribe(TABLES, self._on_table_changed)

    def _on_table_changed(self, code: str, seq: str, _node_id: str) -> None:
        """Read what another node has appended to a table, together with all others that have changed by then."""
        entry = self._loaded.get(code)
        state = None if entry is None else entry[0].known_state
        if state is None or not seq.isdecimal() or state.seq >= int(seq):
            return
        self._behind.add(code)
        if not self._reading:
            self._reading = True
            _ = self._services.start_task(self._read_changes())

    async def _read_changes(self) -> None:
        try:
            while self._behind:
                codes, self._behind = self._behind, set()
                await self._compare(codes)
        except StoreError:
            self._behind.clear()  # the next comparison finds them
        finally:
            self._reading = False

    async def run(self) -> None:
        """Do a round twice a second, until cancelled."""
        while True:
            try:
                async with asyncio.timeout(10 * ROUND_S):
                    await self.round()
            except (StoreError, TimeoutError) as error:
                LOG.warning("nodes_not_compared", error=type(error).__name__)
            except Exception as error:  # noqa: BLE001  the next round may succeed
                LOG.warning("round_failed", error=type(error).__name__)
            await asyncio.sleep(ROUND_S)

    async def round(self) -> None:
        """Keep the tables on which this node acts now, take over those that others left, and compare when it is time.

        A node whose first process for bots is starting keeps none: another one may be faster. Raises `StoreError` if
        the database fails.
        """
        now_ms, now_s = self._services.now_ms(), asyncio.get_running_loop().time()
        starting = self._services.bot_runner.starting
        acting = [live_table for live_table, timers in self._loaded.values() if timers.acting and not starting]
        await self._store.postpone([(table.code, table.seq, now_ms) for table in _known_states(acting)])
        if self.claims and (self.claiming is None or self.claiming.done()):
            grace_ms = STARTING_GRACE_MS if starting else GRACE_MS
            self.claiming = self._services.start_task(self._take_over_due(grace_ms))
        gap_count = self._services.event_bus.gap_count
        if now_s >= self._next_poll_s or gap_count != self._seen_gap_count:
            self._next_poll_s, self._seen_gap_count = now_s + POLL_EVERY_S, gap_count
            await self.compare_all()

    async def compare_all(self) -> None:
        """Bring every loaded table up to date. Raises `StoreError` if the database fails."""
        codes = list(self._loaded)
        for first in range(0, len(codes), MAX_COMPARED):
            await self._compare(codes[first : first + MAX_COMPARED])

    async def _compare(self, codes: Iterable[str]) -> None:
        live_tables = [self._loaded[code][0] for code in codes if code in self._loaded]
        known_seqs = {table.code: table.seq for table in _known_states(live_tables)}
        changes = await self._store.load_changes(known_seqs)
        unknown = [table for table in live_tables if table.known_state is None and not table.busy]
        await asyncio.gather(
            *(self._catch_up(code, stored) for code, stored in changes.items()),
            *(self._catch_up(live_table.code, None) for live_table in unknown),
        )

    async def _catch_up(self, code: str, stored: StoredTable | None) -> None:
        """Let a table apply new rows; one that cannot is loaded when somebody asks for it."""
        entry = self._loaded.get(code)
        if entry is None:
            return
        try:
            await (entry[0].refresh() if stored is None else entry[0].catch_up(stored))
        except NewerEntryError:
            self._unload(code)  # its pages connect to a node that can read it
        except (TableNotFoundError, UnreadableTableError, TryAgainError) as error:
            LOG.warning("table_not_loaded", code=code, error=type(error).__name__)

    async def _take_over_due(self, grace_ms: int) -> None:
        """Take over the tables whose deadline passed more than `grace_ms` ago, until none is left."""
        may_be_more = True
        with suppress(StoreError):  # the next round claims them
            while self.claims and may_be_more:
                codes = await self._store.claim_due(grace_ms, MAX_CLAIMED, sorted(self._unreadable))
                may_be_more = len(codes) == MAX_CLAIMED
                for code in codes:
                    await self._places.acquire()
                    taking = self._services.start_task(self._take_over(code))
                    taking.add_done_callback(lambda _: self._places.release())

    async def _take_over(self, code: str) -> None:
        """Act on a table whose deadline has passed, unless this node is doing so already.

        One that cannot be read is left to the other nodes.
        """
        entry = self._loaded.get(code)
        if entry is not None and entry[0].drives and entry[1].acting:
            return
        try:
            if entry is not None:
                await entry[0].refresh()
            live_table = await self._load(code)
        except UnreadableTableError:
            self._unreadable.add(code)
            return
        except (TableNotFoundError, TryAgainError):
            return  # a later round claims it again
        except Exception as error:  # noqa: BLE001  one table must not hold up the others
            LOG.warning("table_not_loaded", code=code, error=type(error).__name__)
            return
        live_table.take_over()


def _known_states(live_tables: Iterable[LiveTable]) -> list[TableState]:
    return [table.known_state for table in live_tables if table.known_state is not None]


FIRST_AFTER_MS = 3_600_000
"""How long after its start a server begins to delete. A start with a wrong clock can be noticed until then."""

CHECK_EVERY_MS = 60_000
DELETED = "deleted"
"""The channel that names a table that was deleted, as the key. The value is empty."""

MAX_DELETED = 5
"""The most tables that are deleted in one sweep, each in a transaction of its own, so that other writes go on."""


class Retention:
    """Deletes the tables that have not changed for `keep_ms` milliseconds, a few at a time; None keeps all.

    `loaded` are the tables in memory by code, which are kept, and `unload` takes one out. Only the node with the lowest
    id deletes; nodes that hear nothing of each other all do, which deletes nothing else.
    """

    def __init__(self, services: TableServices, loaded: LoadedTables, unload: Callable[[str], object]) -> None:
        self._services = services
        self._loaded, self._unload = loaded, unload
        self._next_check_ms = services.now_ms() + FIRST_AFTER_MS
        services.event_bus.subscribe(DELETED, self._on_deleted)

    async def delete_old_tables(self) -> None:
        """Delete the oldest tables that nobody uses on any node.

        A match whose clock is running keeps its table. Raises `StoreError` if the database fails.
        """
        now_ms, keep_ms, store = self._services.now_ms(), self._services.keep_ms, self._services.store
        nodes = self._services.node_presence
        if keep_ms is None or now_ms < self._next_check_ms or not nodes.is_first:
            return
        limit = MAX_DELETED + len(self._loaded) + nodes.table_count_elsewhere
        old_codes = await store.unchanged_codes(now_ms - keep_ms, now_ms, limit)
        for code in [code for code in old_codes if not self._is_used(code)][:MAX_DELETED]:
            still_unused = not self._is_used(code)  # somebody may have come while another table was deleted
            if still_unused and await store.delete_table(code, now_ms - keep_ms):
                self._services.event_bus.publish(DELETED, code, "")
                self._services.metrics.deleted_tables.inc()
                LOG.info("table_deleted", code=code)
        if len(old_codes) < limit:
            self._next_check_ms = now_ms + CHECK_EVERY_MS

    def _is_used(self, code: str) -> bool:
        return code in self._loaded or self._services.node_presence.pages_elsewhere(code) != NO_PAGES

    def _on_deleted(self, code: str, _value: str, _node_id: str) -> None:
        """Forget a table that another node has deleted, unless somebody came here in this moment."""
        entry = self._loaded.get(code)
        if entry is not None and not entry[0].subscribers and not entry[0].busy:
            self._unload(code)


LOG = structlog.get_logger()
CODE_ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
MIN_CODE_LENGTH, MAX_CODE_LENGTH = 4, 8
TRIES_PER_LENGTH = 8
SWEEP_S, IDLE_MS, HOST_AWAY_MS = 1.0, 60_000, 30_000
REPORTED_LINES = 5
"""How many of the latest lines of a reported player the operator reads."""
MAX_LISTED, LISTED_FOR_MS = 500, 12 * 3600 * 1000
"""How many listed tables are looked at, and for how long after its last change a table is."""
MAX_LISTED_PER_NETWORK = 5
"""How many listed tables with a host who is here the people of one network may have opened."""
UNREADABLE = "this table cannot be read; whoever runs the server finds the reason in its log"


class TableRegistry:
    """The tables that are loaded in this process. Used on the event loop only.

    `unreadable_codes`: the tables whose logs could not be read. They are not read again while this process runs.
    `node_sync`: what keeps several nodes together, None if this process alone uses the database. `database_silence`:
    whether the database does not answer this node. `on_stop`: what is called when this process stops driving tables.
    `watchers`: called with each table that is loaded.
    """

    def __init__(self, services: TableServices) -> None:
        self.services = services
        self._loaded: dict[str, tuple[LiveTable, TableTimers]] = {}
        self._last_used_ms: dict[str, int] = {}
        self._listing_lock = asyncio.Lock()
        self._due_tables = DueTables(services, self._loaded, self.get)
        self.unreadable_codes: set[str] = set()
        self._stopped = False
        self.on_stop: set[Callable[[], None]] = set()
        self.watchers: list[Callable[[LiveTable], None]] = []
        self._retention = Retention(services, self._loaded, self.unload)
        self.database_silence = DatabaseSilence(services, self._loaded)
        services.node_presence.on_change = self._on_presence_changed
        store = services.shared_store
        self.node_sync = None if store is None else NodeSync(services, store, self._loaded, self.get, self.unload)

    @property
    def loaded_codes(self) -> AbstractSet[str]:
        """For tests: the codes of the tables that are in memory."""
        return self._loaded.keys()

    async def get(self, code: str) -> LiveTable:
        """Return the table with a code, and load it from its log if it is not in memory. Lower case is accepted.

        Raises `TableNotFoundError` if there is none, `UnreadableTableError` if its log cannot be read
        (`NewerEntryError` if another node can), and `TryAgainError` if the database fails.
        """
        code = code.upper()
        if not MIN_CODE_LENGTH <= len(code) <= MAX_CODE_LENGTH or not set(code) <= set(CODE_ALPHABET):
            raise TableNotFoundError("there is no such table; a code has four letters or digits, sometimes more")
        if code in self.unreadable_codes:
            raise UnreadableTableError(UNREADABLE)
        self._last_used_ms[code] = self.services.now_ms()
        live_table = self._loaded[code][0] if code in self._loaded else self.add(code)
        try:
            await live_table.state()
        except TableNotFoundError:
            self.unload(code)
            raise
        except UnreadableTableError as error:
            if isinstance(error, NewerEntryError) and self.node_sync is not None:
                self.unload(code)
                raise
            self._quarantine(code, error)
            raise UnreadableTableError(UNREADABLE) from error
        return live_table

    def _quarantine(self, code: str, error: UnreadableTableError) -> None:
        """Log that a table cannot be read, and read it no more; all others go on."""
        self.unload(code)
        if code not in self.unreadable_codes:
            self.unreadable_codes.add(code)
            self.services.metrics.unreadable_tables.set(len(self.unreadable_codes))
            LOG.error("table_unreadable", code=code, cause=str(error))

    def add(self, code: str) -> LiveTable:
        """Register a table with a code, without loading it, and return it."""
        live_table = LiveTable(self.services, code)
        timers = TableTimers(self.services, live_table)
        TurnNotifications(self.services, live_table)
        for watch in self.watchers:
            watch(live_table)
        if self._stopped:
            timers.stop()
        self._loaded[code] = (live_table, timers)
        self.services.metrics.tables.set(len(self._loaded))
        return live_table

    def unload(self, code: str) -> None:
        """Stop the timers of a table and remove it from memory. Pages that are open there connect again."""
        entry = self._loaded.pop(code, None)
        self._last_used_ms.pop(code, None)
        if entry is not None:
            entry[1].stop()
            entry[0].on_change.clear()  # else it and its timers would wait for a full garbage collection
            for subscriber in tuple(entry[0].subscribers):
                subscriber.hand_over()
        self.services.metrics.tables.set(len(self._loaded))

    # ---- commands -------------------------------------------------------------------------------------------------

    async def open_table(
        self,
        config: TableConfig,
        name: str,
        token_hash: str,
        commitment: str,
        bots: tuple[str, ...],
        address: str = "",
        *,
        program: bool = False,
    ) -> tuple[LiveTable, int]:
        """Create a table with its host and bots seated; return it and the host's player id.

        `commitment`: that to the host's seed for the dice, "" if it comes later. `address`: the client's, "" if
        unknown. `program`: a program opens it. Raises `MalformedError` or `UnavailableError` for a table that cannot
        exist, `AddressLimitError` if the network has many listed tables, and `TryAgainError` if the database fails or
        no code is free.
        """
        name, config = player_name(name, program=program), normalize_config(config)
        seating.check_commitment(commitment)
        if len(bots) >= config.seats:
            raise MalformedError(f"{len(bots)} bots and you do not fit on {config.seats} seats")
        network = self.services.hash_address("", address)
        async with self._listing(network, listed=config.listed):
            for length in range(MIN_CODE_LENGTH, MAX_CODE_LENGTH + 1):
                for _ in range(TRIES_PER_LENGTH):
                    code = "".join(secrets.choice(CODE_ALPHABET) for _ in range(length))
                    if code in self._loaded:
                        continue
                    live_table = self.add(code)
                    address_hash = self.services.hash_address(code, address)
                    host = e.Joined(1, name, token_hash, address_hash, commitment, program)
                    if await live_table.create([e.Opened(code, config, network), host, e.HostChanged(1)]):
                        self._last_used_ms[code] = self.services.now_ms()
                        LOG.info("table_opened", rules=config.rules_name, seats=config.seats, bots=len(bots))
                        for bot in bots:
                            request_id = f"bot{len((await live_table.state()).players)}"
                            await self.submit(live_table, token_hash, request_id, AddBot(bot))
                        return live_table, 1
                    self.unload(code)
        raise TryAgainError("no free code was found for a table; try again")

    async def listed_tables(self) -> list[tuple[LiveTable, TableState]]:
        """Return the listed tables that changed lately and can be read, the latest change first."""
        tables = []
        for code in await self.services.store.listed_codes(MAX_LISTED, self.services.now_ms() - LISTED_FOR_MS):
            with suppress(TableNotFoundError, UnreadableTableError):
                live_table = await self.get(code)
                tables.append((live_table, await live_table.state()))
        return tables

    @asynccontextmanager
    async def _listing(self, network: str, *, listed: bool) -> AsyncIterator[None]:
        """Let one table at a time be listed, so that simultaneous requests are counted. Raises as `_check_listed`."""
        if not listed:
            yield
            return
        async with self._listing_lock:
            await self._check_listed(network)
            yield

    async def _check_listed(self, network: str) -> None:
        """Raise `AddressLimitError` if a network has many listed tables open. `network`: as in `Opened`."""
        opened, is_limited = 0, network and self.services.seats_per_address
        for live_table, table in await self.listed_tables() if is_limited else ():
            is_attended = table.host is not None and not live_table.presence.is_away(table.host, HOST_AWAY_MS)
            opened += table.opener_network == network and is_attended
        if opened >= MAX_LISTED_PER_NETWORK:
            raise AddressLimitError(f"your network has {opened} listed tables open already; sit down at one of them")

    async def take_seat(
        self,
        live_table: LiveTable,
        name: str,
        token_hash: str,
        commitment: str,
        request_id: str,
        address: str = "",
        *,
        program: bool = False,
    ) -> int | None:
        """Give a seat to the owner of a token, who keeps the seat that they have; return the player's id.

        Returns None if the host decides who sits down, and has been asked. Other arguments are as in `open_table`.
        Raises as `seating.take_seat`, `TryAgainError`, `RateLimitError` (`SeatLimits`), and `ForbiddenError` if this
        request was handled before and the player has left since.
        """
        seating.check_commitment(commitment)
        address_hash = self.services.hash_address(live_table.code, address)

        def decide(table: TableState) -> list[e.LogEntry]:
            if table.player_by_token(token_hash):
                return []
            limit = self.services.seats_per_address
            entries = seating.take_seat(
                table, name, token_hash, commitment, address_hash, seats_per_address=limit, program=program
            )
            if entries:
                live_table.seat_limits.count_seat(address_hash or token_hash)
            return entries

        await live_table.append(decide, request_key(token_hash, request_id))
        table = await live_table.state()
        player = table.player_by_token(token_hash)
        if player is None and request_by_token(table, token_hash) is None:
            raise ForbiddenError("you have left this table; sit down again")
        return player.id if player else None

    async def submit(
        self, live_table: LiveTable, token_hash: str, request_id: str, command: Command, turn_id: int = 0
    ) -> int:
        """Handle a command of the player whose seat a token holds; return the seq of the log afterwards.

        A program's move waits for the pace of the table. A repeated `request_id` of the same token is handled once.
        `turn_id`: the step of the match that a move answers.
        Raises `ForbiddenError` if the token holds no seat, `RateLimitError` if the seat gives too many commands
        (`SeatLimits`), `AddressLimitError` for a change that lists one table too many, else as `handle_command` and
        `LiveTable.append`.
        """
        table = await live_table.state()
        is_listed_now = isinstance(command, Change) and command.config.listed and not table.config.listed
        if isinstance(command, Report):
            return await self._report(live_table, table, token_hash, command.player)
        await live_table.program_pace.wait(await live_table.state(), token_hash, command, turn_id, self.services.pace)

        payer: int | None = None

        def decide(table: TableState) -> list[e.LogEntry]:
            nonlocal payer
            player = seating.seated_player(table, token_hash)
            entries = handle_command(
                table,
                player,
                command,
                turn_id=turn_id,
                left_ms=live_table.left_ms(),
                dice_source=self.services.dice_source,
                attendance=self._attendance(live_table, table),
            )
            if entries and payer is None:  # not again if another process was first
                live_table.seat_limits.count_entries(player.id, command)
                payer = player.id
            return entries

        try:
            async with self._listing(table.opener_network, listed=is_listed_now):
                return await live_table.append(decide, request_key(token_hash, request_id))
        except BaseException:
            if payer is not None:
                live_table.seat_limits.count_entries(payer, command, -1)
            raise

    async def _report(self, live_table: LiveTable, table: TableState, token_hash: str, player_id: int) -> int:
        """Write the report of a player for the operator; return the seq of the log, which does not change."""
        reporter, player = seating.seated_player(table, token_hash), table.player(player_id)
        if player is None or player.bot is not None or player.id == reporter.id:
            raise IllegalActionError("there is no such player to report at this table")
        live_table.seat_limits.count_report(reporter.address_hash or token_hash)
        said = [
            item.content.text
            for item in table.news
            if isinstance(item.content, Said) and item.content.player == player_id
        ]
        about: dict[str, str | int] = {
            "table": table.code,
            "player": player.name,
            "player_id": player.id,
            "by": reporter.name,
            "by_id": reporter.id,
            "said": "\n".join(said[-REPORTED_LINES:]),
        }
        await asyncio.to_thread(self.services.write_report, about)
        return table.seq

    def _attendance(self, live_table: LiveTable, table: TableState) -> Attendance:
        presence = live_table.presence
        away = [player.id for player in table.players if presence.is_away(player.id, AWAY_MS)]
        return Attendance(presence.connected(), away, self._host_away(live_table, table))

    def _host_away(self, live_table: LiveTable, table: TableState) -> bool:
        """Return whether another player may become host: the host has had no page open for a while, or lets wait."""
        stalls = table.stalled_at_ms is not None and self.services.now_ms() >= table.stalled_at_ms
        return table.host is not None and (stalls or live_table.presence.is_away(table.host, HOST_AWAY_MS))

    async def check_may_change(self, live_table: LiveTable, token_hash: str, request_id: str) -> int | None:
        """Check whether a client may change a table now, so that nobody else's `Change` has to be decoded.

        Returns the seq of the log if this request was handled before, else None. Raises what `submit` raises whatever
        the configuration.
        """
        table = await live_table.state()
        handled_seq = table.handled_requests.get(request_key(token_hash, request_id))
        if handled_seq is None:
            seating.check_may_change(table, seating.seated_player(table, token_hash))
        return handled_seq

    async def add_device(
        self, live_table: LiveTable, player_id: int, token_hash: str, *, program: bool = False
    ) -> None:
        """Let another device hold a player's seat, too. Raises as `seating.add_device` and `LiveTable.append`."""
        await live_table.append(lambda table: seating.add_device(table, player_id, token_hash, program=program))

    # ---- background work ------------------------------------------------------------------------------------------

    def _on_presence_changed(self, code: str) -> None:
        """Tell the people at a table whose pages are open on other nodes."""
        if code in self._loaded:
            self._loaded[code][0].presence.elsewhere_changed()

    async def run(self) -> None:
        """Do the work in the background until cancelled."""
        await asyncio.gather(self._run_sweeps(), *([self.node_sync.run()] if self.node_sync else []))

    async def _run_sweeps(self) -> None:
        """Once a second, until cancelled: write a heartbeat, load tables that are overdue, and unload idle ones."""
        while True:
            try:
                await self.database_silence.listen()
                await self.services.follow_database_clock()
                await self.sweep()
            except StoreError as error:
                LOG.warning("store_failed", error=str(error))
            except Exception as error:  # noqa: BLE001  the next round may succeed
                LOG.warning("round_failed", error=type(error).__name__)
            await asyncio.sleep(SWEEP_S)

    async def sweep(self) -> None:
        """Load every table that is overdue, so that its timers act on it, unload idle tables, and delete old ones."""
        if self.node_sync is None:
            await self._due_tables.load()
        self._unload_idle()
        await self._retention.delete_old_tables()

    def stop(self) -> None:
        """Stop the timers of all tables for good. Commands are still handled, and other nodes drive the tables."""
        self._stopped = True
        if self.node_sync is not None:
            self.node_sync.claims = False
        for live_table, timers in self._loaded.values():
            live_table.on_change.clear()
            timers.stop()
        for callback in tuple(self.on_stop):
            callback()

    def acts_now(self, code: str) -> bool:
        """Return whether a loaded table does something by itself without further delay (`TableTimers.acts_now`)."""
        return self._loaded[code][1].acts_now

    def _unload_idle(self) -> None:
        now_ms = self.services.now_ms()
        for code, (live_table, _) in list(self._loaded.items()):
            idle = now_ms - self._last_used_ms.get(code, 0) > IDLE_MS
            due_soon = live_table.deadline_at_ms is not None and live_table.deadline_at_ms - now_ms < IDLE_MS
            due_soon = due_soon and live_table.drives
            if idle and not live_table.subscribers and not live_table.busy and not due_soon:
                self.unload(code)
