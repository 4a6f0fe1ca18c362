"""Selects the seat that acts next in each of many matches: the seat on turn, or one that may call out of turn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from liarsdice.sim import array_schema as schema
from liarsdice.sim.policies import ExternalPolicy, Policy
from liarsdice.sim.vector_env import VectorEnv

NO_SEAT = np.int32(-1)


class AgentSelector:
    """Selects one external seat of each match at a time; seats with another policy act on their own.

    A call by the seat on turn counts at once. Before a bid of the seat on turn counts, each other seat that may call
    out of turn decides, in the order of play and without knowing that bid. `advance` must be called once before the
    first step, and `forget` for matches that are reset before their end. The random actions of a `UniformPolicy` depend
    on how often external seats are selected.
    """

    def __init__(self, env: VectorEnv, policies: tuple[Policy, ...]) -> None:
        params, seats = env.rules.arrays.params, env.rules.seat_count
        self._env = env
        self._policies = policies
        self._others_may_call = bool(params[schema.ANYONE_MAY_CHALLENGE] or params[schema.ANYONE_MAY_CALL_EXACT])
        self._is_external = np.array(
            [isinstance(policies[seat % len(policies)], ExternalPolicy) for seat in range(seats)]
        )
        self._callers = np.full(len(env), NO_SEAT)
        self._pending_seats = np.full(len(env), NO_SEAT)
        self._pending_actions = np.full(len(env), schema.NO_ACTION, np.int32)

    @property
    def seats(self) -> schema.Int32Array:
        """The seat that acts next, int32 [match]; -1 after the end of a match."""
        return np.where(self._callers >= 0, self._callers, self._env.turn)

    @property
    def out_of_turn(self) -> NDArray[np.bool_]:
        """Whether the selected seat is not on turn, bool [match]."""
        is_caller: NDArray[np.bool_] = self._callers >= 0
        return is_caller

    def advance(self) -> None:
        """Play every match on until an external seat is selected, or to its end; also matches that have been reset."""
        env = self._env
        if not self._others_may_call:
            env.advance(self._policies)
            return
        while True:
            seats, actions = env.choose_actions(self._policies)
            decided = (actions != schema.NO_ACTION) & ~self.out_of_turn
            if not decided.any():
                return
            self._set_pending(decided, seats, actions)
            self._apply_pending(decided & ~self.out_of_turn)

    def forget(self, matches: NDArray[np.bool_]) -> None:
        """Drop the actions that wait for decisions out of turn in some matches, bool [match], which have been reset."""
        self._callers = np.where(matches, NO_SEAT, self._callers)

    def step(self, actions: schema.Int32Array, matches: NDArray[np.bool_] | None = None) -> None:
        """Apply the actions of the selected seats, and play on until the next ones are selected.

        `actions`: action ids, int32 [match]; -1 stands for silence out of turn. `matches`: where they count, bool
        [match] (default: everywhere). Raises `IllegalActionError`, and changes nothing, if an action is not legal.
        """
        env = self._env
        acts = np.ones(len(env), np.bool_) if matches is None else matches
        if not self._others_may_call:
            env.advance(self._policies, np.where(acts, actions, schema.NO_ACTION))
            return
        self._check_legal(acts, actions)
        acts_out_of_turn, is_silent = acts & self.out_of_turn, actions == schema.NO_ACTION
        next_callers = self._next_callers(acts_out_of_turn & is_silent, self.seats)
        calls = acts_out_of_turn & ~is_silent
        self._pending_seats, self._pending_actions = (
            np.where(calls, self.seats, self._pending_seats),
            np.where(calls, actions, self._pending_actions),
        )
        self._callers = np.where(acts_out_of_turn, next_callers, self._callers)
        acts_on_turn = acts & ~acts_out_of_turn & (env.turn >= 0)
        actions_on_turn = np.where(acts_on_turn, actions, schema.NO_ACTION)
        self._set_pending(acts_on_turn, *env.choose_actions(self._policies, actions_on_turn))
        self._apply_pending((acts_out_of_turn | acts_on_turn) & ~self.out_of_turn)
        self.advance()

    def _set_pending(self, matches: NDArray[np.bool_], seats: schema.Int32Array, actions: schema.Int32Array) -> None:
        """Store actions that wait for the decisions of seats that may call before them."""
        turn = self._env.turn
        self._pending_seats, self._pending_actions = (
            np.where(matches, seats, self._pending_seats),
            np.where(matches, actions, self._pending_actions),
        )
        must_wait = matches & ((actions >= schema.FIRST_BID) | (seats != turn))
        self._callers = np.where(matches, self._next_callers(must_wait, turn), self._callers)

    def _apply_pending(self, matches: NDArray[np.bool_]) -> None:
        self._env.step(np.where(matches, self._pending_actions, schema.NO_ACTION), self._pending_seats)

    def _check_legal(self, acts: NDArray[np.bool_], actions: schema.Int32Array) -> None:
        """Raise `IllegalActionError` if an action is not legal."""
        legal = self._env.action_mask(self.seats)
        in_range = np.clip(actions, 0, legal.shape[1] - 1)
        has_action = acts & (actions != schema.NO_ACTION)
        illegal = has_action & ((in_range != actions) | ~legal[np.arange(len(legal)), in_range])
        if illegal.any():
            self._env.step(np.where(illegal, actions, schema.NO_ACTION), self.seats)

    def _next_callers(self, matches: NDArray[np.bool_], after: schema.Int32Array) -> schema.Int32Array:
        """Return the next seat after `after` that may call before the pending action, int32 [match]; -1 for none."""
        env, count = self._env, self._env.rules.seat_count
        seat, searching = after, matches.copy()
        callers = np.full(len(env), NO_SEAT)
        for _ in range(count - 1):
            seat = (seat + env.match_field(schema.STEP)) % count
            searching &= (seat != self._pending_seats) & (callers < 0)
            legal = env.action_mask(np.where(searching & self._is_external[seat], seat, NO_SEAT))
            callers = np.where(legal[:, schema.CHALLENGE] | legal[:, schema.EXACT], seat, callers)
        return callers
