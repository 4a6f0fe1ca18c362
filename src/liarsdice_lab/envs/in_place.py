"""Many matches side by side, whose observations, masks, rewards and ends are written into arrays of the caller."""

from operator import index
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liarsdice.core.errors import IllegalActionError, MalformedError, counted, described
from liarsdice.runtime.public_api import checked
from liarsdice.sim import array_schema as schema
from liarsdice.sim.kernels.batch import fill_action_mask
from liarsdice.sim.vector_env import SEED_LIMIT, VectorEnv, int32_array
from liarsdice_lab.envs.kernels import Selection, step_matches, write_observations
from liarsdice_lab.envs.layout import Game

REWARDS = ("match", "round", "dice", "placing")
"""Kinds of rewards, each summing to 0 over the seats.

`match`: at the end, the winners share +1 and the others share -1. `round`: at each call, +1 and -1 for the winner and
the loser of the call. `dice`: at each call, the dice won minus the mean of the others. `placing`: at the end, from +1
for the first place to -1 for the last, equal for equal places.
"""


class Buffers(NamedTuple):
    """The arrays that an environment writes; they may be parts of larger ones, as long as they are contiguous.

    `observations`: int16 [match, row size]. `masks`: bool [match, action id]. `rewards`: float32 [match, seat], of the
    latest step. `terminals`: bool [match], whether a match ended in the latest step.
    """

    observations: NDArray[np.int16]
    masks: NDArray[np.bool_]
    rewards: NDArray[np.float32]
    terminals: NDArray[np.bool_]


def action_number(game: Game, action: object) -> int:
    """Return an action id of one match. Raises `MalformedError` unless it is a whole number that is an id."""
    try:
        number = -1 if isinstance(action, bool) else index(action)  # type: ignore[arg-type] # it raises if it is none
    except TypeError:
        number = -1
    if not 0 <= number < game.action_count:
        raise MalformedError(
            f"an action is a whole number from 0 to {game.action_count - 1}, see the mask, not {described(action)}"
        )
    return number


def require_seed(seed: int | None) -> None:
    """Raise `MalformedError` for a seed that is out of range."""
    if seed is not None and not 0 <= seed < SEED_LIMIT:
        raise MalformedError(f"a seed is a whole number from 0 to 2^63 - 1, not {seed}")


def require_started(is_playing: bool) -> None:  # noqa: FBT001  what is required
    """Raise `MalformedError` unless a match is being played."""
    if not is_playing:
        raise MalformedError("no match is being played; call `reset` first, and again after the end of a match")


def make_buffers(game: Game, count: int) -> Buffers:
    """Return zeroed arrays for `count` matches. Raises `MalformedError` for a negative number."""
    if count < 0:
        raise MalformedError(f"a number of matches is at least 0, not {count}")
    return Buffers(
        np.zeros((count, game.row_size), np.int16),
        np.zeros((count, game.action_count), np.bool_),
        np.zeros((count, game.rules.seat_count), np.float32),
        np.zeros(count, np.bool_),
    )


class InPlaceEnv:
    """Many matches of one game in which the caller acts for every seat, one seat of each match at a time.

    `seats`, int32 [match], says who acts next (-1 after the end), `out_of_turn`, bool [match], whether it is only asked
    if it calls. Match `i` uses the random numbers of match `first + i` of the seed. With `resets`, a match that has
    ended begins again in the same step. Raises `MalformedError` for arrays of other shapes or types than the buffers
    of the game have.

    >>> from liarsdice_lab.envs.layout import make_game
    >>> env = InPlaceEnv(make_game("openspiel"), 1000, seed=7)
    >>> while not env.buffers.terminals[0]:
    ...     env.step(env.buffers.masks.argmax(axis=1))  # the first legal action
    >>> env.buffers.rewards[0].tolist()
    [-1.0, 1.0]
    """

    def __init__(
        self,
        game: Game,
        count: int,
        *,
        seed: int = 0,
        first: int = 0,
        reward: str = "match",
        buffers: Buffers | None = None,
        resets: bool = True,
    ) -> None:
        if reward not in REWARDS:
            raise MalformedError(f"rewards are one of {', '.join(REWARDS)}, not {reward!r:.80}")
        self.game = game
        self._bids = np.array([(bid.quantity, bid.face) for bid in game.rules.bids], np.int16)
        self._first = first
        self._options = REWARDS.index(reward), resets
        self.use_buffers(make_buffers(game, count) if buffers is None else buffers)
        self._selection = Selection(*(np.full(count, -1, np.int32) for _ in Selection._fields))
        self.reset(seed)

    def __len__(self) -> int:
        return len(self._selection.seats)

    @property
    def seats(self) -> schema.Int32Array:
        """The seat that acts next, int32 [match]; -1 after the end."""
        return self._selection.seats

    @property
    def out_of_turn(self) -> NDArray[np.bool_]:
        """Whether the seat that acts next is asked out of turn, bool [match]."""
        is_caller: NDArray[np.bool_] = self._selection.callers >= 0
        return is_caller

    @checked
    def use_buffers(self, buffers: Buffers) -> None:
        """Write into other arrays from now on. Raises `MalformedError` if they do not fit the game."""
        count = len(buffers.terminals)
        for name, example in make_buffers(self.game, count)._asdict().items():
            wanted, given = np.asarray(example), getattr(buffers, name)
            if given.shape != wanted.shape or given.dtype != wanted.dtype or not given.flags.c_contiguous:
                raise MalformedError(
                    f"{name} is a contiguous array of {wanted.dtype} {wanted.shape}, not {given.dtype} {given.shape}"
                )
        self.buffers = buffers

    @checked
    def reset(self, seed: int | None = None) -> None:
        """Begin all matches again; without a seed they go on with their random numbers.

        Raises `MalformedError` for a seed out of range.
        """
        if seed is not None:
            require_seed(seed)
            self.matches = VectorEnv(self.game.rules, len(self), seed=seed, first=self._first)
            self._select(np.ones(len(self), np.bool_))
        else:
            self.begin(np.ones(len(self), np.bool_))
        self.buffers.rewards.fill(0)
        self.buffers.terminals.fill(0)
        self.observe()

    def begin(self, matches: NDArray[np.bool_]) -> None:
        """Begin some matches again, bool [match]; no buffer is written."""
        self.matches.reset(matches)
        self._select(matches)

    def _select(self, matches: NDArray[np.bool_]) -> None:
        """Select the seat on turn in some matches."""
        self._selection.seats[matches] = self.matches.turn[matches]
        self._selection.callers[matches] = -1

    def step(self, actions: ArrayLike) -> None:
        """Apply the action ids of the seats that act, int [match], -1 after the end, and write all buffers.

        Raises `IllegalActionError`, and changes no match, if an action is not legal, and `MalformedError` as `act`.
        """
        ids = int32_array(actions, "actions")
        self.require_actions(ids)
        self.buffers.rewards.fill(0)
        self.buffers.terminals.fill(0)
        self.act(ids)
        self.observe()

    def require_actions(self, ids: schema.Int32Array) -> None:
        """Raise `IllegalActionError` for -1 in a match that is not over, int32 [match]."""
        if ids.shape == self.seats.shape and (missing := (ids == schema.NO_ACTION) & (self.seats >= 0)).any():
            self._refuse(int(missing.argmax()), schema.NO_ACTION)

    def act(self, actions: ArrayLike) -> None:
        """Apply actions, -1 for none, but only add to the rewards and ends, and write no observation.

        Raises `IllegalActionError`, and changes no match, if an action is not legal, and `MalformedError` for a wrong
        number of actions.
        """
        buffers, ids = self.buffers, int32_array(actions, "actions")
        if ids.shape != (len(self),):
            raise MalformedError(
                f"one action for each of {counted(len(self), 'match', 'matches')}, not an array of {ids.shape}"
            )
        state, arrays = self.matches.state, self.game.rules.arrays
        match = step_matches(arrays, state, self._selection, ids, buffers.rewards, buffers.terminals, self._options)
        if match >= 0:
            self._refuse(match, int(ids[match]))

    def _refuse(self, match: int, action: int) -> NoReturn:
        exists = 0 <= action < self.game.action_count
        name = repr(self.game.action_from_id(action)) if exists else "no action"
        raise IllegalActionError(
            f"in match {match} seat {self.seats[match]} may not do {action} ({name}); see the masks"
        )

    def observe(self) -> None:
        """Write the masks and observations of the seats that act next."""
        self.write_masks()
        self.write_observations()

    def write_masks(self) -> None:
        """Write what the seats that act next may do into the masks."""
        fill_action_mask(self.game.rules.arrays, self.matches.state, self.seats, self.buffers.masks)

    def write_observations(self) -> None:
        """Write what the seats that act next know into the observations."""
        rows = self.buffers.observations
        write_observations(self.game.rules.arrays, self.matches.state, self._selection, self._bids, rows)
