"""What goes on at a table by itself: dice are dealt, bots move, clocks run out, and absent players are stood in for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

import structlog

from liarsdice.server.live.live_table import Room
from liarsdice.server.services import House
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.bot_runner import bots_at, callers_out_of_turn
from liarsdice.server.table.command_handler import deal, play
from liarsdice.server.table.deadlines import AWAY_MS, Due, What, due, think_ms
from liarsdice.server.table.table_config import Away
from liarsdice.server.table.table_state import TableState

LOG = structlog.get_logger()
RETRY_MS = 1_000
Situation = tuple[int, int]


class Clockwork:
    """The timers of one table; set anew whenever the table moves on."""

    def __init__(self, house: House, room: Room) -> None:
        self._house = house
        self._room = room
        self._timer: asyncio.TimerHandle | None = None
        self._look: asyncio.TimerHandle | None = None
        self._looked_at: Situation | None = None
        room.after.append(self.wind)

    def wind(self) -> None:
        """Set the timers for what is due now."""
        self.stop()
        room, table = self._room, self._room.known
        left_ms = room.left_ms()
        if table is None or table.playing is None:
            return
        if room.due is not None and left_ms is not None:
            self._timer = self._later(left_ms, partial(self._do, room.due))
        situation = _situation(table)
        if situation != self._looked_at and callers_out_of_turn(table):
            self._look = self._later(think_ms(table.playing) * self._house.pace, partial(self._look_on, situation))

    def stop(self) -> None:
        """Set no timer."""
        for timer in (self._timer, self._look):
            if timer is not None:
                timer.cancel()
        self._timer = self._look = None

    def _later(self, ms: float, work: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.TimerHandle:
        loop = asyncio.get_running_loop()
        return loop.call_later(ms / 1000, lambda: self._house.start(self._guarded(work)))

    async def _guarded(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """What goes wrong here has nobody to be told to: note it, and look again in a while."""
        try:
            await work()
        except Exception as error:  # noqa: BLE001  a table must not stand still for whatever it was
            LOG.warning("table_waits", error=type(error).__name__)
            self._timer = self._later(RETRY_MS, self._again)

    async def _again(self) -> None:
        await self._room.table()
        self.wind()

    async def _do(self, was_due: Due) -> None:
        table = await self._room.table()
        if due(table) is None:
            return
        match was_due.what:
            case What.DEAL:
                await self._append(was_due, lambda now: deal(now, self._house.chances))
            case What.BOT_MOVE:
                self._looked_at = _situation(table)
                await self._move(table, was_due, bots_at(table))
            case What.TIME_UP | What.AWAY:
                await self._nobody_acted(table, was_due)

    async def _append(self, was_due: Due, deciding: Callable[[TableState], list[e.Entry]]) -> None:
        """Do what is due, unless something else has happened meanwhile."""

        def decide(now: TableState) -> list[e.Entry]:
            still = due(now)
            return deciding(now) if still is not None and still.key == was_due.key else []

        await self._room.append(decide)

    async def _move(self, table: TableState, was_due: Due, bots: dict[int, str], *, time_up: bool = False) -> None:
        answer = await self._house.minds.move(table, bots)
        if answer is not None:
            await self._append(was_due, lambda now: play(now, *answer, time_up=time_up))

    async def _nobody_acted(self, table: TableState, was_due: Due) -> None:
        """The player on turn did not act: a bot does it once for who is here, and from now on for who is not."""
        assert table.playing is not None
        seat = table.playing.state.turn
        player = table.players[seat]
        here = self._room.is_here(player.id)
        away_ms = self._room.away_ms(player.id)
        if was_due.what is What.AWAY and (here or (away_ms < AWAY_MS)):
            self._timer = self._later(AWAY_MS if here else AWAY_MS - away_ms, partial(self._do, was_due))
        elif not here and table.options.away is Away.BOT:
            await self._append(was_due, lambda _: [e.StoodIn(player.id, bot=True)])
        else:
            await self._move(table, was_due, {seat: table.options.bot}, time_up=True)

    async def _look_on(self, situation: Situation | None) -> None:
        """Let bots call out of turn, once for every bid."""
        self._looked_at = situation
        table = await self._room.table()
        bots = callers_out_of_turn(table)
        if _situation(table) != situation or not bots:
            return
        answer = await self._house.minds.move(table, bots)
        if answer is None:
            return
        seat, move = answer

        def decide(now: TableState) -> list[e.Entry]:
            return play(now, seat, move) if _situation(now) == situation and not now.paused else []

        await self._room.append(decide)


def _situation(table: TableState) -> Situation | None:
    match = table.playing
    return None if match is None else (match.number, match.mark)
