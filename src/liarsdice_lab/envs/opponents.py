"""Environments in which bots of the house play the seats that the caller does not."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liarsdice.bots.external.user_bots import load_bot
from liarsdice.bots.protocol import Bot
from liarsdice.bots.simple.simple_bots import Random, Threshold
from liarsdice.core.engine.view import view
from liarsdice.core.errors import MalformedError
from liarsdice.sim import array_schema as schema
from liarsdice.sim.policies import ThresholdPolicy, UniformPolicy, make_policy_arrays
from liarsdice.sim.vector_env import int32_array
from liarsdice_lab.envs.in_place import Buffers, InPlaceEnv, require_seed
from liarsdice_lab.envs.kernels import choose_actions
from liarsdice_lab.envs.layout import Game
from liarsdice_lab.envs.match_tree import state_of_match

SELF = "self"
"""In place of a bot's name: the caller acts for the seat."""


def make_env(
    game: Game,
    count: int,
    *,
    seed: int = 0,
    reward: str = "match",
    opponents: str | Sequence[str] = SELF,
    learner: int = 0,
    buffers: Buffers | None = None,
) -> InPlaceEnv:
    """Return an environment in which the caller acts for all seats, or bots for all but the seat `learner`.

    `opponents`: `"self"`, the name of a bot, or several of them, of which each seat of each new match draws one. Raises
    `MalformedError` for a seat that does not exist or no opponents, and as `load_bot` for an unknown name.

    >>> from liarsdice_lab.envs.layout import make_game
    >>> env = make_env(make_game("perudo", seats=3), 64, seed=1, opponents=("threshold:0.3", "inference"))
    >>> env.seats.any()  # it is always the turn of seat 0
    np.False_
    """
    names = (opponents,) if isinstance(opponents, str) else tuple(opponents)
    if names == (SELF,):
        return InPlaceEnv(game, count, seed=seed, reward=reward, buffers=buffers)
    return OpponentEnv(game, count, names, learner=learner, seed=seed, reward=reward, buffers=buffers)


class OpponentEnv(InPlaceEnv):
    """Many matches in which bots act for some seats; matches that have ended begin again at once.

    A match that ends before the learner has made a decision is not shown: another one begins in its place.
    """

    def __init__(
        self,
        game: Game,
        count: int,
        names: tuple[str, ...],
        *,
        learner: int = 0,
        seed: int = 0,
        reward: str = "match",
        buffers: Buffers | None = None,
    ) -> None:
        if not names or not 0 <= learner < game.rules.seat_count:
            raise MalformedError(f"wanted opponents and a learner's seat, not {names} and {learner}")
        if count < 0:
            raise MalformedError(f"a number of matches is at least 0, not {count}")
        self._names, self._learner = names, learner
        self._policy_arrays: dict[ThresholdPolicy | UniformPolicy, schema.PolicyArrays] = {}
        self._players = np.full((count, game.rules.seat_count), -1)
        super().__init__(game, count, seed=seed, reward=reward, buffers=buffers, resets=False)

    def reset(self, seed: int | None = None) -> None:
        """Begin all matches again and play on until the learner acts. Raises as `InPlaceEnv.reset` and `load_bot`."""
        require_seed(seed)
        if seed is not None:
            self._rng = np.random.default_rng(seed)
            self._bots = [None if name == SELF else load_bot(name, f"{seed} {name}") for name in self._names]
        super().reset(seed)
        self._draw_players(np.ones(len(self), np.bool_))
        self._play_on()
        self.buffers.terminals.fill(0)
        self.buffers.rewards.fill(0)
        self.observe()

    def step(self, actions: ArrayLike) -> None:
        """Apply the actions of the learner, let the bots play until it acts again, and write all buffers.

        Raises `IllegalActionError`, and changes no match, if an action is not legal, and `MalformedError` as `act`.
        """
        ids = int32_array(actions, "actions")
        self.require_actions(ids)
        rewards, terminals = self.buffers.rewards, self.buffers.terminals
        rewards.fill(0)
        terminals.fill(0)
        self.act(ids)
        self._let_bots_act()
        step_rewards, step_terminals = rewards.copy(), terminals.copy()
        self._play_on()
        rewards[:], terminals[:] = step_rewards, step_terminals
        self.observe()

    def bot_actions(self, name: str, seed: int = 0) -> schema.Int32Array:
        """Return what another bot would do in place of the learner, int32 [match]. Raises as `load_bot`."""
        actions = np.full(len(self), schema.NO_ACTION, np.int32)
        self._choose(load_bot(name, seed), np.flatnonzero(self.seats >= 0), actions)
        return actions

    def _play_on(self) -> None:
        """Let the bots act until the learner acts in every match, and begin matches again that have ended."""
        self._let_bots_act()
        while (over := self.seats < 0).any():
            self.begin(over)
            self._draw_players(over)
            self._let_bots_act()

    def _draw_players(self, matches: NDArray[np.bool_]) -> None:
        """Draw the bot of each seat of new matches: an index of the names, -1 for the learner."""
        drawn = self._rng.integers(len(self._names), size=self._players.shape)
        drawn[:, self._learner] = -1
        self._players[matches] = drawn[matches]

    def _let_bots_act(self) -> None:
        """Let the bots act until none of them is to act."""
        rows = np.arange(len(self))
        while True:
            players = np.where(self.seats < 0, -1, self._players[rows, self.seats])
            actions = np.full(len(self), schema.NO_ACTION, np.int32)
            for index, bot in enumerate(self._bots):
                matches = np.flatnonzero(players == index)
                if bot is not None and len(matches):
                    self._choose(bot, matches, actions)
            if (actions == schema.NO_ACTION).all():
                return
            self.act(actions)

    def _choose(self, bot: Bot, matches: NDArray[np.intp], actions: schema.Int32Array) -> None:
        """Write the actions of a bot in some matches; the bots that the simulator compiles decide in a kernel."""
        policy: ThresholdPolicy | UniformPolicy | None = None
        if isinstance(bot, Random):
            policy = UniformPolicy()
        elif isinstance(bot, Threshold):
            policy = ThresholdPolicy(bot.t, bot.credit)
        if policy is not None:
            if policy not in self._policy_arrays:
                self._policy_arrays[policy] = make_policy_arrays(self.game.rules, (policy,))
            arrays, policies = self.game.rules.arrays, self._policy_arrays[policy]
            choose_actions(arrays, self.matches.state, policies, self._selection, matches, actions)
            return
        for match in matches.tolist():
            state = state_of_match(self.matches, match)
            actions[match] = self.game.action_id(bot.act(view(state, int(self.seats[match]))))
