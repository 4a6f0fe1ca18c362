"""Random commands in any order keep a table consistent: its log leads to its state, and nobody exceeds their rights."""

import asyncio
from collections.abc import Coroutine
from itertools import pairwise
from typing import Any, TypeVar

import msgspec
import structlog
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from liarsdice.core.actions import (
    MOVES,
    AnswerDouble,
    Challenge,
    ChooseKind,
    ClaimExact,
    DeclareSpecial,
    Exact,
    Reroll,
    SetDirection,
)
from liarsdice.core.engine.engine import legal
from liarsdice.core.errors import LiarsDiceError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, Direction, PenaltyTiming, PenaltyTrigger, RoundKind, WhoCalls
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.provable_dice import commitment_to
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.storage.rows import START_BYTES, needless_entries
from liarsdice.server.table import commands as c
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.log_entries import AccusationSettled
from liarsdice.server.table.reducer import apply_row, replay_log
from liarsdice.server.table.seating import present_players
from liarsdice.server.table.snapshots import Snapshot, restore_snapshot, take_snapshot
from liarsdice.server.table.table_config import Away, BanScope, Leaver, TableConfig
from liarsdice.server.table.table_state import TableState
from liarsdice.wire import PlayoutSpeed, Stage, Update
from tests.laws.random_rulesets import OFFENCES, PUNISHED
from tests.server.live_tables import FakeClockServices, RecordingSubscriber, wait_until_idle
from tests.server.memory_store import MemoryStore
from tests.server.running_server import FROM_TABLE
from tests.server.twin_tables import CODE, TwinDiceSource


def check_allowed(table: TableState, entry: e.LogEntry, rows: list[e.LogRow]) -> None:
    """Assert that an entry was allowed in the state before it."""
    match entry:
        case e.Spoke(player_id):
            speaker = table.player(player_id)
            assert speaker is not None
            assert not speaker.muted
            assert not speaker.gone
        case e.Played():
            settled = isinstance(rows[table.seq - 1].entry, AccusationSettled)
            assert settled or not table.paused, "a paused match went on"
        case e.Joined() | e.BotJoined() | e.ConfigChanged() | e.MatchBegan():
            assert table.stage is not Stage.PLAYING
        case e.HostChanged(player_id):
            host = table.player(player_id)
            assert host is not None
            assert host.bot is None
            assert not host.gone
        case _:
            pass


PEOPLE = ("Ann", "Bo", "Cy", "Dee", "Eve")
people = st.sampled_from(PEOPLE)
players = st.integers(0, 5)


def _rules(name: str, timing: PenaltyTiming, callers: WhoCalls) -> Ruleset:
    base = preset(name).ruleset
    penalties = tuple(Penalty(trigger=trigger) for trigger in PenaltyTrigger)
    return patched(base, dice__per_player=2, penalties=penalties, penalty_timing=timing, challenge__who=callers)


RULES = tuple(
    _rules(name, timing, callers)
    for name, timing, callers in (
        ("perudo", PenaltyTiming.IMMEDIATE, WhoCalls.NEXT_PLAYER),
        ("perudo", PenaltyTiming.END_OF_ROUND, WhoCalls.ANYONE_BUT_BIDDER),
        ("mustache", PenaltyTiming.IMMEDIATE, WhoCalls.ANYONE_BUT_BIDDER),
    )
)
configs = st.builds(
    lambda rules, seats, hints, spectators, approval, leaver, best_of: TableConfig(
        title="Any",
        ruleset=rules,
        seats=seats,
        hints=hints,
        spectators=spectators,
        away=Away.WAIT,
        listed=True,
        approval=approval,
        leaver=leaver,
        best_of=best_of,
    ),
    st.sampled_from(RULES),
    st.integers(1, 5),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from(Leaver),
    st.sampled_from((1, 3)),
)
commands: st.SearchStrategy[c.Command] = st.one_of(
    st.builds(c.Say, st.sampled_from(["hello", "whose turn is it?", "how many dice?", "", "a\nb"])),
    st.just(c.Begin()),
    st.just(c.NotYet()),
    st.builds(c.Arrange, st.permutations([1, 2, 3]).map(tuple)),
    st.just(c.Ready()),
    st.just(c.Leave()),
    st.builds(c.Report, players),
    st.just(c.AcceptRules()),
    st.builds(c.PlayOut, st.sampled_from(PlayoutSpeed)),
    st.builds(c.GuessCall, players, st.booleans()),
    st.builds(c.ChooseFace, st.integers(-1, 100)),
    st.builds(c.SetPush, st.sampled_from(["https://fcm.googleapis.com/x", "http://localhost/"]), st.booleans()),
    st.builds(c.CommitSeed, st.sampled_from(["", "abc", commitment_to("a" * 32), commitment_to("b" * 32)])),
    st.builds(c.RevealSeed, st.sampled_from(["", "abc", "a" * 32, "b" * 32, "x" * 65])),
    st.builds(c.Accuse, players, st.sampled_from(PenaltyTrigger), st.sampled_from(("", *OFFENCES))),
    st.builds(c.AnswerPenalty, st.integers(0, 4), st.booleans()),
    st.builds(c.Change, configs),
    st.builds(c.AddBot, st.sampled_from(["random", "threshold:0.4", "nope", ""])),
    st.builds(c.Remove, players, st.sampled_from(BanScope)),
    st.builds(c.LiftBan, players),
    st.builds(c.Lock, st.booleans()),
    st.builds(c.AnswerSeat, st.integers(0, 4), st.booleans()),
    st.builds(c.Mute, players, st.booleans()),
    st.builds(c.Pause, st.booleans()),
    st.builds(c.StandIn, players, st.booleans()),
    st.builds(c.MakeHost, players),
    st.builds(Bid, st.integers(1, 12), st.integers(0, 7)),
    st.builds(AnswerDouble, st.sampled_from(Answer)),
    st.builds(ChooseKind, st.sampled_from(RoundKind)),
    st.sampled_from(
        [
            Challenge(),
            Challenge(double=True),
            Exact(),
            ClaimExact(),
            SetDirection(Direction.CLOCKWISE),
            DeclareSpecial(),
            Reroll(),
        ]
    ),
)


T = TypeVar("T")


class RandomCommands(RuleBasedStateMachine):
    """A table, five people, a stranger with a token, and a spectator without one."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.store = MemoryStore()
        self.subscribers: dict[str, RecordingSubscriber] = {}
        self.handled: dict[tuple[str, str], int] = {}
        self.checked_count = 0
        self.request_count = 0
        self.snapshot: Snapshot | None = None
        self.log_capture = structlog.testing.capture_logs()
        self.logged = self.log_capture.__enter__()

    @initialize(config=configs.filter(lambda config: config.seats > 1), seed=st.integers(0, 99))
    def open_table(self, config: TableConfig, seed: int) -> None:
        self.run(self._open(config, seed))

    async def _open(self, config: TableConfig, seed: int) -> None:
        self.services = FakeClockServices(self.store, dice_source=TwinDiceSource(seed, 0, None, 1))
        self.registry = TableRegistry(self.services)
        self.live_table = self.registry.add(CODE)
        seated = (e.Joined(1, "Ann", hash_token("Ann"), ""), e.Joined(2, "Bo", hash_token("Bo"), ""))
        await self.live_table.create([e.Opened(CODE, config), *seated, e.HostChanged(1)])
        await self.registry.submit(self.live_table, hash_token("Ann"), "b0", c.Begin())

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something, then wait until the table does nothing by itself."""

        async def run_and_wait() -> T:
            try:
                return await work
            finally:
                await wait_until_idle(self.registry, CODE)

        return self.runner.run(run_and_wait())

    @property
    def table(self) -> TableState:
        known = self.live_table.known_state
        assert known is not None
        return known

    # ---- what people do -------------------------------------------------------------------------------------------

    @rule(owner=people, name=st.sampled_from([*PEOPLE, "ann", " ", "Wren"]))
    def take_seat(self, owner: str, name: str) -> None:
        self.request_count += 1
        request_id = f"s{self.request_count}"
        self.attempt(self.registry.take_seat(self.live_table, name, hash_token(owner), "", request_id))

    @rule(name=people, command=commands, late=st.sampled_from([0, 0, 0, 1]))
    def give_command(self, name: str, command: c.Command, late: int) -> None:
        self.request_count += 1
        turn_id = self.table.match.turn_id if self.table.match else 0
        self.submit(name, f"w{self.request_count}", command, turn_id - late)

    @rule(command=commands)
    def give_command_as_host(self, command: c.Command) -> None:
        self.submit_as_host(command)

    @rule(picks=st.lists(st.integers(0, 999), min_size=1, max_size=8))
    def make_moves(self, picks: list[int]) -> None:
        for pick in picks:
            match = self.table.ongoing_match
            if match is None or legal(match.state).turn is None:
                return
            moves = legal(match.state)
            choices = [(seat, move) for seat in range(len(match.state.names)) for move in moves.moves(seat)[-3:]]
            seat, move = choices[pick % len(choices)]
            assert isinstance(move, MOVES)
            self.request_count += 1
            name = self.owner_of(self.table.players[seat].token_hashes)
            self.submit(name, f"w{self.request_count}", move, match.turn_id)

    @rule()
    def let_bots_finish(self) -> None:
        for player in self.table.players:
            if player.bot is None and not player.gone:
                self.submit_as_host(c.StandIn(player.id, bot=True))

    @rule(times=st.integers(1, 6))
    def add_and_remove_bots(self, times: int) -> None:
        for _ in range(times):
            self.submit_as_host(c.AddBot("random"))
            self.submit_as_host(c.Remove(self.table.next_player - 1))

    @rule(player=players, punished=st.sampled_from(PUNISHED), paused=st.booleans(), take=st.booleans())
    def accuse_and_settle(self, player: int, punished: tuple[PenaltyTrigger, str], paused: bool, take: bool) -> None:
        self.submit_as_host(c.Accuse(player, *punished))
        if paused:
            self.submit_as_host(c.Pause(paused=True))
        for accusation in self.table.accusations:
            self.submit_as_host(c.AnswerPenalty(accusation.number, take))

    def submit_as_host(self, command: c.Command) -> None:
        host = self.table.player(self.table.host)
        if host is not None:
            self.request_count += 1
            self.submit(self.owner_of(host.token_hashes), f"w{self.request_count}", command, 0)

    def owner_of(self, token_hashes: tuple[str, ...]) -> str:
        """The person with one of these tokens; for bots, which have none, a stranger."""
        return next((name for name in PEOPLE if hash_token(name) in token_hashes), "Zoe")

    @rule(name=people, number=st.integers(1, 40), command=commands)
    def repeat_request(self, name: str, number: int, command: c.Command) -> None:
        """A request that was handled is not handled again, whatever command comes with its id."""
        known = self.handled.get((name, f"w{number}"))
        before = self.table.seq
        if known is not None and self.table.player_by_token(hash_token(name)) is not None:
            assert self.submit(name, f"w{number}", command, 0) == known
            assert self.table.seq == before

    @rule(command=commands)
    def give_command_as_stranger(self, command: c.Command) -> None:
        for token_hash in ("", hash_token("Zoe")):
            try:
                self.run(self.registry.submit(self.live_table, token_hash, "z", command))
            except ForbiddenError:
                continue
            raise AssertionError("a command of a stranger was accepted")

    @rule(name=st.sampled_from([*PEOPLE, "", "Zoe"]), last_seq=st.integers(0, 60))
    def connect(self, name: str, last_seq: int) -> None:
        if name in self.subscribers:
            self.run(self._unsubscribe(self.subscribers.pop(name)))
        subscriber = RecordingSubscriber(hash_token(name or None), last_seq)
        player = self.table.player_by_token(subscriber.token_hash)
        if self.table.is_visible_to(player.id if player else None):
            self.subscribers[name] = subscriber
            self.run(self._subscribe(subscriber))

    async def _subscribe(self, subscriber: RecordingSubscriber) -> None:
        self.live_table.subscribe(subscriber)

    @rule(name=st.sampled_from([*PEOPLE, "", "Zoe"]))
    def disconnect(self, name: str) -> None:
        if name in self.subscribers:
            self.run(self._unsubscribe(self.subscribers.pop(name)))

    async def _unsubscribe(self, subscriber: RecordingSubscriber) -> None:
        self.live_table.unsubscribe(subscriber)

    @rule()
    def unload_and_load(self) -> None:
        """Everybody disconnects, and the table is unloaded and loaded again from its log."""
        self.subscribers = {}
        self.registry.unload(CODE)
        self.live_table = self.runner.run(self.registry.get(CODE))
        self.run(self.live_table.state())

    def submit(self, name: str, request_id: str, command: c.Command, turn_id: int) -> int | None:
        work = self.registry.submit(self.live_table, hash_token(name), request_id, command, turn_id)
        seq = self.attempt(work)
        if seq is not None and request_id in {key.rpartition(":")[2] for key in self.table.handled_requests}:
            self.handled.setdefault((name, request_id), seq)
        return seq

    def attempt(self, work: Coroutine[Any, Any, int | None]) -> int | None:
        """The result of some work, None if it is refused; a refusal changes nothing."""
        before = self.table.seq
        try:
            return self.run(work)
        except LiarsDiceError:
            assert self.table.seq == before, "a refused command changed the table"
            return None

    # ---- what always holds ----------------------------------------------------------------------------------------

    @invariant()
    def the_log_leads_to_the_state(self) -> None:
        rows = self.rows()
        assert [row.seq for row in rows] == list(range(1, self.table.seq + 1))
        assert replay_log(rows) == self.table

    @invariant()
    def each_new_entry_was_allowed(self) -> None:
        rows = self.rows()
        table = replay_log(rows[: self.checked_count])
        for row in rows[self.checked_count :]:
            if table is not None:
                check_allowed(table, row.entry, rows)
            table = apply_row(table, row)
        self.checked_count = len(rows)

    @invariant()
    def there_is_a_host_and_everybody_has_a_seat_and_a_name_of_their_own(self) -> None:
        table = self.table
        present = present_players(table)
        person_ids = [player.id for player in present if player.bot is None]
        assert (table.host in person_ids) if person_ids else table.host is None
        assert len(present) <= table.config.seats or table.stage is not Stage.GATHERING
        names = [player.name.casefold() for player in present]
        assert len(set(names)) == len(names)
        assert len(table.players) <= 20

    @invariant()
    def every_client_has_the_current_state_and_only_its_own_dice(self) -> None:
        for name, subscriber in list(self.subscribers.items()):
            if subscriber.ended:
                assert not self.table.config.spectators
                del self.subscribers[name]
                continue
            updates = [update for update in map(FROM_TABLE.decode, subscriber.frames) if isinstance(update, Update)]
            subscriber.frames = subscriber.frames[-1:]
            assert all(first.seq <= second.seq for first, second in pairwise(updates))
            if not updates:
                continue
            latest, player = updates[-1], self.table.player_by_token(subscriber.token_hash)
            assert subscriber.last_seq == self.table.seq
            assert latest.own.player == (player.id if player else None)
            match, seat = self.table.match, latest.own.seat
            hands = match.state.hands if match else ()
            assert latest.own.hand == (hands[seat] if hands and seat is not None and seat < len(hands) else ())

    @invariant()
    def nothing_is_logged_as_a_warning(self) -> None:
        assert [line for line in self.logged if line["log_level"] != "info"] == []

    @rule()
    def take_snapshot(self) -> None:
        self.snapshot = take_snapshot(self.table)

    @invariant()
    def a_snapshot_and_the_entries_after_it_lead_to_the_state(self) -> None:
        for snapshot in (self.snapshot, self.store.snapshots.get(CODE)):
            if snapshot is not None:
                table = restore_snapshot(CODE, snapshot.seq, snapshot.digest, snapshot.body)
                assert table is not None
                for row in self.rows()[snapshot.seq :]:
                    table = apply_row(table, row)
                assert table == self.table

    @invariant()
    def without_needless_entries_the_log_leads_to_the_state(self) -> None:
        rows, snapshot = self.rows(), take_snapshot(self.table)
        old = [row for row in rows if row.seq < snapshot.talk_from_seq]
        starts = [(row.seq, msgspec.json.encode(row.entry)[:START_BYTES]) for row in old]
        needless = {*needless_entries(starts, snapshot.news_seqs)}
        assert replay_log([row for row in rows if row.seq not in needless]) == self.table

    def rows(self) -> list[e.LogRow]:
        """The log as it would be read from disk."""
        return [
            msgspec.structs.replace(row, entry=e.LOG_ENTRY_DECODER.decode(msgspec.json.encode(row.entry)))
            for row in self.store.tables[CODE].rows
        ]

    def teardown(self) -> None:
        if hasattr(self, "services"):
            self.runner.run(self.services.close())
        self.log_capture.__exit__(None, None, None)
        self.runner.close()


RandomCommands.TestCase.settings = settings(stateful_step_count=40)
test_random_commands_keep_a_table_consistent = RandomCommands.TestCase
