"""A vectorised environment: many matches side by side, advanced one step at a time or by policies.

`AgentSelector` selects the seat of each match that acts next: the one on turn, or one that may call out of turn.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liarsdice.core.errors import IllegalActionError, MalformedError, counted, described
from liarsdice.runtime.public_api import checked
from liarsdice.sim import array_schema as schema
from liarsdice.sim.array_schema import Int32Array
from liarsdice.sim.compile import CompiledRules
from liarsdice.sim.kernels.batch import advance_matches, fill_action_mask, reset_matches, seed_matches
from liarsdice.sim.policies import ExternalPolicy, Policy, UniformPolicy, make_policy_arrays

SEED_LIMIT = 2**63
ENDLESS = 2**31 - 1
"""More rounds than any match has."""


def int32_array(values: ArrayLike, name: str) -> Int32Array:
    """Return whole numbers as int32, the same array if it is one. Raises `MalformedError` for other values.

    >>> int32_array([1, 2], "actions").dtype
    dtype('int32')
    """
    try:
        given = np.asarray(values)
    except ValueError as error:
        raise MalformedError(f"{name} are whole numbers, not {described(values)}") from error
    numbers = np.ascontiguousarray(given, np.int32) if given.dtype.kind in "iu" or not given.size else None
    if numbers is None or (given.dtype != np.int32 and (numbers != given).any()):
        raise MalformedError(f"{name} are whole numbers of 32 bits, not {described(values)}")
    return numbers


def new_batch_state(rules: CompiledRules, count: int) -> schema.BatchState:
    """Zeroed arrays for `count` matches."""
    seats, faces = rules.seat_count, rules.ruleset.dice.faces
    return schema.BatchState(
        matches=np.zeros((count, schema.MATCH_FIELDS), np.int32),
        seats=np.zeros((count, seats, schema.SEAT_FIELDS), np.int32),
        hands=np.zeros((count, seats, faces), np.int32),
        bid_ranges=np.zeros((count, 2, len(rules.arrays.faces)), np.int32),
        bid_history=np.zeros((count, rules.max_round_bids, 2), np.int32),
        rng=np.zeros(count, np.uint64),
    )


def _spread(values: ArrayLike, name: str, shape: tuple[int, ...]) -> Int32Array:
    """Return whole numbers as an array of a shape. Raises `MalformedError` for other values or shapes."""
    numbers = int32_array(values, name)
    try:
        return np.ascontiguousarray(np.broadcast_to(numbers, shape))
    except ValueError as error:
        raise MalformedError(f"{name} have the shape {shape}, not {numbers.shape}") from error


class VectorEnv:
    """Many matches under the same rules. Its arrays are int32 views of the current state and must not be written to.

    Match `i` uses the random numbers of match `first + i` of the seed, whatever the other matches do. The kernels
    release the interpreter lock, so that two threads can advance two environments in parallel. `state` holds all
    arrays; the properties are views of them.

    >>> from liarsdice.core.rules.presets import preset
    >>> from liarsdice.sim.compile import compile_rules
    >>> env = VectorEnv(compile_rules(preset("perudo").ruleset, 3), 1000, seed=7)
    >>> while not env.over.all():
    ...     mask = env.action_mask()
    ...     env.step(np.where(env.over, -1, mask.argmax(axis=1)))  # the first legal action
    >>> int(env.won.sum())
    1000
    """

    @checked
    def __init__(
        self,
        rules: CompiledRules,
        count: int,
        *,
        seed: int = 0,
        first: int = 0,
        starters: ArrayLike = -1,
        special: int = -1,
        deals: bool = True,
    ) -> None:
        if count < 0 or not 0 <= seed < SEED_LIMIT or first < 0:
            raise MalformedError(f"count, seed (below 2^63) and first are at least 0, not {count}, {seed}, {first}")
        self.rules = rules
        self.state = new_batch_state(rules, count)
        self._policy_arrays: dict[tuple[Policy, ...], schema.PolicyArrays] = {}
        seed_matches(self.state, seed, first)
        self.reset(np.ones(count, np.bool_), starters=starters, special=special, deals=deals)

    def __len__(self) -> int:
        return len(self.state.matches)

    @checked
    def reset(
        self,
        selected: NDArray[np.bool_] | None = None,
        *,
        starters: ArrayLike = -1,
        dice: ArrayLike | None = None,
        special: int = -1,
        deals: bool = True,
    ) -> NDArray[np.bool_]:
        """Reset the selected matches (default: all finished ones) and return the mask of those reset.

        `selected`, and the result: bool [match]. `starters`: who opens, int [match], -1 for a random seat. `dice`: int
        [match, seat], the dice at the start, at most those of the compiled rules, 0 for a seat that does not play.
        `special`: whose special round the first round is, -1 for none. With `deals` the first round is dealt at once.
        Raises `MalformedError` for dice or starters that no match can begin with.
        """
        count, seats = len(self), self.rules.seat_count
        mask = self.over if selected is None else np.ascontiguousarray(selected, np.bool_)
        if mask.shape != (count,):
            raise MalformedError(f"`selected` says True or False for each of {count} matches, not {mask.shape}")
        starter = _spread(starters, "starters", (count,))
        held = _spread(self.rules.dice if dice is None else dice, "dice", (count, seats))
        if (held > self.rules.dice).any() or (held < 0).any() or ((held > 0).sum(axis=1) < 2).any():
            raise MalformedError(f"each match begins with at most {self.rules.dice} dice, at least two seats with some")
        is_seat = (starter >= -1) & (starter < seats)
        if not is_seat.all() or (held[np.arange(count), starter] == 0)[starter >= 0].any():
            raise MalformedError("who opens a match is a seat with dice, or -1 for one by chance")
        reset_matches(self.rules.arrays, self.state, mask, starter, held, special)
        if deals:
            self.deal()
        return mask

    @checked
    def deal(self, hands: Sequence[Sequence[Sequence[int]]] | None = None) -> None:
        """Begin the next round of every match that awaits a deal, with random dice or with `hands`.

        `hands`: by match and seat the faces from 1; matches that await no deal are skipped. Raises `MalformedError` for
        hands of the wrong size or with faces that the dice do not have.
        """
        if hands is None:
            self._advance((False, False, False, True, ENDLESS))
            return
        waiting = np.flatnonzero(self.match_field(schema.PHASE) == schema.DEAL)
        counts = np.zeros_like(self.state.hands)
        for match in waiting.tolist():
            for seat, hand in enumerate(hands[match]):
                held = int(self.dice[match, seat])
                if len(hand) != held or not all(1 <= face <= counts.shape[2] for face in hand):
                    raise MalformedError(
                        f"seat {seat} of match {match} rolls {counted(held, 'die', 'dice')}, not {hand!r}"
                    )
                np.add.at(counts[match, seat], np.array(hand, np.int64) - 1, 1)
        self.state.hands[waiting] = counts[waiting]
        self._advance((False, False, False, False, ENDLESS))

    def action_mask(self, seats: ArrayLike | None = None) -> NDArray[np.bool_]:
        """The legal actions of one seat of each match (default: the seat on turn), bool [match, action id].

        All False for a seat of -1, while a deal is awaited, and after the end.
        """
        mask = np.empty((len(self), self.rules.action_count), np.bool_)
        fill_action_mask(self.rules.arrays, self.state, self._seats(seats), mask)
        return mask

    def step(self, actions: ArrayLike, seats: ArrayLike | None = None, *, deals: bool = True) -> None:
        """Apply one action in each match: of the seat on turn, or of `seats`, who may call out of turn.

        `actions`: int [match], ids as in `CompiledRules.action_id`, -1 for none. With `deals` the next round is dealt
        as soon as one ends. Raises `IllegalActionError` and changes no match if any action is illegal.
        """
        ids = int32_array(actions, "actions")
        self._advance((False, True, False, True, ENDLESS if deals else 0), ids, seats)

    def choose_actions(
        self, policies: tuple[Policy, ...] = (UniformPolicy(),), actions: ArrayLike | None = None
    ) -> tuple[Int32Array, Int32Array]:
        """The next seat to act and its action by the policies, twice int32 [match]; no action is applied.

        Both are -1 if nobody is to act. A seat with an `ExternalPolicy` takes its action from `actions`, -1 for none. A
        call out of turn comes before a bid of the seat on turn. Uses up random numbers of the matches.
        """
        return self._advance((True, False, False, False, 0), actions, policies=policies)

    def advance(
        self,
        policies: tuple[Policy, ...] = (UniformPolicy(),),
        actions: ArrayLike | None = None,
        *,
        last_round: int = ENDLESS,
    ) -> None:
        """Play every match on by the policies until an external seat is on turn, `last_round` is settled, or its end.

        `policies`: by seat, repeated in their order. `actions`: int [match], what the seat on turn does first if its
        policy is an `ExternalPolicy`, else -1. Raises `IllegalActionError` as `step` does.
        """
        self._advance((True, True, True, True, last_round), actions, policies=policies)

    def _advance(
        self,
        mode: tuple[bool, bool, bool, bool, int],
        actions: ArrayLike | None = None,
        seats: ArrayLike | None = None,
        *,
        policies: tuple[Policy, ...] = (UniformPolicy(),),
    ) -> tuple[Int32Array, Int32Array]:
        """Call the kernel `advance_matches`; returns seats and actions, int32 [match]."""
        given = np.full(len(self), schema.NO_ACTION, np.int32) if actions is None else actions
        action = int32_array(given, "actions").copy()
        if action.shape != (len(self),):
            raise MalformedError(
                f"one action for each of {counted(len(self), 'match', 'matches')}, not an array of {action.shape}"
            )
        if type(policies) is not tuple:
            raise MalformedError(f"policies are a tuple, not {described(policies)}")
        if policies not in self._policy_arrays:
            self._policy_arrays[policies] = make_policy_arrays(self.rules, policies)
        seat = self._seats(seats).copy()
        match = advance_matches(self.rules.arrays, self.state, self._policy_arrays[policies], seat, action, mode)
        if match >= 0:
            action_id = int(action[match])
            exists = 0 <= action_id < self.rules.action_count
            name = repr(self.rules.action_from_id(action_id)) if exists else "no action"
            raise IllegalActionError(
                f"in match {match} seat {seat[match]} may not do {action_id} ({name}); see `action_mask`"
            )
        return seat, action

    def _seats(self, seats: ArrayLike | None) -> Int32Array:
        if seats is None:
            return self.turn
        return _spread(seats, "seats", (len(self),))

    @property
    def over(self) -> NDArray[np.bool_]:
        """Whether each match has ended, bool [match]."""
        over: NDArray[np.bool_] = self.match_field(schema.PHASE) == schema.OVER
        return over

    @property
    def turn(self) -> Int32Array:
        """The seat on turn, int32 [match]; -1 while a deal is awaited and after the end."""
        return np.where(self.match_field(schema.PHASE) == schema.BIDDING, self.match_field(schema.TURN), np.int32(-1))

    @property
    def dice(self) -> Int32Array:
        """The dice that each seat holds, int32 [match, seat]."""
        return self.seat_field(schema.DICE)

    @property
    def hands(self) -> Int32Array:
        """How many dice show each face, int32 [match, seat, face - 1]. Secret from the other seats."""
        return self.state.hands

    @property
    def bid_ranges(self) -> Int32Array:
        """The lowest and the highest quantity that the seat on turn may bid, int32 [match, 0 or 1, place].

        Places are in the order of `CompiledRules.bids`. If bids may not be repeated, `action_mask` excludes those made.
        """
        return self.state.bid_ranges

    @property
    def bid_history(self) -> Int32Array:
        """Seat and bid id of the round's bids, int32 [match, bid, 0 or 1]; only the first `BID_COUNT` are valid."""
        return self.state.bid_history

    @property
    def won(self) -> NDArray[np.bool_]:
        """Who has won, bool [match, seat]; several seats may share a win."""
        won: NDArray[np.bool_] = self.seat_field(schema.WON) == 1
        return won

    def match_field(self, field: int) -> Int32Array:
        """One field of every match, int32 [match], such as `array_schema.STANDING_BID`."""
        return self.state.matches[:, field]

    def seat_field(self, field: int) -> Int32Array:
        """One field of every seat, int32 [match, seat], such as `array_schema.LATEST_BID`."""
        return self.state.seats[:, :, field]


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
