"""The same table twice, with other dice in the cups that somebody cannot see: the same script is played in both."""

from __future__ import annotations

import hashlib
import io
import json
import logging
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache

import httpx
import structlog
from litestar import Litestar

from liarsdice.core.actions import Penalise
from liarsdice.core.engine.state import State
from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.play.dealer import Dealer
from liarsdice.server.app import make_app
from liarsdice.server.http.auth import holder_of
from liarsdice.server.http.websocket import answered
from liarsdice.server.live.connection import Line
from liarsdice.server.live.live_table import Room, held_by, may_look
from liarsdice.server.live.table_registry import Rooms
from liarsdice.server.logging_setup import start_logs
from liarsdice.server.protocol.encoding import ENCODER
from liarsdice.server.services import House
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.table_config import Options
from liarsdice.server.table.table_state import MatchState, TableState
from tests.server.houses import START_MS
from tests.server.memory import MemoryStore
from tests.server.quiet import quiet
from tests.server.watching import Eyes

CODE = "ABCD"
NAMES = ("Ann", "Bo", "Cy", "Dee", "Eve", "Flo")
SPECTATOR, STRANGER = "", "Zoe"


class Hidden:
    """Chance from labels. What `eyes` cannot see follows another seed from a round on, and everything else does not."""

    def __init__(self, seed: str, world: int, eyes: int | None, first_round: int) -> None:
        self._seed, self._world = seed, world
        self._eyes, self._first = eyes, first_round

    def draws(self, label: str, below: int, count: int) -> tuple[int, ...]:
        kind, *rest = label.split("/")
        hidden = kind == "round" and int(rest[0]) >= self._first and int(rest[2]) != self._eyes
        return self.draws_of(label, below, count, hidden=hidden)

    def draws_of(self, label: str, below: int, count: int, *, hidden: bool) -> tuple[int, ...]:
        rng = random.Random(f"{self._seed}/{label}/{self._world if hidden else 0}")
        return tuple(rng.randrange(below) for _ in range(count))


class HiddenDealer(Dealer):
    """Takes other dice from under a cup that `eyes` cannot see into, too."""

    def __init__(self, chance: Hidden, eyes: int | None, first_round: int) -> None:
        super().__init__(chance=chance)
        self._hidden, self._eyes, self._first = chance, eyes, first_round

    def penalty(self, state: State, seat: int, trigger: PenaltyTrigger, before: int = 0) -> Penalise:
        taken = super().penalty(state, seat, trigger, before).taken
        if seat == self._eyes or not taken:
            return Penalise(trigger, taken)
        hidden = state.round_number >= self._first
        first = self._hidden.draws_of(f"taken/{before}", state.dice[seat], 1, hidden=hidden)[0]
        turned = sorted((first + place) % state.dice[seat] for place in range(len(taken)))
        return Penalise(trigger, tuple(turned))


class WorldChances:
    """Seeds that are the same in both worlds, and dice that are not."""

    def __init__(self, seed: int, world: int, eyes: int | None, first_round: int) -> None:
        self._seed, self._world, self._eyes, self._first = seed, world, eyes, first_round
        self._count = 0

    def new_seed(self) -> str:
        self._count += 1
        return hashlib.sha256(f"{self._seed}/{self._count}".encode()).hexdigest()

    def dealer(self, code: str, match: MatchState) -> Dealer:  # noqa: ARG002  the code is always the same
        hidden = Hidden(match.server_seed, self._world, self._eyes, self._first)
        return HiddenDealer(hidden, self._eyes, self._first)


class WorldHouse(House):
    """A house in memory, whose time moves only by the script."""

    def __init__(self, store: MemoryStore, chances: WorldChances) -> None:
        super().__init__(store, chances=chances, pace=0)
        self.ms = START_MS

    def now_ms(self) -> int:
        return self.ms


class World:
    """A table with somebody's eyes on it from every side. `told` is what came of each step of a script, by role."""

    def __init__(self, chances: WorldChances, log: io.StringIO) -> None:
        self._store = MemoryStore()
        self.house = WorldHouse(self._store, chances)
        self.rooms = Rooms(self.house)
        self.room = Room(self.house, CODE)
        self.eyes: dict[str, Eyes] = {}
        self.told: list[dict[str, list[bytes]]] = []
        self._log, self._logged = log, log.tell()
        self._public: list[bytes] = []
        self._wishes = 0

    async def open(self, options: Options, seats: int) -> None:
        """Everybody sits down and looks, and so do two who have no seat."""
        self.room = self.rooms._wake(CODE)  # noqa: SLF001  a code that both worlds share
        names = NAMES[:seats]
        people: list[e.Entry] = [
            e.Joined(place + 1, name, holder_of(name), f"seed{place}") for place, name in enumerate(names)
        ]
        await self.room.open([e.Opened(CODE, options), *people, e.HostMade(1)])
        for name in (*names, SPECTATOR, STRANGER):
            self.look(name, 0)
        await self.settled()

    def look(self, name: str, have: int) -> None:
        """Somebody opens the page, anew where they have it open; who may not look is refused."""
        if name in self.eyes:
            self.room.leave(self.eyes[name])
        before = self.eyes[name].frames if name in self.eyes else []
        self.eyes[name] = Eyes(holder_of(name or None), have)
        self.eyes[name].frames = before
        held = held_by(self.table(), self.eyes[name].holder)
        if may_look(self.table(), held.id if held else None):
            self.room.welcome(self.eyes[name])

    async def say(self, name: str, message: str) -> None:
        """Somebody's page sends a message; what it is answered everybody may know."""
        line = Line(holder_of(name or None), 0)
        answer = await answered(self.rooms, self.room, line, message)
        self._public.append(ENCODER.encode(answer))

    def wish(self) -> str:
        self._wishes += 1
        return f"w{self._wishes}"

    async def ask(self, path: str) -> None:
        """Somebody without a seat asks over HTTP."""
        app = the_app()
        app.state.rooms = self.rooms
        transport = httpx.ASGITransport(app)  # type: ignore[arg-type]  # both are ASGI, each by types of its own
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            answer = await client.get(path)
        self._public.append(f"{path} {answer.status_code} {sorted(answer.headers.items())}".encode() + answer.content)

    def rows(self) -> tuple[e.Row, ...]:
        """The log of the table."""
        return self._store.kept[CODE].rows

    def table(self) -> TableState:
        known = self.room.known
        assert known is not None
        return known

    async def settled(self) -> None:
        """A step is over: whatever goes on by itself has happened, and what everybody learned is put down."""
        await quiet(self.rooms, CODE)
        written = self._log.getvalue()
        public = [*self._public, *_lines(written[self._logged :]), *_counted(self.house.meters.text())]
        self._logged, self._public = len(written), []
        told = {name: eyes.frames for name, eyes in self.eyes.items()}
        for eyes in self.eyes.values():
            eyes.frames = []
        self.told.append({"public": public, **told})

    async def close(self) -> None:
        await self.house.close()


@lru_cache(1)
def the_app() -> Litestar:
    """An application whose rooms are put in as they are asked for: to make one takes longer than to play a match."""
    return make_app(House(MemoryStore()))


def _lines(written: str) -> Iterator[bytes]:
    for line in written.splitlines():
        plain = json.loads(line)
        plain.pop("timestamp", None)
        yield json.dumps(plain, sort_keys=True).encode()


def _counted(metrics: bytes) -> Iterator[bytes]:
    return (line for line in metrics.splitlines() if b"_created" not in line)


@contextmanager
def logs() -> Iterator[io.StringIO]:
    """Whatever is logged meanwhile, at the level that says most."""
    stream = io.StringIO()
    loggers = [logging.getLogger(name) for name in ("uvicorn", "uvicorn.error", "litestar")]
    before = [(logger.handlers, logger.propagate, logger.level) for logger in loggers]
    start_logs("debug", stream)
    try:
        yield stream
    finally:
        structlog.reset_defaults()
        for logger, (handlers, propagate, level) in zip(loggers, before, strict=True):
            logger.handlers, logger.propagate = handlers, propagate
            logger.setLevel(level)


def differences(one: Sequence[dict[str, list[bytes]]], other: Sequence[dict[str, list[bytes]]]) -> set[str]:
    """The roles that could tell two worlds apart."""
    assert len(one) == len(other), "one world got further than the other"
    return {role for here, there in zip(one, other, strict=True) for role in here if here[role] != there[role]}
