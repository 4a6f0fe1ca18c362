"""Who is asked next at tables side by side: the seat on turn, and before its bid counts everyone who may call first."""

from __future__ import annotations

import numpy as np

from liarsdice.bots.neural.observation import Flags
from liarsdice.sim import array_schema as f
from liarsdice.sim.policies import Asked, Mind
from liarsdice.sim.vector_env import Batch

NOBODY = np.int32(-1)


class Asking:
    """Asks one seat of each match after the other, of those whose mind is `Asked`.

    A call of the seat on turn counts at once. Before a bid of it the others who may call out of turn have their say in
    the order of play, without being told of that bid. What `Uniform` minds draw depends on how often others are asked.
    """

    def __init__(self, batch: Batch, minds: tuple[Mind, ...]) -> None:
        numbers, seats = batch.rules.arrays.numbers, batch.rules.seats
        self._batch = batch
        self._minds = minds
        self._others_may_call = bool(numbers[f.ANYONE_CHALLENGES] or numbers[f.ANYONE_EXACT])
        self._is_asked = np.array([isinstance(minds[seat % len(minds)], Asked) for seat in range(seats)])
        self._listener = np.full(len(batch), NOBODY)
        self._mover = np.full(len(batch), NOBODY)
        self._meant = np.full(len(batch), f.SILENT, np.int32)

    @property
    def seats(self) -> f.Ints:
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
        if not self._others_may_call:
            batch.advance(self._minds)
            return
        while True:
            movers, moves = batch.decided(self._minds)
            decided = (moves != f.SILENT) & ~self.out_of_turn
            if not decided.any():
                return
            self._mean(decided, movers, moves)
            self._do(decided & ~self.out_of_turn)

    def answer(self, actions: f.Ints, which: Flags | None = None) -> None:
        """Take the answers of the seats that are asked, -1 for silence out of turn; without `which` of every match.

        Raises `IllegalActionError` and does nothing where any of them is not legal.
        """
        batch = self._batch
        told = np.ones(len(batch), np.bool_) if which is None else which
        if not self._others_may_call:
            batch.advance(self._minds, np.where(told, actions, f.SILENT))
            return
        self._need_legal(told, actions)
        late, silent = told & self.out_of_turn, actions == f.SILENT
        listener = self._next(late & silent, self.seats)
        calls = late & ~silent
        self._mover, self._meant = np.where(calls, self.seats, self._mover), np.where(calls, actions, self._meant)
        self._listener = np.where(late, listener, self._listener)
        on_turn = told & ~late & (batch.turn >= 0)
        self._mean(on_turn, *batch.decided(self._minds, np.where(on_turn, actions, f.SILENT)))
        self._do((late | on_turn) & ~self.out_of_turn)
        self.advance()

    def _mean(self, which: Flags, movers: f.Ints, moves: f.Ints) -> None:
        """Let moves wait for those who may call before them."""
        turn = self._batch.turn
        self._mover, self._meant = np.where(which, movers, self._mover), np.where(which, moves, self._meant)
        waits = which & ((moves >= f.FIRST_BID) | (movers != turn))
        self._listener = np.where(which, self._next(waits, turn), self._listener)

    def _do(self, which: Flags) -> None:
        self._batch.step(np.where(which, self._meant, f.SILENT), self._mover)

    def _need_legal(self, told: Flags, actions: f.Ints) -> None:
        """Raise `IllegalActionError` where an answer is not legal."""
        legal = self._batch.legal(self.seats)
        known = np.clip(actions, 0, legal.shape[1] - 1)
        answers = told & (actions != f.SILENT)
        wrong = answers & ((known != actions) | ~legal[np.arange(len(legal)), known])
        if wrong.any():
            self._batch.step(np.where(wrong, actions, f.SILENT), self.seats)

    def _next(self, which: Flags, after: f.Ints) -> f.Ints:
        """Who is asked after a seat, before the mover moves: -1 where nobody is left."""
        batch, count = self._batch, self._batch.rules.seats
        seat, left = after, which.copy()
        found = np.full(len(batch), NOBODY)
        for _ in range(count - 1):
            seat = (seat + batch.now(f.STEP)) % count
            left &= (seat != self._mover) & (found < 0)
            legal = batch.legal(np.where(left & self._is_asked[seat], seat, NOBODY))
            found = np.where(legal[:, f.CHALLENGE] | legal[:, f.EXACT], seat, found)
        return found
