"""Runs the bots of all tables in worker processes. A bot receives the view of its seat and nothing else.

A bot that raises, answers late or makes an illegal move is replaced in its seat: a stand-in plays on in its place.
"""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress

import msgspec

from liarsdice.bots.protocol import Learns
from liarsdice.bots.registry import CHAMPION, MASTER, make_bot
from liarsdice.core.actions import MOVES, Move, PlayerAction
from liarsdice.core.bids.bid_chart import BidRange, bid_ranges, bids_in
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.legal import callers_out_of_turn, legal
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import View, view
from liarsdice.core.records.record import Record
from liarsdice.core.rules.bid_space import bid_space
from liarsdice.core.rules.choices import Choice
from liarsdice.play.match import Dealer, Match
from liarsdice.play.referee import Referee
from liarsdice.runtime.processes import DeadlineError, PoolFullError, WorkerLostError, WorkerPool, WorkerPoolError
from liarsdice.server.table.table_config import DEFAULT_BOT
from liarsdice.server.table.table_state import MatchState, TableState

WORKERS = 2
MAX_CALLS = 1024
DEADLINE_S = 5.0
"""The slowest built-in bot takes a few milliseconds for a usual game and less than a second for the largest table."""

STAND_IN = "novice"
"""It plays by counting, so it cannot fail and takes no time to speak of."""

MAX_REPLACED, MAX_NOTES = 10_000, 2_000
"""How many seats are remembered where a stand-in plays, and how many where a bot has learned about the others."""
MAX_SEARCHES = 4
"""How many masters may search or wait at once. The others play as champions for the time being."""


class BotFailure(Choice):
    """Why a stand-in moves instead of a bot.

    LATE: its deadline passed. LOST: its process ended. ERROR: it raised an exception. ILLEGAL: it made an illegal move.
    BUSY: too many bots were asked at once.
    """

    LATE = "late"
    LOST = "lost"
    ERROR = "error"
    ILLEGAL = "illegal"
    BUSY = "busy"


class BotRunner:
    """Asks bots for their moves, so that the event loop never waits for one and no bot can stop another.

    `on_failure` is called with the name of a bot and its failure. After any failure but `BUSY`, the stand-in plays in
    this seat until the match ends or the server restarts. What bots learn in a match ends with it or with the server.
    `searchers`: one process for all masters, which starts when there is one.
    """

    def __init__(
        self,
        workers: WorkerPool | None = None,
        *,
        searchers: WorkerPool | None = None,
        deadline_s: float = DEADLINE_S,
        on_failure: Callable[[str, BotFailure], None] | None = None,
    ) -> None:
        self._workers = workers or WorkerPool(WORKERS, max_calls=MAX_CALLS, name="bots", prepare=load_bots)
        self._searchers = searchers or WorkerPool(1, max_calls=MAX_SEARCHES, name="searches", prepare=load_master)
        self._starting_search: asyncio.Future[int] | None = None
        self._deadline_s = deadline_s
        self._on_failure = on_failure
        self._replaced: OrderedDict[tuple[str, int, int], None] = OrderedDict()
        self._notes: OrderedDict[tuple[str, int, int], object] = OrderedDict()
        self.started = False

    @property
    def starting(self) -> bool:
        """Whether bots have to wait until their first process has started."""
        return self._workers.starting

    async def start(self) -> None:
        """Start a process now, so that the first bot does not wait for it; `started` is true from then on."""
        self.started = True
        with suppress(WorkerPoolError):
            await self._workers.run(os.getpid, deadline_s=self._deadline_s)

    def close(self) -> None:
        """Kill the processes; requests fail."""
        self._workers.close()
        self._searchers.close()

    async def choose_move(self, table: TableState, bots: Mapping[int, str]) -> tuple[int, Move] | None:
        """Return the seat and the move of the first bot that acts now, None if none acts.

        `bots`: names of bots by seat. The bot on turn moves; others may call the standing bid.
        """
        match = table.ongoing_match
        if match is None or match.state.phase is not Phase.BIDDING:
            return None
        state = match.state
        seats = sorted(bots.keys() & {state.turn, *callers_out_of_turn(state)})
        answers = await asyncio.gather(*(self._ask(table.code, match, seat, bots[seat]) for seat in seats))
        answered = {seat: _AnsweredBot(answer) for seat, answer in zip(seats, answers, strict=True)}
        referee = Referee(Match.from_record(Record("", (), state), Dealer("")), answered)
        acting = referee.next_action()
        if acting is None:
            return None
        seat, move = acting
        assert isinstance(move, MOVES)
        return seat, move

    async def _ask(self, code: str, match: MatchState, seat: int, bot: str) -> PlayerAction | None:
        """Return the answer of the bot in a seat, or that of its stand-in if the bot fails."""
        seat_view = view(match.state, seat, legal(match.state))
        seed = f"{match.server_seed}/{match.turn_id}/{seat}"
        key = (code, match.number, seat)
        if key not in self._replaced:
            try:
                answer = await self._answer(key, bot, seed, seat_view)
            except PoolFullError:
                failure = BotFailure.BUSY
            except DeadlineError:
                failure = BotFailure.LATE
            except WorkerLostError:
                failure = BotFailure.LOST
            except Exception:  # noqa: BLE001  whatever a bot raises
                failure = BotFailure.ERROR
            else:
                if _is_legal(match.state, seat, answer):
                    return answer
                failure = BotFailure.ILLEGAL
            self._record_failure(key, bot, failure)
        return await asyncio.to_thread(ask_bot, STAND_IN, seed, seat_view)

    async def _answer(self, key: tuple[str, int, int], bot: str, seed: str, seat_view: View) -> PlayerAction | None:
        """Return the answer of a bot, with what it has learned in its seat before; raises what a pool raises."""
        question = seed, *_packed(seat_view), self._notes.get(key)
        answer = None
        if bot == MASTER and self._searchers.ready:
            with suppress(WorkerPoolError):  # one that is late or lost plays as the champion this time
                answer = await self._searchers.run(_ask_bot, bot, *question, deadline_s=self._deadline_s)
        elif bot == MASTER:
            self._start_search()
        if answer is None:
            name = CHAMPION if bot == MASTER else bot
            answer = await self._workers.run(_ask_bot, name, *question, deadline_s=self._deadline_s)
        move, notes = answer
        if notes is not None:
            self._notes[key] = notes
            self._notes.move_to_end(key)
            if len(self._notes) > MAX_NOTES:
                self._notes.popitem(last=False)
        return move

    def _start_search(self) -> None:
        """Start the process of the masters, also after it was lost, unless it starts or could not be started."""
        last = self._starting_search
        if last is None or (last.done() and not last.cancelled() and last.exception() is None):
            starting = self._searchers.run(os.getpid, deadline_s=self._deadline_s)
            self._starting_search = asyncio.ensure_future(starting)
            self._starting_search.add_done_callback(lambda done: done.cancelled() or done.exception())

    def _record_failure(self, key: tuple[str, int, int], bot: str, failure: BotFailure) -> None:
        if failure is not BotFailure.BUSY:
            self._replaced[key] = None
            if len(self._replaced) > MAX_REPLACED:
                self._replaced.popitem(last=False)
        if self._on_failure is not None:
            self._on_failure(bot, failure)


class _AnsweredBot:
    """A bot that has answered already."""

    def __init__(self, answer: PlayerAction | None) -> None:
        self._answer = answer

    def act(self, _: View) -> PlayerAction | None:
        return self._answer


def load_bots() -> None:
    """Load what most bots need, so that their first moves are not late."""
    for bot in (CHAMPION, DEFAULT_BOT):
        make_bot(bot)


def load_master() -> None:
    """Load what masters need."""
    from liarsdice.bots.neural.hunter import load_kernels  # noqa: PLC0415  it loads numba

    load_kernels()


def _packed(seat_view: View) -> tuple[View, tuple[BidRange, ...]]:
    """Return a view without its legal bids, and these as ranges, which take less time to send to another process."""
    kinds = bid_space(seat_view.ruleset).kinds
    return msgspec.structs.replace(seat_view, may_bid=()), bid_ranges(seat_view.may_bid, kinds)


def _ask_bot(
    bot: str, seed: str, seat_view: View, bids: tuple[BidRange, ...], notes: object
) -> tuple[PlayerAction | None, object]:
    """Return the action of a bot that has learned these notes (None: nothing), and its notes after it."""
    player = make_bot(bot, seed)
    if isinstance(player, Learns) and notes is not None:
        player.notes = notes
    move = player.act(msgspec.structs.replace(seat_view, may_bid=bids_in(bids)))
    return move, player.notes if isinstance(player, Learns) else None


def ask_bot(bot: str, seed: str, seat_view: View) -> PlayerAction | None:
    """Return the action of a bot, by its name, for the view of its seat."""
    return make_bot(bot, seed).act(seat_view)


def _is_legal(state: State, seat: int, answer: PlayerAction | None) -> bool:
    """Return whether a bot may answer this: a legal move, or None out of turn."""
    if answer is None:
        return seat != state.turn
    try:
        decide(state, seat, answer)
    except Exception:  # noqa: BLE001  a move with fields of wrong types can break the engine's checks
        return False
    return type(answer) in MOVES


def bots_by_seat(table: TableState) -> dict[int, str]:
    """Return the names of the bots that play seats of the current match now, stand-ins included."""
    return {
        seat: player.bot or table.config.bot
        for seat, player in enumerate(table.players)
        if player.played_by_bot and table.match is not None and seat < len(table.match.state.names)
    }


def out_of_turn_bots(table: TableState) -> dict[int, str]:
    """Return the names of the bots, by seat, that may call the standing bid while it is a person's turn."""
    match = table.ongoing_match
    if match is None or table.paused or not match.state.bids:
        return {}
    callers = callers_out_of_turn(match.state)
    bots = bots_by_seat(table)
    return {} if match.state.turn in bots else {seat: bot for seat, bot in bots.items() if seat in callers}
