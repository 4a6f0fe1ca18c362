"""The published check of Gymnasium, and the vector environment."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from liarsdice.core.errors import MalformedError
from liarsdice_lab.envs import gym_env, make_buffers, make_game, vector_env
from liarsdice_lab.envs.gymnasium_envs import observation_box


@pytest.mark.filterwarnings("ignore:.*(render|spec|not a symmetric|Box).*")
@pytest.mark.parametrize("opponents", ["random", ("regular", "novice")])
def test_the_environment_passes_the_check(opponents: str | tuple[str, ...]) -> None:
    check_env(gym_env("official", 3, opponents=opponents), skip_render_check=True)


def test_an_illegal_action_loses_the_match() -> None:
    env = gym_env("perudo", 2, seed=1, opponents="threshold")
    _, info = env.reset()
    _, reward, ended, truncated, _ = env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))
    assert (reward, ended, truncated) == (-1.0, True, False)


def test_a_learner_gets_its_own_reward() -> None:
    game = make_game("openspiel", 3)
    env = vector_env("openspiel", 3, seed=1, count=32, opponents="random", learner=1, buffers=make_buffers(game, 32))
    observations, infos = env.reset(seed=4)
    assert (game.field("seat", observations) == 1).all()
    ends = 0
    for _ in range(10):
        observations, rewards, ended, truncated, infos = env.step(infos["action_mask"].argmax(axis=1))
        assert observations is env.env.buffers.observations
        assert rewards.tolist() == infos["rewards"][:, 1].tolist()
        assert not truncated.any()
        ends += int(ended.sum())
    assert ends
    assert observation_box(game).contains(observations[0])


def test_without_bots_the_reward_is_that_of_the_seat_that_has_acted() -> None:
    env = vector_env("openspiel", 2, seed=1, count=16)
    _, infos = env.reset()
    total = 0.0
    for _ in range(10):
        seats = infos["seats"].copy()
        _, rewards, ended, _, infos = env.step(infos["action_mask"].argmax(axis=1))
        assert rewards.tolist() == infos["rewards"][np.arange(16), seats].tolist()
        assert (rewards != 0).tolist() == ended.tolist()
        total += float(np.abs(rewards).sum())
    assert total


def test_a_list_of_seeds_is_refused() -> None:
    with pytest.raises(MalformedError, match="one seed"):
        vector_env(count=2).reset(seed=[1, 2])
