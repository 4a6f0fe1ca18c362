"""Timers of a table: deals dice, lets bots move, ends turns whose time is up, and replaces players who are away."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

import structlog

from liarsdice.core.actions import Move
from liarsdice.server.errors import TableNotFoundError, UnreadableTableError
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_services import TableServices
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.bot_runner import bots_by_seat, out_of_turn_bots
from liarsdice.server.table.command_handler import bot_move_entries, deal_entries
from liarsdice.server.table.deadlines import (
    Deadline,
    DeadlineKind,
    answer_step_ms,
    bot_delay_ms,
    next_deadline,
    takeover_at_ms,
)
from liarsdice.server.table.seating import quick_begin_entries, return_seats
from liarsdice.server.table.table_config import Away
from liarsdice.server.table.table_state import TableState

T = TypeVar("T")


async def at_answer_step(answer: Awaitable[T], step_s: float) -> T:
    """Return the result of `answer` a whole number of steps after the call, one at least.

    Nearly all bots answer within one step, so that nearly all moves take the same time. `step_s`: the length of a step
    in seconds; 0 waits for nothing but the answer. Raises what `answer` raises, at once.
    """
    clock = asyncio.get_running_loop().time
    asked_s = clock()
    result = await answer
    if step_s:
        await asyncio.sleep(wait_s(clock() - asked_s, step_s))
    return result


def wait_s(passed_s: float, step_s: float) -> float:
    """Return how long it is until the next step ends; the first step is over no sooner than any other.

    >>> wait_s(0.0, 0.25), wait_s(0.0625, 0.25), wait_s(0.375, 0.25)
    (0.25, 0.1875, 0.125)
    """
    return max(1, math.ceil(passed_s / step_s)) * step_s - passed_s


LOG = structlog.get_logger()
RETRY_MS = 1_000
LATE_S = 0.5
"""A timer that is this late looks first whether another node was faster. This process may have been stopped."""

Situation = tuple[int, int]
"""The number of the match and its `turn_id`."""


class TableTimers:
    """The timers of one table, set again whenever its state changes. Used on the event loop only.

    One timer waits for the table's deadline. Another asks the bots, once a bid, whether they call it out of turn.
    They run only if this node drives the table (`LiveTable.drives`). Bots are asked one step (`answer_step_ms`) before
    they move, so that their time to think does not show.
    """

    def __init__(self, services: TableServices, live_table: LiveTable) -> None:
        self._services = services
        self._live_table = live_table
        self._deadline_timer: asyncio.TimerHandle | None = None
        self._call_timer: asyncio.TimerHandle | None = None
        self._calls_asked_in: Situation | None = None
        self._acting_on: tuple[object, ...] | None = None
        self._stopped = False
        self._acting_count = 0
        live_table.on_change.append(self.reschedule)

    @property
    def acting(self) -> bool:
        """Whether the work of a timer is in progress."""
        return self._acting_count > 0

    @property
    def acts_now(self) -> bool:
        """Whether the table does something by itself without further delay (for tests that have no pauses)."""
        table = self._live_table.known_state
        if table is None or not self._live_table.drives:
            return False
        if self._live_table.deadline is not None and self._live_table.left_ms() == 0:
            return True
        return _situation(table) != self._calls_asked_in and bool(out_of_turn_bots(table))

    def reschedule(self) -> None:
        """Cancel the timers and set those of the current state."""
        self.cancel()
        live_table, table = self._live_table, self._live_table.known_state
        left_ms = live_table.left_ms()
        if table is None or (table.ongoing_match is None and live_table.deadline is None):
            return
        self._prepare_bots(table)
        if not live_table.drives:
            return
        step_ms = self._step_ms(table)
        if live_table.deadline is not None and left_ms is not None:
            early_ms = step_ms if live_table.deadline.kind is DeadlineKind.BOT_MOVE else 0
            wait_ms = max(0, left_ms - early_ms)
            self._deadline_timer = self._call_later(wait_ms, partial(self._on_deadline, live_table.deadline))
        situation = _situation(table)
        if table.ongoing_match is not None and situation != self._calls_asked_in and out_of_turn_bots(table):
            delay_ms = bot_delay_ms(table.ongoing_match) * self._services.pace
            self._call_timer = self._call_later(max(0, delay_ms - step_ms), partial(self._ask_for_calls, situation))

    def _step_ms(self, table: TableState) -> float:
        return answer_step_ms(table) * self._services.pace

    async def _ask_bots(self, table: TableState, bots: dict[int, str]) -> tuple[int, Move] | None:
        """Return the seat and the move of the first bot that acts now, when it may appear."""
        return await at_answer_step(self._services.bot_runner.choose_move(table, bots), self._step_ms(table) / 1000)

    def _prepare_bots(self, table: TableState) -> None:
        """Start a process for bots when a match begins, and on the nodes that may have to take its table over."""
        runner = self._services.bot_runner
        if not runner.started and bots_by_seat(table):
            _ = self._services.start_task(runner.start())

    def cancel(self) -> None:
        """Cancel all timers."""
        for timer in (self._deadline_timer, self._call_timer):
            if timer is not None:
                timer.cancel()
        self._deadline_timer = self._call_timer = None

    def stop(self) -> None:
        """Cancel all timers for good: also work that is in progress sets none again."""
        self._stopped = True
        self.cancel()

    def _call_later(self, delay_ms: float, work: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.TimerHandle | None:
        if self._stopped:
            return None
        loop = asyncio.get_running_loop()
        late_at_s = loop.time() + delay_ms / 1000 + LATE_S
        return loop.call_later(delay_ms / 1000, lambda: self._services.start_task(self._run_safely(work, late_at_s)))

    async def _run_safely(self, work: Callable[[], Coroutine[Any, Any, None]], late_at_s: float) -> None:
        """Run the work of a timer; if it fails, log the error and try again after `RETRY_MS`.

        A table that cannot be read or was deleted is not tried again.
        """
        self._acting_count += 1
        try:
            if self._services.shared_store is not None and asyncio.get_running_loop().time() > late_at_s:
                await self._live_table.refresh()
            if self._live_table.drives:
                await work()
        except (TableNotFoundError, UnreadableTableError) as error:
            LOG.warning("table_stopped", error=type(error).__name__)
        except Exception as error:  # noqa: BLE001  the table must go on after any error
            LOG.warning("table_waits", error=type(error).__name__)
            self._deadline_timer = self._call_later(RETRY_MS, self._retry)
        finally:
            self._acting_count -= 1

    async def _retry(self) -> None:
        await self._live_table.state()
        self.reschedule()

    async def _on_deadline(self, deadline: Deadline) -> None:
        """Do what a deadline is for, unless that is in progress: talk sets the timers again while a bot thinks."""
        table = await self._live_table.state()
        if next_deadline(table) is None or self._acting_on == deadline.key:
            return
        self._acting_on = deadline.key
        try:
            match deadline.kind:
                case DeadlineKind.DEAL:
                    await self._append(deadline, lambda current: deal_entries(current, self._services.dice_source))
                case DeadlineKind.BOT_MOVE:
                    self._calls_asked_in = _situation(table)
                    await self._append_bot_move(table, deadline, bots_by_seat(table))
                case DeadlineKind.BEGIN:
                    source = self._services.dice_source
                    await self._append(deadline, lambda current: quick_begin_entries(current, source))
                case DeadlineKind.RESUME:
                    await self._append(deadline, lambda _: [e.Resumed()])
                case DeadlineKind.TIME_UP | DeadlineKind.AWAY:
                    await self._on_missed_turn(table, deadline)
        finally:
            if self._acting_on == deadline.key:
                self._acting_on = None

    async def _append(self, deadline: Deadline, decide: Callable[[TableState], list[e.LogEntry]]) -> None:
        """Append what `decide` returns, unless the table waits for another deadline by now."""

        def decide_if_due(current: TableState) -> list[e.LogEntry]:
            still = next_deadline(current)
            return decide(current) if still is not None and still.key == deadline.key else []

        await self._live_table.append(decide_if_due)

    async def _append_bot_move(
        self, table: TableState, deadline: Deadline, bots: dict[int, str], *, time_up: bool = False
    ) -> None:
        self._services.metrics.bot_turns.inc()
        answer = await self._ask_bots(table, bots)
        if answer is None:
            return
        seat, move = answer

        def decide(current: TableState) -> list[e.LogEntry]:
            returned = [] if time_up else self._return_seat(current, seat)
            return returned or bot_move_entries(current, seat, move, self._services.dice_source, time_up=time_up)

        await self._append(deadline, decide)

    def _return_seat(self, table: TableState, seat: int) -> list[e.LogEntry]:
        """Return the entry that ends the stand-in in a seat whose player has come back while the bot was thinking."""
        player_id = table.players[seat].id
        return return_seats(table, lambda other: other == player_id and self._live_table.presence.is_connected(other))

    async def _on_missed_turn(self, table: TableState, deadline: Deadline) -> None:
        """Act for the player on turn, who did not act in time.

        If the player is not connected and the table has `Away.BOT`, a bot takes over the seat. Otherwise a bot makes
        only this move. A deadline of kind `AWAY` is postponed while the player is connected, or has been away for less
        than `AWAY_MS`, until the turn has lasted for `longest_turn_ms`.
        """
        assert table.ongoing_match is not None
        seat = table.ongoing_match.state.turn
        player = table.players[seat]
        now_ms, presence = self._services.now_ms(), self._live_table.presence
        connected = presence.is_connected(player.id)
        away_since_ms = now_ms if connected else presence.away_since_ms(player.id)
        wait_ms = takeover_at_ms(table, self._live_table.deadline_at_ms or now_ms, away_since_ms) - now_ms
        if deadline.kind is DeadlineKind.AWAY and wait_ms > 0:
            self._deadline_timer = self._call_later(wait_ms, partial(self._on_deadline, deadline))
            if self._services.shared_store is not None:
                await self._services.shared_store.postpone([(table.code, table.seq, now_ms + wait_ms)])
        elif not connected and table.config.away is Away.BOT:
            await self._append(deadline, lambda _: [e.StandInChanged(player.id, bot=True)])
        else:
            await self._append_bot_move(table, deadline, {seat: table.config.bot}, time_up=True)

    async def _ask_for_calls(self, situation: Situation | None) -> None:
        """Ask the bots whether they call the standing bid out of turn, if the situation is still the same."""
        self._calls_asked_in = situation
        table = await self._live_table.state()
        bots = out_of_turn_bots(table)
        if _situation(table) != situation or not bots:
            return
        answer = await self._ask_bots(table, bots)
        if answer is None:
            return
        seat, move = answer

        def decide(current: TableState) -> list[e.LogEntry]:
            if _situation(current) != situation or seat not in out_of_turn_bots(current):
                return []
            returned = self._return_seat(current, seat)
            return returned or bot_move_entries(current, seat, move, self._services.dice_source)

        await self._live_table.append(decide)


def _situation(table: TableState) -> Situation | None:
    match = table.ongoing_match
    return None if match is None else (match.number, match.turn_id)
