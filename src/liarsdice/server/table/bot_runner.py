"""Runs the bots of all tables in one worker thread. A bot receives the view of its seat and nothing else."""

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


class BotRunner:
    """Asks bots for their moves, one after another, so that the event loop never waits for one."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, "bots")

    def close(self) -> None:
        """Stop the thread after the current move; pending requests are cancelled."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    async def choose_move(self, table: TableState, bots: Mapping[int, str]) -> tuple[int, Move] | None:
        """Return the seat and the move of the first bot that acts now, None if none acts.

        `bots`: names of bots by seat. The bot on turn moves; others may call the standing bid.
        """
        match = table.ongoing_match
        if match is None:
            return None
        seed = f"{match.server_seed}/{match.turn_id}"
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, _choose_move, match.state, dict(bots), seed)


def _choose_move(state: State, bots: dict[int, str], seed: str) -> tuple[int, Move] | None:
    match = Match.from_record(Record("", (), state), Dealer(seed))
    referee = Referee(match, {seat: make_bot(spec, f"{seed}/{seat}") for seat, spec in bots.items()})
    answer = referee.next_action()
    if answer is None:
        return None
    seat, move = answer
    assert isinstance(move, MOVES)
    return seat, move


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
    callers = {*challengers(match.state), *exact_callers(match.state)} - {match.state.turn}
    bots = bots_by_seat(table)
    return {} if match.state.turn in bots else {seat: bot for seat, bot in bots.items() if seat in callers}
