"""Networks that are trained in environments and stored as bots."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from liarsdice.bots.neural.features import ACTION_COUNT, FEATURE_COUNT, SILENT
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.presets import preset
from liarsdice_lab import make_simulation
from liarsdice_lab.envs.champion_inputs import network_inputs, save_network, to_env_actions
from liarsdice_lab.envs.in_place import InPlaceEnv
from liarsdice_lab.envs.layout import make_game


@pytest.mark.parametrize("rules", ["perudo", "official", "classic+reversa"])
def test_legal_actions_of_networks_are_legal_in_the_environment(rules: str) -> None:
    env, rng, silences = InPlaceEnv(make_game(rules, 3), 30, seed=1), np.random.default_rng(1), 0
    for _ in range(30):
        inputs = network_inputs(env)
        actions = np.argmax(inputs.action_mask * rng.random(inputs.action_mask.shape), axis=1)
        silences += int((actions == SILENT).sum())
        env.step(to_env_actions(env, inputs, actions))
    assert (silences > 0) == (rules == "official")


def test_a_stored_network_is_a_bot(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    sizes = (FEATURE_COUNT, 8, ACTION_COUNT)
    weights = [rng.normal(size=(sizes[i], sizes[i + 1])).astype(np.float32) for i in range(2)]
    save_network(weights, [np.zeros(size, np.float32) for size in sizes[1:]], tmp_path / "mine.npz")
    simulation = make_simulation(preset("perudo").ruleset, [f"network:{tmp_path / 'mine.npz'}", "random"])
    assert sum(score.matches for score in simulation.play(0).scores) > 0
    with pytest.raises(MalformedError, match="217 features to 28 actions"):
        save_network(weights[:1], [np.zeros(8, np.float32)], tmp_path / "mine.npz")


def test_a_match_that_has_ended_has_no_inputs() -> None:
    env = InPlaceEnv(make_game("openspiel", 2), 1, seed=1, resets=False)
    while not env.buffers.terminals[0]:
        env.step(env.buffers.masks.argmax(axis=1))
    with pytest.raises(MalformedError, match="has ended"):
        network_inputs(env)
