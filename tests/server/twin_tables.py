"""The same table twice, with different dice in the hands that one observer cannot see, for tests of secrecy.

A random script is played at both tables, and everything that anybody receives of it is recorded.
"""

import hashlib
import io
import json
import logging
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from unittest.mock import patch

import httpx
import structlog
from litestar import Litestar

from liarsdice.core.actions import DealerAction, Penalise
from liarsdice.core.engine.state import State
from liarsdice.core.events import Event
from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.play.match import Dealer
from liarsdice.server.app import make_app
from liarsdice.server.bus.event_bus import EventBus
from liarsdice.server.http.auth import COOKIE, hash_token
from liarsdice.server.http.websocket import handle_message
from liarsdice.server.live import live_table
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.metrics import Metrics
from liarsdice.server.protocol.encoding import ENCODER
from liarsdice.server.run import configure_logging
from liarsdice.server.services import Services
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.dice_source import DiceSource
from liarsdice.server.table.table_config import TableConfig
from liarsdice.server.table.table_state import MatchState, TableState
from tests.laws.visible_hands import seats_seen_by
from tests.server.live_tables import PATIENCE_S, FakeClockServices, RecordingSubscriber, wait_until_idle
from tests.server.memory_store import MemoryStore

CODE = "ABCD"
NAMES = ("Ann", "Bo", "Cy", "Dee", "Eve", "Flo")
SPECTATOR, STRANGER = "", "Zoe"
"""Two people without a seat: one without a token, and one with."""
OPTIONAL_RULES = (
    "basic+mixed-dice",
    "bluff+show-dice",
    "chui-niu+bar",
    "chui-niu+counter-pi",
    "chui-niu+fei",
    "perudo+declared-palifico",
    "perudo+pass-alike",
)
"""Rulesets in which players may do what no preset allows without its options."""


class TwinSource:
    """Numbers from a seed and their label. The hidden dice of the second table come from another seed.

    Hidden are, from round `first_round` on, the hands of all seats that the observer does not see in that round (`seen`
    are the others).
    """

    def __init__(self, seed: str, twin: int, first_round: int) -> None:
        self._seed, self._twin, self._first_round = seed, twin, first_round
        self.seen = set[int]()

    def draw_integers(self, label: str, below: int, count: int) -> tuple[int, ...]:
        kind, *rest = label.split("/")
        hidden = kind == "round" and int(rest[0]) >= self._first_round and int(rest[2]) not in self.seen
        return self.draw(label, below, count, hidden=hidden)

    def draw(self, label: str, below: int, count: int, *, hidden: bool) -> tuple[int, ...]:
        rng = random.Random(f"{self._seed}/{label}/{self._twin if hidden else 0}")
        return tuple(rng.randrange(below) for _ in range(count))


class TwinDealer(Dealer):
    """Takes different dice as a penalty, too, from hands that the observer cannot see."""

    def __init__(self, source: TwinSource, observer: int | None, first_round: int) -> None:
        super().__init__(source=source)
        self._twin_source, self._observer, self._first_round = source, observer, first_round

    def action(self, state: State, rolls_made: int = 0) -> DealerAction:
        self._twin_source.seen = seats_seen_by(state, self._observer)
        return super().action(state, rolls_made)

    def penalty(
        self, state: State, seat: int, trigger: PenaltyTrigger, penalties_made: int = 0, offence: str = ""
    ) -> Penalise:
        drawn = super().penalty(state, seat, trigger, penalties_made, offence)
        taken = drawn.taken
        if seat in seats_seen_by(state, self._observer) or not taken:
            return drawn
        hidden = state.round_number >= self._first_round
        shift = self._twin_source.draw(f"taken/{penalties_made}", state.dice[seat], 1, hidden=hidden)[0]
        places = sorted((shift + place) % state.dice[seat] for place in range(len(taken)))
        return Penalise(trigger, tuple(places), offence)


class TwinDiceSource(DiceSource):
    """A `DiceSource` with the same seeds at both tables (`twin` 0 and 1) and different hidden dice."""

    def __init__(self, seed: int, twin: int, observer: int | None, first_round: int) -> None:
        super().__init__()
        self._seed, self._twin, self._observer, self._first_round = seed, twin, observer, first_round
        self._count = 0

    def new_seed(self) -> str:
        self._count += 1
        return hashlib.sha256(f"{self._seed}/{self._count}".encode()).hexdigest()

    def dealer(self, code: str, match: MatchState) -> Dealer:  # noqa: ARG002  the code is always the same
        source = TwinSource(match.server_seed, self._twin, self._first_round)
        return TwinDealer(source, self._observer, self._first_round)


class TwinTable:
    """One of the two tables. `received` holds, for each step of a script, what everybody received, by role."""

    def __init__(self, dice_source: TwinDiceSource, log: io.StringIO) -> None:
        self._store = MemoryStore()
        bus = EventBus()
        bus.node_id = "node"  # the answers of both tables' servers name it
        with patch("liarsdice.server.metrics.ProcessCollector"):  # of the machine, which both tables share
            self.services = FakeClockServices(self._store, dice_source=dice_source, event_bus=bus)
        self.registry = TableRegistry(self.services)
        self.live_table = LiveTable(self.services, CODE)
        self.subscribers: dict[str, RecordingSubscriber] = {}
        self.received: list[dict[str, list[bytes]]] = []
        self._log, self._log_length = log, log.tell()
        self._public: list[bytes] = []
        self._request_count = 0

    async def open(self, config: TableConfig, seats: int, bots: int = 0) -> None:
        """Seat and connect everybody, and two people without a seat; bots that ignore their dice hold the last seats.

        Such bots move alike at both tables.
        """
        self.live_table = self.registry.add(CODE)
        people, names = NAMES[: seats - bots], NAMES[:seats]
        joined: list[e.LogEntry] = [
            e.Joined(place + 1, name, hash_token(name), f"seed{place}")
            if name in people
            else e.BotJoined(place + 1, name, "random")
            for place, name in enumerate(names)
        ]
        await self.live_table.create([e.Opened(CODE, config), *joined, e.HostChanged(1)])
        for name in (*people, SPECTATOR, STRANGER):
            self.connect(name, 0)
        await self.end_step()

    def connect(self, name: str, last_seq: int) -> None:
        """Connect somebody, again if they are connected; a person who may not see the table is refused."""
        before = self.subscribers.get(name)
        if before is not None:
            self.live_table.unsubscribe(before)
        subscriber = self.subscribers[name] = RecordingSubscriber(hash_token(name or None), last_seq)
        subscriber.frames = before.frames if before is not None else []
        player = self.table().player_by_token(subscriber.token_hash)
        if self.table().is_visible_to(player.id if player else None):
            with patch.object(live_table, "KEPT_S", PATIENCE_S):  # in real time: the speed of the test must not tell
                self.live_table.subscribe(subscriber)

    async def send(self, name: str, message: str) -> None:
        """Let somebody send a message; everybody may know the answer."""
        answer = await handle_message(self.registry, self.live_table, hash_token(name or None), message)
        self._public.append(ENCODER.encode(answer))

    def new_request_id(self) -> str:
        self._request_count += 1
        return f"w{self._request_count}"

    async def get(self, path: str, name: str) -> None:
        """Let somebody send an HTTP request; everybody may know the response."""
        self._public.append(await self.request("GET", path, name))

    async def request(self, method: str, path: str, name: str, body: bytes = b"") -> bytes:
        """Let somebody send an HTTP request with the cookie of their browser; the response with its headers."""
        app = shared_app()
        app.state.registry = self.registry
        app.state.costly_work = self.services.costly_work
        transport = httpx.ASGITransport(app)  # type: ignore[arg-type]  # both are ASGI, each by types of its own
        cookies = {COOKIE: name} if name else {}
        with patch.object(live_table, "KEPT_S", PATIENCE_S):
            async with httpx.AsyncClient(transport=transport, base_url="http://here", cookies=cookies) as client:
                answer = await client.request(method, path, content=body)
        head = f"{path} {answer.status_code} {sorted(answer.headers.items())}"
        return head.encode() + answer.content

    def rows(self) -> tuple[e.LogRow, ...]:
        """The log of the table."""
        return self._store.tables[CODE].rows

    def events(self) -> list[Event]:
        """The events of the match."""
        played = (row.entry.events for row in self.rows() if isinstance(row.entry, e.Played))
        return [event for events in played for event in events]

    def table(self) -> TableState:
        known = self.live_table.known_state
        assert known is not None
        return known

    async def end_step(self) -> None:
        """Wait until the table does nothing by itself, and record what everybody received in this step."""
        await wait_until_idle(self.registry, CODE)
        logged = self._log.getvalue()
        new_lines = _log_lines(logged[self._log_length :])
        public = [*self._public, *new_lines, *_metric_lines(self.services.metrics)]
        self._log_length, self._public = len(logged), []
        frames = {name: subscriber.frames for name, subscriber in self.subscribers.items()}
        for subscriber in self.subscribers.values():
            subscriber.frames = []
        self.received.append({"public": public, **frames})

    async def close(self) -> None:
        await self.services.close()


@lru_cache(1)
def shared_app() -> Litestar:
    """An application whose registry every request replaces, since making one takes longer than playing a match."""
    return make_app(Services(MemoryStore()))


def _log_lines(text: str) -> Iterator[bytes]:
    for line in text.splitlines():
        fields = json.loads(line)
        fields.pop("timestamp", None)
        yield json.dumps(fields, sort_keys=True).encode()


def _metric_lines(metrics: Metrics) -> Iterator[bytes]:
    """The metrics, without times of creation.

    They are read one by one: to write them in the format of Prometheus takes longer than to play a step.
    """
    yield b"frames %d" % metrics.frame_count
    for metric in metrics._registry.collect():  # noqa: SLF001  `Metrics.text` writes the format
        for sample in metric.samples:
            if not sample.name.endswith("_created"):
                yield f"{sample.name} {sorted(sample.labels.items())} {sample.value}".encode()


@contextmanager
def captured_logs() -> Iterator[io.StringIO]:
    """Everything that is logged meanwhile, at the most detailed level."""
    stream = io.StringIO()
    loggers = [logging.getLogger(name) for name in ("uvicorn", "uvicorn.error", "litestar")]
    before = [(logger.handlers, logger.propagate, logger.level) for logger in loggers]
    configure_logging(logging.DEBUG, stream)
    try:
        yield stream
    finally:
        structlog.reset_defaults()
        for logger, (handlers, propagate, level) in zip(loggers, before, strict=True):
            logger.handlers, logger.propagate = handlers, propagate
            logger.setLevel(level)


def differences(first: Sequence[Mapping[str, object]], second: Sequence[Mapping[str, object]]) -> set[str]:
    """The roles that received something else at one table than at the other."""
    assert len(first) == len(second), "the script ended earlier at one table"
    return {role for one, other in zip(first, second, strict=True) for role in one if one[role] != other[role]}


def lengths(steps: Sequence[dict[str, list[bytes]]]) -> list[dict[str, list[int]]]:
    """What an observer of the encrypted connections sees of these steps: how long everybody's messages are."""
    return [{role: [len(message) for message in received] for role, received in step.items()} for step in steps]
