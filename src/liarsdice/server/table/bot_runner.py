"""Asking bots for their moves, in a thread of their own: they see a view, and answer at the same door as people."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from liarsdice.bots.registry import make_bot
from liarsdice.core.actions import MOVES, Move
from liarsdice.core.engine.legal import challengers, exact_callers
from liarsdice.core.engine.state import State
from liarsdice.core.records.record import Record
from liarsdice.play.dealer import Dealer
from liarsdice.play.match import Match
from liarsdice.play.referee import Referee
from liarsdice.server.table.table_state import TableState


class Minds:
    """The bots of all tables."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(1, "bots")

    def close(self) -> None:
        """Let go of the thread."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def move(self, table: TableState, bots: Mapping[int, str]) -> tuple[int, Move] | None:
        """What bots, by seat, do now: the one on turn moves, others may call. None where none of them does anything."""
        match = table.playing
        if match is None:
            return None
        seed = f"{match.server_seed}/{match.mark}"
        return await asyncio.get_running_loop().run_in_executor(self._threads, _asked, match.state, dict(bots), seed)


def _asked(state: State, bots: dict[int, str], seed: str) -> tuple[int, Move] | None:
    match = Match.resumed(Record("", (), state), Dealer(seed))
    referee = Referee(match, {seat: make_bot(spec, f"{seed}/{seat}") for seat, spec in bots.items()})
    answer = referee.answer()
    if answer is None:
        return None
    seat, move = answer
    assert isinstance(move, MOVES)
    return seat, move


def bots_at(table: TableState) -> dict[int, str]:
    """Which bot plays which seat now, those included that stand in for somebody."""
    return {
        seat: one.bot or table.options.bot
        for seat, one in enumerate(table.players)
        if one.played_by_bot and table.match is not None and seat < len(table.match.state.names)
    }


def callers_out_of_turn(table: TableState) -> dict[int, str]:
    """The bots that may call the standing bid while it is a person's turn."""
    match = table.playing
    if match is None or table.paused or not match.state.bids:
        return {}
    may = {*challengers(match.state), *exact_callers(match.state)} - {match.state.turn}
    bots = bots_at(table)
    return {} if match.state.turn in bots else {seat: bot for seat, bot in bots.items() if seat in may}
