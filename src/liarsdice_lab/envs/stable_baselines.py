"""Many matches against bots as a `VecEnv` of Stable-Baselines3, without a process or an object for each match."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice_lab.envs.gymnasium_envs import observation_box
from liarsdice_lab.envs.layout import make_game
from liarsdice_lab.envs.opponents import make_env

Indices = int | Iterable[int] | None


class LiarsDiceVecEnv(VecEnv):
    """Matches in which a learner plays against bots; those that have ended begin again in the same step.

    The `episode` of an ended match is in its info, as `Monitor` has it. `action_masks` are those that the maskable
    algorithms of `sb3-contrib` ask for.
    """

    def __init__(
        self,
        rules: str | Path | Ruleset,
        seats: int,
        seed: int,
        count: int,
        opponents: str | Sequence[str],
        reward: str,
    ) -> None:
        game = make_game(rules, seats)
        self.env = make_env(game, count, seed=seed, reward=reward, opponents=opponents)
        self._actions = np.zeros(count, np.int64)
        self._returns, self._lengths = np.zeros(count), np.zeros(count, np.int64)
        self.render_mode = None
        super().__init__(count, observation_box(game), spaces.Discrete(game.action_count))

    def reset(self) -> NDArray[np.int16]:
        """Begin all matches again, with the seed of `seed` if it was called; return int16 [match, row size]."""
        self.env.reset(self._seeds[0])
        self._reset_seeds()
        self._returns[:], self._lengths[:] = 0, 0
        return self.env.buffers.observations.copy()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Take the actions of the next `step_wait`, int [match]."""
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[np.int16], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Apply the actions; return observations, int16 [match, row size], rewards and ends [match], and infos.

        Raises `IllegalActionError`, and changes nothing, if an action is not in its mask.
        """
        self.env.step(self._actions)
        buffers = self.env.buffers
        rewards, ended = buffers.rewards[:, 0].copy(), buffers.terminals.copy()
        self._returns += rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for match in np.flatnonzero(ended).tolist():
            infos[match]["episode"] = {"r": float(self._returns[match]), "l": int(self._lengths[match])}
        self._returns[ended], self._lengths[ended] = 0, 0
        return buffers.observations.copy(), rewards, ended, infos

    def close(self) -> None:
        """Release nothing: matches hold no resources."""

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions, bool [match, action id]."""
        return self.env.buffers.masks.copy()

    def env_method(self, method_name: str, *method_args: Any, indices: Indices = None, **_: Any) -> list[Any]:  # noqa: ANN401  as the base class has it
        """Return the masks of matches; they have no other method. Raises `AttributeError` for another one."""
        if method_name != "action_masks" or method_args:
            raise AttributeError(f"matches have the method action_masks() alone, not {method_name}")
        masks = self.action_masks()
        return [masks[match] for match in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute of this environment once for each match. Raises `AttributeError` if it has none."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:  # noqa: ANN401, ARG002  as the base class has it
        """Raise `AttributeError`: all matches share what there is to set."""
        raise AttributeError(f"{attr_name} cannot be set for single matches; make another environment")

    def env_is_wrapped(self, wrapper_class: type, indices: Indices = None) -> list[bool]:  # noqa: ARG002  as the base class has it
        """Return False for each match: they have no wrappers."""
        return [False for _ in self._get_indices(indices)]


def sb3_env(
    rules: str | Path | Ruleset = "perudo",
    seats: int = 2,
    seed: int = 0,
    count: int = 64,
    *,
    opponents: str | Sequence[str] = "regular",
    reward: str = "match",
) -> LiarsDiceVecEnv:
    """Return `count` matches as a `VecEnv` of Stable-Baselines3. Raises as `make_game` and `make_env`.

    Raises `MalformedError` for fewer matches than one.
    """
    if count < 1:
        raise MalformedError(f"an environment has one match or more, not {count}")
    return LiarsDiceVecEnv(rules, seats, seed, count, opponents, reward)
