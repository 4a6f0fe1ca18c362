"""Environments of Gymnasium: one learner against bots, and many matches whose arrays are written in place."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import Env, spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from liarsdice.core.engine.view import view
from liarsdice.core.errors import IllegalActionError, MalformedError, described
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.runtime.public_api import checked
from liarsdice_lab.envs.in_place import Buffers, InPlaceEnv, action_number, require_started
from liarsdice_lab.envs.layout import Game, make_game
from liarsdice_lab.envs.match_tree import information_state, state_of_match
from liarsdice_lab.envs.opponents import SELF, OpponentEnv, make_env


def observation_box(game: Game) -> spaces.Space[NDArray[np.int16]]:
    """Return the space of a game's observations, int16 [row size]."""
    high = np.zeros(game.row_size, np.int16)
    for field in game.fields:
        high[field.start : field.stop] = field.high
    return spaces.Box(np.zeros_like(high), high, dtype=np.int16)


Infos = dict[str, Any]
VectorStep = tuple[NDArray[np.int16], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], Infos]


class LiarsDiceVectorEnv(VectorEnv[NDArray[np.int16], NDArray[np.int64], NDArray[Any]]):
    """Many matches; `env` is the environment that writes its `buffers` in place.

    Infos hold the arrays `action_mask` (bool [match, action id]), `seats` (int32 [match], who acts next) and `rewards`
    (float32 [match, seat]). The reward of a step is the learner's, and without bots that of the seat that has acted. A
    match that has ended begins again in the same step; nothing is observed at its end.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012  the base class types it

    def __init__(self, env: InPlaceEnv, learner: int) -> None:
        self.env = env
        self._started = False
        self._learner = learner if isinstance(env, OpponentEnv) else None
        self.num_envs = count = len(env)
        self._no_truncations = np.zeros(count, np.bool_)
        self.single_observation_space, self.single_action_space = (
            observation_box(env.game),
            spaces.Discrete(env.game.action_count),
        )
        self.observation_space = batch_space(self.single_observation_space, count)
        self.action_space = batch_space(self.single_action_space, count)

    @checked
    def reset(
        self, *, seed: int | list[int | None] | None = None, options: Infos | None = None
    ) -> tuple[NDArray[np.int16], Infos]:
        """Begin all matches again; one seed stands for all of them. Raises `MalformedError` for a list of seeds.

        Returns observations, int16 [match, row size], and infos.
        """
        del options
        self._started = True
        if isinstance(seed, list):
            raise MalformedError("one seed is for all matches, and each has random numbers of its own")
        self.env.reset(seed)
        return self.env.buffers.observations, self._infos()

    def step(self, actions: ArrayLike) -> VectorStep:
        """Apply an action in each match, int [match]; returns arrays [match, ...] as Gymnasium has them, and infos.

        Raises `IllegalActionError`, and changes nothing, if an action is not legal, and `MalformedError` for what is no
        action, or before `reset`.
        """
        require_started(self._started)
        actors = self.env.seats.copy() if self._learner is None else self._learner
        self.env.step(actions)
        buffers = self.env.buffers
        rewards = buffers.rewards[np.arange(self.num_envs), actors]
        return buffers.observations, rewards, buffers.terminals, self._no_truncations, self._infos()

    def _infos(self) -> Infos:
        buffers = self.env.buffers
        return {"action_mask": buffers.masks, "seats": self.env.seats, "rewards": buffers.rewards}


class LiarsDiceEnv(Env[NDArray[np.int16], np.int64]):
    """One match after another, in which a learner plays against bots of the house.

    Infos hold `action_mask`, int8 [action id]. An illegal action loses the match: it ends with a reward of -1. `reset`
    begins each match.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012  the base class types it

    def __init__(
        self, game: Game, opponents: str | Sequence[str], seed: int, reward: str, render_mode: str | None = None
    ) -> None:
        if render_mode not in {None, "ansi"}:
            raise MalformedError(f"render_mode is None or 'ansi', not {described(render_mode)}")
        self._playing = False
        self.render_mode = render_mode
        self.env = make_env(game, 1, seed=seed, reward=reward, opponents=opponents)
        self.observation_space = observation_box(game)
        self.action_space = spaces.Discrete(game.action_count)

    @checked
    def reset(self, *, seed: int | None = None, options: Infos | None = None) -> tuple[NDArray[np.int16], Infos]:
        """Begin another match; without a seed it goes on with its random numbers.

        Returns the observation, int16 [row size], and infos.
        """
        self.env.reset(seed)
        super().reset(seed=seed, options=options)
        self._playing = True
        return self._observation(), self._info()

    def step(self, action: np.int64 | int) -> tuple[NDArray[np.int16], float, bool, bool, Infos]:
        """Apply an action of the learner, and let the bots act until it is asked again.

        Returns the observation, int16 [row size], the reward, whether the match has ended, False, and infos. Raises
        `MalformedError` for what is no action id, before `reset`, and after the end.
        """
        require_started(self._playing)
        number = action_number(self.env.game, action)
        try:
            self.env.step([number])
        except IllegalActionError:
            self._playing = False
            return self._observation(), -1.0, True, False, self._info()
        ended, reward = bool(self.env.buffers.terminals[0]), float(self.env.buffers.rewards[0, 0])
        self._playing = not ended
        return self._observation(), reward, ended, False, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions, bool [action id], as the maskable algorithms of `sb3-contrib` ask for them."""
        masks: NDArray[np.bool_] = self.env.buffers.masks[0].copy()
        return masks

    def render(self) -> str | None:
        """Return what the learner knows of the round, as text; None without the mode `ansi`, and between matches."""
        if self.render_mode is None or not self._playing:
            return None
        return information_state(view(state_of_match(self.env.matches, 0), 0))

    def _observation(self) -> NDArray[np.int16]:
        row: NDArray[np.int16] = self.env.buffers.observations[0].copy()
        return row

    def _info(self) -> Infos:
        return {"action_mask": self.env.buffers.masks[0].astype(np.int8)}


def gym_env(
    rules: str | Path | Ruleset = "perudo",
    seats: int = 2,
    seed: int = 0,
    opponents: str | Sequence[str] = "regular",
    reward: str = "match",
    render_mode: str | None = None,
) -> LiarsDiceEnv:
    """Return a `gymnasium.Env` of one learner against bots; `gymnasium.make("LiarsDice-v1")` takes the same arguments.

    `render_mode`: "ansi" for a text, None for nothing. Raises as `make_game` and `make_env`, and `MalformedError` for
    another mode.
    """
    return LiarsDiceEnv(make_game(rules, seats), opponents, seed, reward, render_mode)


def vector_env(
    rules: str | Path | Ruleset = "perudo",
    seats: int = 2,
    seed: int = 0,
    count: int = 1024,
    *,
    reward: str = "match",
    opponents: str | Sequence[str] = SELF,
    learner: int = 0,
    buffers: Buffers | None = None,
) -> LiarsDiceVectorEnv:
    """Return a `gymnasium.vector.VectorEnv` of many matches; arguments as for `make_env`. Raises as that."""
    env = make_env(
        make_game(rules, seats), count, seed=seed, reward=reward, opponents=opponents, learner=learner, buffers=buffers
    )
    return LiarsDiceVectorEnv(env, learner)


def vector_env_by_id(num_envs: int, **arguments: Any) -> LiarsDiceVectorEnv:  # noqa: ANN401  those of `vector_env`
    """Return what `gymnasium.make_vec` makes of "LiarsDice-v1"."""
    return vector_env(count=num_envs, **arguments)
