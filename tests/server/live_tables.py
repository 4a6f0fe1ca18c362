"""Live tables for tests: services with a fake clock, tables with people at them, and waiting for what happens there."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import lru_cache
from pathlib import Path

from liarsdice.core.engine.state import Phase
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.verify_record import RecordSigner
from liarsdice.runtime.processes import WorkerPool
from liarsdice.server.bus.event_bus import EventBus
from liarsdice.server.errors import UnreadableTableError
from liarsdice.server.http.address_limits import RateLimits
from liarsdice.server.http.auth import hash_token
from liarsdice.server.http.match_api import UnsignedRecord, finished_matches
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.live.timers import TableTimers
from liarsdice.server.metrics import Metrics
from liarsdice.server.services import Services
from liarsdice.server.storage.administration import SqliteAdministration
from liarsdice.server.storage.sqlite import SqliteStore
from liarsdice.server.storage.store import Store
from liarsdice.server.table import commands as c
from liarsdice.server.table.bot_runner import load_bots
from liarsdice.server.table.dice_source import DiceSource
from liarsdice.server.table.log_entries import LogRow
from liarsdice.server.table.table_config import Away, BestOf, Clock, Leaver, TableConfig
from liarsdice.server.table.table_state import MatchState, TableState
from liarsdice.wire import Stage

START_MS = 1_790_000_000_000
PATIENCE_S = 60.0
STANDSTILL_S = 30.0
"""How long a table that does nothing by itself is given for what others do there."""


class SharedPool(WorkerPool):
    """A pool that outlives the services of one test: starting a process takes longer than most tests."""

    def close(self) -> None:
        """The pool ends with the tests."""


@lru_cache(1)
def shared_pool() -> WorkerPool:
    return SharedPool(2, max_calls=10_000, name="shared", prepare=load_bots)


class FakeClockServices(Services):
    """Services without pauses whose time stands still unless a test changes `time_ms`."""

    def __init__(
        self,
        store: Store,
        *,
        dice_source: DiceSource | None = None,
        event_bus: EventBus | None = None,
        rate_limits: RateLimits | None = None,
        signer: RecordSigner | None = None,
    ) -> None:
        super().__init__(
            store,
            signer=signer,
            dice_source=dice_source,
            event_bus=event_bus,
            rate_limits=rate_limits,
            pace=0,
            workers=shared_pool(),
            bot_workers=shared_pool(),
            review_workers=shared_pool(),
        )
        self.metrics = Metrics()  # without the id of the node, which is another one in each test
        self.time_ms = START_MS

    def now_ms(self) -> int:
        return self.time_ms


@asynccontextmanager
async def open_registry(
    path: Path,
    *,
    dice_source: DiceSource | None = None,
    event_bus: EventBus | None = None,
    time_ms: int = START_MS,
    signer: RecordSigner | None = None,
) -> AsyncIterator[TableRegistry]:
    """The tables of a database file, in services with a fake clock that stands at `time_ms`."""
    services = FakeClockServices(SqliteStore(path), dice_source=dice_source, event_bus=event_bus, signer=signer)
    services.time_ms = time_ms
    registry = TableRegistry(services)
    await services.open()
    try:
        yield registry
    finally:
        await services.close()


def fake_clock(registry: TableRegistry) -> FakeClockServices:
    """The services of `open_registry`, to change their time."""
    assert isinstance(registry.services, FakeClockServices)
    return registry.services


def log_of(registry: TableRegistry, code: str) -> tuple[LogRow, ...]:
    """The whole log of a table in a database file."""
    store = registry.services.store
    assert isinstance(store, SqliteStore)
    ((_, rows),) = SqliteAdministration(store.path).read_logs(code)
    assert not isinstance(rows, UnreadableTableError)
    return tuple(rows)


def record_in(rows: Iterable[LogRow], number: int) -> UnsignedRecord | None:
    """The record of a match from the log of its table, None unless it is over."""
    return next((match.record() for match in finished_matches(rows) if match.number == number), None)


def make_config(
    rules: str | Ruleset = "perudo",
    *,
    seats: int = 6,
    clock: Clock | None = None,
    hints: bool = False,
    training: bool = False,
    open_cups: bool = False,
    spectators: bool = True,
    away: Away = Away.WAIT,
    leaver: Leaver = Leaver.BOT,
    best_of: BestOf = 1,
) -> TableConfig:
    """A configuration with the rules of a preset, or others."""
    ruleset = preset(rules).ruleset if isinstance(rules, str) else rules
    return TableConfig(
        title="The Crooked Spoon",
        ruleset=ruleset,
        rules_name=rules if isinstance(rules, str) else "",
        seats=seats,
        clock=clock or Clock(),
        hints=hints,
        training=training,
        open_cups=open_cups,
        spectators=spectators,
        away=away,
        leaver=leaver,
        best_of=best_of,
    )


async def make_table(
    registry: TableRegistry, *names: str, config: TableConfig | None = None, bots: tuple[str, ...] = ()
) -> LiveTable:
    """A table with these people, the first of them its host; each one's token is their name."""
    live_table, _ = await registry.open_table(config or make_config(), names[0], hash_token(names[0]), "", bots)
    for name in names[1:]:
        await registry.take_seat(live_table, name, hash_token(name), "", f"sit-{name}")
    return live_table


async def begin_match(registry: TableRegistry, live_table: LiveTable) -> TableState:
    """Let Ann begin a match; the table when its first bid is awaited."""
    await registry.submit(live_table, hash_token("Ann"), "begin", c.Begin())
    return await wait_until(live_table, is_bidding)


async def wait_until(live_table: LiveTable, holds: Callable[[TableState], bool]) -> TableState:
    """The first state of which something holds. Fails if the table stands still before: at a person, or at its end."""
    changed = asyncio.Event()
    live_table.on_change.append(changed.set)
    timers = next(timers for timers in map(_owner, live_table.on_change) if isinstance(timers, TableTimers))
    while not holds(table := await live_table.state()):
        changed.clear()
        stands_still = not (timers.acts_now or timers.acting)
        try:
            await asyncio.wait_for(changed.wait(), STANDSTILL_S if stands_still else PATIENCE_S)
        except TimeoutError:
            phase = table.match and (table.match.state.phase, table.match.state.turn, table.match.state.bids)
            raise AssertionError(f"nothing more happens at the table: {table.stage}, {phase}") from None
    return table


def _owner(callback: Callable[[], None]) -> object:
    return getattr(callback, "__self__", None)


async def wait_until_idle(registry: TableRegistry, code: str) -> None:
    """Wait until a table does nothing by itself any more and no task runs."""
    services = fake_clock(registry)
    async with asyncio.timeout(PATIENCE_S):
        while True:
            if tasks := services.running_tasks:
                await asyncio.wait(tasks)
            elif registry.acts_now(code):
                await asyncio.sleep(0)
            else:
                return


def match_of(table: TableState) -> MatchState:
    """The match of a table that has begun one."""
    assert table.match is not None
    return table.match


def is_bidding(table: TableState) -> bool:
    return table.ongoing_match is not None and table.ongoing_match.state.phase is Phase.BIDDING


def is_over(table: TableState) -> bool:
    return table.stage is Stage.OVER


def turn_id(table: TableState) -> int:
    return match_of(table).turn_id


def token_on_turn(table: TableState) -> str:
    """The hash of the token of the player on turn."""
    assert table.ongoing_match is not None
    return hash_token(table.players[table.ongoing_match.state.turn].name)


class RecordingSubscriber:
    """A `Subscriber` that keeps every message that it is sent, those about presence apart."""

    def __init__(self, token_hash: str, last_seq: int = 0) -> None:
        self.token_hash = token_hash
        self.player: int | None = None
        self.last_seq = last_seq
        self.looking = True
        self.frames: list[bytes] = []
        self.presence: list[bytes] = []
        self.ended = self.handed_over = False

    def send(self, frame: bytes) -> None:
        self.frames.append(frame)

    def send_presence(self, frame: bytes) -> None:
        self.presence.append(frame)

    def end(self, frame: bytes) -> None:
        self.frames.append(frame)
        self.ended = True

    def hand_over(self) -> None:
        self.handed_over = True
