"""Delays the moves of programs at a table as those of bots, so that people can follow."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from liarsdice.core.actions import MOVES
from liarsdice.server.table.commands import Command
from liarsdice.server.table.deadlines import program_delay_ms
from liarsdice.server.table.table_state import TableState


class ProgramPace:
    """Knows since when one table waits for its next move, as far as this process has seen.

    `now_ms` returns milliseconds of any clock that never goes back.
    """

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._situation: tuple[int, int] | None = None
        self._since_ms = 0

    def follow(self, table: TableState | None) -> None:
        """Take note of a new state of the table, None if it is not known."""
        match = None if table is None else table.ongoing_match
        situation = None if match is None else (match.number, match.turn_id)
        if situation != self._situation:
            self._situation, self._since_ms = situation, self._now_ms()

    async def wait(self, table: TableState, token_hash: str, command: Command, turn_id: int, pace: float) -> None:
        """Wait until a program may make a move. Other players and commands, and stale moves, wait for nothing.

        `turn_id`: the step of the match that the move answers. `pace` multiplies the wait.
        """
        player = table.player_by_token(token_hash)
        if not isinstance(command, MOVES) or player is None or not player.program or table.match is None:
            return
        seat = table.seat_of(player.id)
        if seat is not None and turn_id == table.match.turn_id:
            due_ms = self._since_ms + program_delay_ms(table, seat) * pace
            await asyncio.sleep(max(0.0, due_ms - self._now_ms()) / 1000)
