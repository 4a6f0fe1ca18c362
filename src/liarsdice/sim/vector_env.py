"""A vectorised environment: many matches side by side, advanced one step at a time or by policies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liarsdice.core.errors import IllegalActionError, MalformedError, described
from liarsdice.runtime.public_api import checked
from liarsdice.sim import array_schema as schema
from liarsdice.sim.array_schema import Int32Array
from liarsdice.sim.compile import CompiledRules
from liarsdice.sim.kernels.batch import advance_matches, fill_action_mask, reset_matches, seed_matches
from liarsdice.sim.policies import Policy, UniformPolicy, make_policy_arrays

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
                    raise MalformedError(f"seat {seat} of match {match} rolls {held} dice, not {hand!r}")
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
            raise MalformedError(f"{len(self)} matches need as many actions, not an array of {action.shape}")
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
