"""The published checks of PettingZoo, and what they leave open."""

from __future__ import annotations

from functools import partial
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, performance_benchmark, seed_test

from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.rule_costs import is_simulated
from liarsdice_lab.envs.pettingzoo_envs import aec_env, parallel_env

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
