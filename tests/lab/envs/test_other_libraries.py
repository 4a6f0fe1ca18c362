"""Environments of other libraries: Gymnasium, PettingZoo and Stable-Baselines3."""

from functools import partial
from itertools import count
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, performance_benchmark, seed_test
from sb3_contrib import MaskablePPO

from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.rule_costs import is_simulated
from liarsdice_lab.envs import gym_env, make_buffers, make_game, sb3_env, vector_env
from liarsdice_lab.envs.gymnasium_envs import observation_box
from liarsdice_lab.envs.pettingzoo_envs import aec_env, parallel_env


def test_gymnasium_makes_one_match_and_many_by_the_id() -> None:
    env = gymnasium.make("LiarsDice-v1", rules="openspiel", opponents="random", seed=3, render_mode="ansi")
    _, info = env.reset(seed=5)
    assert str(env.render()).startswith("seat 0 hand ")
    masks = env.get_wrapper_attr("action_masks")()
    assert masks.tolist() == info["action_mask"].astype(bool).tolist()
    env.step(int(masks.argmax()))
    many = gymnasium.make_vec("LiarsDice-v1", num_envs=6, rules="openspiel", seats=3, opponents="random")
    observations, infos = many.reset(seed=5)
    assert len(observations) == len(infos["action_mask"]) == 6
    made = gymnasium.make("liarsdice_lab.envs:LiarsDice-v1", rules="openspiel", opponents="random")
    assert made.reset(seed=1)[1]["action_mask"].any()
    with pytest.raises(MalformedError, match="render_mode is None or 'ansi'"):
        gym_env(render_mode="human")


def test_a_learner_of_stable_baselines_plays_legal_moves_alone() -> None:
    env = sb3_env("openspiel", seats=3, seed=1, count=8, opponents=("random", "threshold"))
    learner = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=64, n_epochs=1, seed=1, device="cpu")
    learner.learn(512)
    assert learner.ep_info_buffer
    assert {episode["r"] for episode in learner.ep_info_buffer} == {0.5, -1.0}, "two win where the first one out loses"
    masks, (second,) = env.action_masks(), env.env_method("action_masks", indices=1)
    assert masks[1].tolist() == second.tolist()
    env.seed(7)
    first = env.reset()
    env.seed(7)
    assert env.reset().tolist() == first.tolist()
    illegal = (~env.action_masks()).argmax(axis=1)
    with pytest.raises(IllegalActionError):
        env.step(illegal)
    with pytest.raises(AttributeError, match=r"the method action_masks\(\) alone, not seed"):
        env.env_method("seed")
    with pytest.raises(MalformedError, match="one match or more, not 0"):
        sb3_env(count=0)


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


RULES = (("perudo", 3), ("official", 3), ("openspiel", 2))


@pytest.mark.filterwarnings("ignore:Observation (space|is not)")  # it is a dict with the mask
@pytest.mark.parametrize("rules, seats", RULES)
def test_aec_environments_pass_the_api_test(rules: str, seats: int, capsys: pytest.CaptureFixture[str]) -> None:
    api_test(aec_env(rules, seats), num_cycles=150, verbose_progress=False)
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.parametrize("rules, seats", RULES)
def test_parallel_environments_pass_the_api_test(rules: str, seats: int) -> None:
    parallel_api_test(parallel_env(rules, seats), num_cycles=100)


@pytest.mark.parametrize("name", [name for name in preset_names() if is_simulated(preset(name).ruleset)])
def test_seeds_pass_the_seed_test(name: str) -> None:
    for seats in (2, 3, 6):
        parallel_seed_test(partial(parallel_env, name, seats), num_cycles=1)
    seed_test(partial(aec_env, name, 2), num_cycles=10)


def test_the_performance_benchmark_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = count()
    clock = SimpleNamespace(time=lambda: next(ticks) / 20)
    monkeypatch.setitem(performance_benchmark.__globals__, "time", clock)
    performance_benchmark(aec_env("perudo", 3))
    assert "turns per second" in capsys.readouterr().out


def last_legal(mask: np.ndarray[tuple[int], np.dtype[np.int8]]) -> int:
    return int(np.flatnonzero(mask)[0])


def test_before_a_match_there_is_nothing_to_see_and_an_illegal_action_is_refused() -> None:
    env = aec_env("perudo", 2)
    with pytest.raises(MalformedError, match="reset"):
        env.last()
    env.reset(seed=1)
    with pytest.raises(IllegalActionError):
        env.step(0)


def test_an_illegal_action_loses_the_match_where_all_answer_at_once() -> None:
    env = parallel_env("perudo", 3)
    env.reset(seed=1)
    acting = str(env.match.selected)
    _, rewards, ended, _, _ = env.step(dict.fromkeys(env.agents, 0))
    assert rewards == {agent: -1.0 if agent == acting else 0.5 for agent in env.possible_agents}
    assert all(ended.values())
    assert env.agents == []
    with pytest.raises(MalformedError, match="reset"):
        env.step(dict.fromkeys(env.possible_agents, 0))


def test_an_agent_that_does_not_act_observes_its_own_dice_and_may_do_nothing() -> None:
    env = aec_env("perudo", 3)
    env.reset(seed=1)
    hands = {agent: env.observe(agent)["observation"] for agent in env.agents}
    for agent in env.agents:
        hand = env.match.game.field("hand", hands[agent])
        assert hand.tolist() == env.match.env.matches.hands[0, env.agents.index(agent)].tolist()
        assert env.observe(agent)["action_mask"].any() == (agent == env.agent_selection)
        assert f"seat {env.agents.index(agent)} hand" in env.information_state(agent)
    assert env.render() == env.information_state(str(env.agent_selection))


def test_rewards_of_a_match_add_up_to_its_result() -> None:
    env = aec_env("perudo", 3)
    env.reset(seed=2)
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, ended, _, _ = env.last()
        totals[agent] += reward
        env.step(None if ended else last_legal(observation["action_mask"]))
    assert sorted(totals.values()) == [-0.5, -0.5, 1.0]
    assert env.render() is None
