"""Bots of the house in the seats that the caller does not play."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.presets import preset
from liarsdice.sim.policies import ThresholdPolicy
from liarsdice.sim.rollouts import play_matches
from liarsdice_lab.envs.layout import make_game
from liarsdice_lab.envs.opponents import OpponentEnv, make_env
from tests.lab.envs.test_in_place import digest, middle_legal

OFFICIAL = make_game("official", 3)


def test_the_caller_acts_for_the_learner_alone() -> None:
    env = make_env(OFFICIAL, 20, seed=1, opponents="threshold", learner=2)
    for _ in range(20):
        assert (env.seats == 2).all()
        env.step(middle_legal(env))


def test_a_mix_may_have_seats_for_the_caller() -> None:
    env, seats = make_env(OFFICIAL, 20, seed=1, opponents=("self", "random")), set[int]()
    for _ in range(20):
        seats |= set(env.seats.tolist())
        env.step(middle_legal(env))
    assert seats == {0, 1, 2}
    assert make_env(OFFICIAL, 2, opponents=("self",)).seats.tolist() == make_env(OFFICIAL, 2).seats.tolist()


@pytest.mark.parametrize("opponents", ["regular", ("novice", "random", "inference")])
def test_opponents_are_reproducible_from_one_seed(opponents: str | tuple[str, ...]) -> None:
    first, second = (make_env(OFFICIAL, 6, seed=3, opponents=opponents) for _ in range(2))
    assert digest(first, 12) == digest(second, 12)
    first.reset(3)
    second.reset(4)
    assert digest(first, 12) != digest(second, 12)


def test_compiled_opponents_win_as_often_as_in_simulations() -> None:
    """A learner that plays by the threshold policy itself, beside an opponent of another threshold."""
    game = make_game("perudo", 2)
    env = make_env(game, 400, seed=1, opponents="threshold:0.4")
    assert isinstance(env, OpponentEnv)
    wins = ends = 0
    while ends < 400:
        env.step(env.bot_actions("threshold:0.2"))
        ended = env.buffers.terminals
        ends += int(ended.sum())
        wins += int((env.buffers.rewards[ended, 0] > 0).sum())
    policies = (ThresholdPolicy(0.2), ThresholdPolicy(0.4))
    expected = play_matches(preset("perudo").ruleset, 2, 4000, seed=2, policies=policies).won[:, 0].mean()
    assert abs(wins / ends - expected) < 4 * 0.5 / np.sqrt(ends)


def test_unknown_opponents_and_seats_are_refused() -> None:
    with pytest.raises(UnavailableError, match="no bot is called"):
        make_env(OFFICIAL, 2, opponents="deep-blue")
    with pytest.raises(MalformedError, match="learner"):
        make_env(OFFICIAL, 2, opponents="random", learner=3)
    with pytest.raises(MalformedError, match="opponents"):
        make_env(OFFICIAL, 2, opponents=())
