"""Whatever people ask for, in any order: a table stays whole, its log adds up to it, and its manners hold."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from itertools import pairwise
from typing import Any, TypeVar

import msgspec
import structlog
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from liarsdice.core.actions import MOVES
from liarsdice.core.engine.engine import legal
from liarsdice.core.errors import LiarsDiceError
from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.http.auth import holder_of
from liarsdice.server.live.live_table import held_by, may_look
from liarsdice.server.live.table_registry import Rooms
from liarsdice.server.protocol.messages import Stage, Update
from liarsdice.server.table import commands as c
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.reducer import fold, grown
from liarsdice.server.table.seating import here
from liarsdice.server.table.table_config import Options
from liarsdice.server.table.table_state import TableState
from tests.server.memory import MemoryStore
from tests.server.quiet import quiet
from tests.server.serving import FROM_TABLE
from tests.server.watching import Eyes
from tests.server.wishing import PEOPLE, people, players, set_ups, wishes
from tests.server.worlds import CODE, WorldChances, WorldHouse

T = TypeVar("T")


class AnyOrder(RuleBasedStateMachine):
    """A table, five people, and somebody who only looks on."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.store = MemoryStore()
        self.eyes: dict[str, Eyes] = {}
        self.granted: dict[tuple[str, str], int] = {}
        self.checked = 0
        self.count = 0
        self.quiet_log = structlog.testing.capture_logs()
        self.logged = self.quiet_log.__enter__()

    @initialize(set_up=set_ups.filter(lambda it: it.seats > 1), seed=st.integers(0, 99))
    def opened(self, set_up: Options, seed: int) -> None:
        self.run(self._open(set_up, seed))

    async def _open(self, set_up: Options, seed: int) -> None:
        self.house = WorldHouse(self.store, WorldChances(seed, 0, None, 1))
        self.rooms = Rooms(self.house)
        self.room = self.rooms._wake(CODE)  # noqa: SLF001  a code of our own
        await self.room.open([e.Opened(CODE, set_up), e.Joined(1, "Ann", holder_of("Ann"), ""), e.HostMade(1)])
        await self.rooms.sit(self.room, "Bo", holder_of("Bo"), "", "s0")
        await self.rooms.ask(self.room, holder_of("Ann"), "b0", c.Begin())

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something, then let the table do what it does by itself."""

        async def done() -> T:
            try:
                return await work
            finally:
                await quiet(self.rooms, CODE)

        return self.runner.run(done())

    @property
    def table(self) -> TableState:
        known = self.room.known
        assert known is not None
        return known

    # ---- what people do -------------------------------------------------------------------------------------------

    @rule(name=people, called=st.sampled_from([*PEOPLE, "ann", " ", "Wren"]))
    def sit(self, name: str, called: str) -> None:
        self.count += 1
        self.ask(self.rooms.sit(self.room, called, holder_of(name), "", f"s{self.count}"))

    @rule(name=people, what=wishes, late=st.sampled_from([0, 0, 0, 1]))
    def wish(self, name: str, what: c.Command, late: int) -> None:
        self.count += 1
        mark = self.table.match.mark if self.table.match else 0
        self.say(name, f"w{self.count}", what, mark - late)

    @rule(what=wishes)
    def wish_of_the_host(self, what: c.Command) -> None:
        self.host_says(what)

    @rule(picks=st.lists(st.integers(0, 999), min_size=1, max_size=8))
    def play(self, picks: list[int]) -> None:
        for pick in picks:
            match = self.table.playing
            if match is None or legal(match.state).turn is None:
                return
            moves = legal(match.state)
            anybody = [(seat, move) for seat in range(len(match.state.names)) for move in moves.moves(seat)[-3:]]
            seat, move = anybody[pick % len(anybody)]
            assert isinstance(move, MOVES)
            self.count += 1
            self.say(self.person(self.table.players[seat].holders), f"w{self.count}", move, match.mark)

    @rule()
    def let_bots_finish(self) -> None:
        for one in self.table.players:
            if one.bot is None and not one.gone:
                self.host_says(c.StandIn(one.id, bot=True))

    @rule(times=st.integers(1, 6))
    def bots_come_and_go(self, times: int) -> None:
        for _ in range(times):
            self.host_says(c.AddBot("random"))
            self.host_says(c.Remove(self.table.next_player - 1))

    @rule(player=players, trigger=st.sampled_from(PenaltyTrigger), paused=st.booleans(), take=st.booleans())
    def accuse_and_settle(self, player: int, trigger: PenaltyTrigger, paused: bool, take: bool) -> None:
        self.host_says(c.Accuse(player, trigger))
        if paused:
            self.host_says(c.Pause(paused=True))
        for charge in self.table.charges:
            self.host_says(c.AnswerPenalty(charge.number, take))

    def host_says(self, what: c.Command) -> None:
        host = self.table.player(self.table.host)
        if host is not None:
            self.count += 1
            self.say(self.person(host.holders), f"w{self.count}", what, 0)

    def person(self, holders: tuple[str, ...]) -> str:
        """Whose seat it is; bots have nobody."""
        return next((name for name in PEOPLE if holder_of(name) in holders), "Zoe")

    @rule(name=people, number=st.integers(1, 40), what=wishes)
    def repeat(self, name: str, number: int, what: c.Command) -> None:
        """A wish that was granted is not granted again, whatever is said with its id."""
        known = self.granted.get((name, f"w{number}"))
        before = self.table.seq
        if known is not None and held_by(self.table, holder_of(name)) is not None:
            assert self.say(name, f"w{number}", what, 0) == known
            assert self.table.seq == before

    @rule(what=wishes)
    def a_stranger_asks(self, what: c.Command) -> None:
        for holder in ("", holder_of("Zoe")):
            try:
                self.run(self.rooms.ask(self.room, holder, "z", what))
            except ForbiddenError:
                continue
            raise AssertionError("a stranger was heard")

    @rule(name=st.sampled_from([*PEOPLE, "", "Zoe"]), have=st.integers(0, 60))
    def look(self, name: str, have: int) -> None:
        if name in self.eyes:
            self.room.leave(self.eyes.pop(name))
        eyes = Eyes(holder_of(name or None), have)
        held = held_by(self.table, eyes.holder)
        if may_look(self.table, held.id if held else None):
            self.eyes[name] = eyes
            self.run(self._welcome(eyes))

    async def _welcome(self, eyes: Eyes) -> None:
        self.room.welcome(eyes)

    @rule(name=st.sampled_from([*PEOPLE, "", "Zoe"]))
    def look_away(self, name: str) -> None:
        if name in self.eyes:
            self.room.leave(self.eyes.pop(name))

    @rule()
    def sleep_and_wake(self) -> None:
        """Nobody looks any more, the table is let go of, and is read again from its log."""
        self.eyes = {}
        self.rooms._forget(CODE)  # noqa: SLF001  as after a while
        self.room = self.runner.run(self.rooms.room(CODE))
        self.run(self.room.table())

    def say(self, name: str, wish: str, what: c.Command, mark: int) -> int | None:
        seq = self.ask(self.rooms.ask(self.room, holder_of(name), wish, what, mark))
        if seq is not None and wish in {key.rpartition(":")[2] for key in self.table.wishes}:
            self.granted.setdefault((name, wish), seq)
        return seq

    def ask(self, work: Coroutine[Any, Any, int]) -> int | None:
        """What comes of it; a refusal changes nothing."""
        before = self.table.seq
        try:
            return self.run(work)
        except LiarsDiceError:
            assert self.table.seq == before, "something was refused, and done"
            return None

    # ---- what always holds ----------------------------------------------------------------------------------------

    @invariant()
    def the_log_adds_up_to_the_table(self) -> None:
        rows = self.rows()
        assert [row.seq for row in rows] == list(range(1, self.table.seq + 1))
        assert fold(rows) == self.table

    @invariant()
    def each_new_entry_was_allowed(self) -> None:
        rows = self.rows()
        table = fold(rows[: self.checked])
        for row in rows[self.checked :]:
            if table is not None:
                _allowed(table, row.entry, rows)
            table = grown(table, row)
        self.checked = len(rows)

    @invariant()
    def somebody_is_the_host_and_everybody_has_a_chair(self) -> None:
        table = self.table
        persons = [one.id for one in here(table) if one.bot is None]
        assert (table.host in persons) if persons else table.host is None
        assert len(here(table)) <= table.options.seats or table.stage is not Stage.GATHERING
        names = [one.name.casefold() for one in here(table)]
        assert len(set(names)) == len(names)
        assert len(table.players) <= 20

    @invariant()
    def every_page_shows_the_table_as_it_is_and_its_own_dice_alone(self) -> None:
        for name, eyes in list(self.eyes.items()):
            if eyes.ended:
                assert not self.table.options.spectators
                del self.eyes[name]
                continue
            updates = [update for update in map(FROM_TABLE.decode, eyes.frames) if isinstance(update, Update)]
            eyes.frames = eyes.frames[-1:]
            assert all(one.seq <= two.seq for one, two in pairwise(updates))
            if not updates:
                continue
            latest, held = updates[-1], held_by(self.table, eyes.holder)
            assert eyes.have == self.table.seq
            assert latest.own.player == (held.id if held else None)
            match, seat = self.table.match, latest.own.seat
            hands = match.state.hands if match else ()
            assert latest.own.hand == (hands[seat] if hands and seat is not None and seat < len(hands) else ())

    @invariant()
    def nothing_went_wrong_behind_the_scenes(self) -> None:
        assert [line for line in self.logged if line["log_level"] != "info"] == []

    def rows(self) -> list[e.Row]:
        """The log as it would be read from disk."""
        kept = self.store.kept[CODE].rows
        return [msgspec.structs.replace(row, entry=e.ENTRY.decode(msgspec.json.encode(row.entry))) for row in kept]

    def teardown(self) -> None:
        if hasattr(self, "house"):
            self.runner.run(self.house.close())
        self.quiet_log.__exit__(None, None, None)
        self.runner.close()


def _allowed(table: TableState, entry: e.Entry, rows: list[e.Row]) -> None:
    """What an entry may not be, with the table as it was before it."""
    match entry:
        case e.Spoke(player):
            speaker = table.player(player)
            assert speaker is not None
            assert not speaker.muted
            assert not speaker.gone
        case e.Played():
            settled = isinstance(rows[table.seq - 1].entry, e.Answered)
            assert settled or not table.paused, "a paused match moved"
        case e.Joined() | e.BotJoined() | e.Changed() | e.Began():
            assert table.stage is not Stage.PLAYING
        case e.HostMade(player):
            heir = table.player(player)
            assert heir is not None
            assert heir.bot is None
            assert not heir.gone
        case _:
            pass


AnyOrder.TestCase.settings = settings(max_examples=settings().max_examples * 2 // 5, stateful_step_count=40)
test_whatever_is_asked_in_any_order = AnyOrder.TestCase
