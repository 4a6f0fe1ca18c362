"""Who is asked next at tables side by side: the seat on turn, and before its bid counts everyone who may call first."""

from __future__ import annotations

import numpy as np

from liarsdice.bots.neural.observation import BoolArray
from liarsdice.sim import array_schema as schema
from liarsdice.sim.policies import ExternalPolicy, Policy
from liarsdice.sim.vector_env import VectorEnv

NO_SEAT = np.int32(-1)


class AgentSelector:
    """Asks one seat of each match after the other, of those with an `ExternalPolicy`.

    A call of the seat on turn counts at once. Before a bid of it the others who may call out of turn have their say in
    the order of play, without knowing that bid. What a `UniformPolicy` draws depends on how often others are
    asked.
    """

    def __init__(self, batch: VectorEnv, policies: tuple[Policy, ...]) -> None:
        numbers, seats = batch.rules.arrays.params, batch.rules.seat_count
        self._batch = batch
        self._policies = policies
        self._others_may_call = bool(numbers[schema.ANYONE_MAY_CHALLENGE] or numbers[schema.ANYONE_MAY_CALL_EXACT])
        self._has_external_policy = np.array(
            [isinstance(policies[seat % len(policies)], ExternalPolicy) for seat in range(seats)]
        )
        self._callers = np.full(len(batch), NO_SEAT)
        self._pending_seats = np.full(len(batch), NO_SEAT)
        self._pending_actions = np.full(len(batch), schema.NO_ACTION, np.int32)

    @property
    def seats(self) -> schema.Int32Array:
        """`[match]`: who is asked now; -1 after the end."""
        return np.where(self._callers >= 0, self._callers, self._batch.turn)

    @property
    def out_of_turn(self) -> BoolArray:
        """`[match]`: whether the seat that is asked is not on turn."""
        waits: BoolArray = self._callers >= 0
        return waits

    def advance(self) -> None:
        """Play on until somebody is asked in every match that goes on. Matches that begin anew are awaited here too."""
        batch = self._batch
        if not self._others_may_call:
            batch.advance(self._policies)
            return
        while True:
            movers, moves = batch.choose_actions(self._policies)
            decided = (moves != schema.NO_ACTION) & ~self.out_of_turn
            if not decided.any():
                return
            self._hold(decided, movers, moves)
            self._apply_pending(decided & ~self.out_of_turn)

    def answer(self, actions: schema.Int32Array, which: BoolArray | None = None) -> None:
        """Take the answers of the seats that are asked, -1 for silence out of turn; without `which` of every match.

        Raises `IllegalActionError` and does nothing where any of them is not legal.
        """
        batch = self._batch
        answered = np.ones(len(batch), np.bool_) if which is None else which
        if not self._others_may_call:
            batch.advance(self._policies, np.where(answered, actions, schema.NO_ACTION))
            return
        self._check_legal(answered, actions)
        late, silent = answered & self.out_of_turn, actions == schema.NO_ACTION
        listener = self._next(late & silent, self.seats)
        calls = late & ~silent
        self._pending_seats, self._pending_actions = (
            np.where(calls, self.seats, self._pending_seats),
            np.where(calls, actions, self._pending_actions),
        )
        self._callers = np.where(late, listener, self._callers)
        on_turn = answered & ~late & (batch.turn >= 0)
        self._hold(on_turn, *batch.choose_actions(self._policies, np.where(on_turn, actions, schema.NO_ACTION)))
        self._apply_pending((late | on_turn) & ~self.out_of_turn)
        self.advance()

    def _hold(self, which: BoolArray, movers: schema.Int32Array, moves: schema.Int32Array) -> None:
        """Let moves wait for those who may call before them."""
        turn = self._batch.turn
        self._pending_seats, self._pending_actions = (
            np.where(which, movers, self._pending_seats),
            np.where(which, moves, self._pending_actions),
        )
        waits = which & ((moves >= schema.FIRST_BID) | (movers != turn))
        self._callers = np.where(which, self._next(waits, turn), self._callers)

    def _apply_pending(self, which: BoolArray) -> None:
        self._batch.step(np.where(which, self._pending_actions, schema.NO_ACTION), self._pending_seats)

    def _check_legal(self, answered: BoolArray, actions: schema.Int32Array) -> None:
        """Raise `IllegalActionError` where an answer is not legal."""
        legal = self._batch.action_mask(self.seats)
        known = np.clip(actions, 0, legal.shape[1] - 1)
        answers = answered & (actions != schema.NO_ACTION)
        wrong = answers & ((known != actions) | ~legal[np.arange(len(legal)), known])
        if wrong.any():
            self._batch.step(np.where(wrong, actions, schema.NO_ACTION), self.seats)

    def _next(self, which: BoolArray, after: schema.Int32Array) -> schema.Int32Array:
        """Who is asked after a seat, before the mover moves: -1 where nobody is left."""
        batch, count = self._batch, self._batch.rules.seat_count
        seat, left = after, which.copy()
        found = np.full(len(batch), NO_SEAT)
        for _ in range(count - 1):
            seat = (seat + batch.match_field(schema.STEP)) % count
            left &= (seat != self._pending_seats) & (found < 0)
            legal = batch.action_mask(np.where(left & self._has_external_policy[seat], seat, NO_SEAT))
            found = np.where(legal[:, schema.CHALLENGE] | legal[:, schema.EXACT], seat, found)
        return found
