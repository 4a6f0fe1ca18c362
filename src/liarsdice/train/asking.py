"""Who is asked next at tables side by side: the seat on turn, and before its bid counts everyone who may call first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.scene import Flags
from liarsdice.solve import fields as f
from liarsdice.solve.batch import Batch
from liarsdice.solve.minds import Asked, Mind

Seats = NDArray[np.int32]
NOBODY = np.int32(-1)


class Asking:
    """Asks one seat of each match after the other, of those whose mind is `Asked`.

    A call of the seat on turn counts at once. Before a bid of it the others who may call out of turn are asked in the
    order of play, without being told of that bid; then the compiled minds have their say.
    """

    def __init__(self, batch: Batch, minds: tuple[Mind, ...]) -> None:
        numbers, seats = batch.rules.arrays.numbers, batch.rules.seats
        self._batch = batch
        self._minds = minds
        self._anyone = bool(numbers[f.ANYONE_CHALLENGES] or numbers[f.ANYONE_EXACT])
        self._is_asked = np.array([isinstance(minds[seat % len(minds)], Asked) for seat in range(seats)])
        self._listener = np.full(len(batch), NOBODY)
        self._meant = np.full(len(batch), f.SILENT, np.int32)

    @property
    def seats(self) -> Seats:
        """`[match]`: who is asked now; -1 after the end."""
        return np.where(self._listener >= 0, self._listener, self._batch.turn)

    @property
    def out_of_turn(self) -> Flags:
        """`[match]`: whether the seat that is asked is not on turn."""
        waits: Flags = self._listener >= 0
        return waits

    def advance(self) -> None:
        """Play on until somebody is asked in every match that goes on. Matches that begin anew are awaited here too."""
        batch = self._batch
        if not self._anyone:
            batch.advance(self._minds)
            return
        while True:
            seats, actions = batch.decided(self._minds)
            decided = (actions != f.SILENT) & ~self.out_of_turn
            if not decided.any():
                return
            bids = decided & (actions >= f.FIRST_BID)
            self._meant = np.where(bids, actions, self._meant)
            self._listener = np.where(bids, self._next(bids), self._listener)
            batch.step(np.where(decided & ~self.out_of_turn, actions, f.SILENT), seats)

    def answer(self, actions: Seats, which: Flags | None = None) -> None:
        """Take the answers of the seats that are asked, -1 for silence out of turn; without `which` of every match.

        Raises `IllegalActionError` as `Batch.step` does.
        """
        batch = self._batch
        told = np.ones(len(batch), np.bool_) if which is None else which
        if not self._anyone:
            batch.advance(self._minds, np.where(told, actions, f.SILENT))
            return
        seats, turn, late = self.seats, batch.turn, told & self.out_of_turn
        self._meant = np.where(told & ~late, actions, self._meant)
        calls = late & (actions != f.SILENT)
        self._listener = np.where(told, self._next(told & ~calls & (self._meant >= f.FIRST_BID)), self._listener)
        done = told & ~calls & ~self.out_of_turn & (turn >= 0)
        asked = done & self._is_asked[turn]
        first, moves = batch.decided(self._minds, np.where(asked, self._meant, f.SILENT))
        seats = np.where(asked, first, np.where(done, turn, seats))
        batch.step(np.where(asked, moves, np.where(done, self._meant, np.where(calls, actions, f.SILENT))), seats)
        self.advance()

    def _next(self, which: Flags) -> Seats:
        """Who is asked after the seat that is asked now, before the one on turn moves: -1 where nobody is left."""
        batch, count = self._batch, self._batch.rules.seats
        turn, seat, left = batch.turn, self.seats, which.copy()
        found = np.full(len(batch), NOBODY)
        for _ in range(count - 1):
            seat = (seat + batch.now(f.STEP)) % count
            left &= (seat != turn) & (found < 0)
            legal = batch.legal(np.where(left & self._is_asked[seat], seat, NOBODY))
            found = np.where(legal[:, f.CHALLENGE] | legal[:, f.EXACT], seat, found)
        return found
