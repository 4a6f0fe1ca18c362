"""Opponents with fixed networks: how they sample actions, and when they call out of turn."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike

from liarsdice.bots.neural.batch_observation import BatchObserver
from liarsdice.bots.neural.features import SILENT
from liarsdice.bots.neural.network import Network
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.sim import array_schema as schema
from liarsdice.sim.agent_selector import AgentSelector
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import ExternalPolicy
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.train.model import load_network
from liarsdice.train.rollout import OpponentPlayer


class OutOfTurnCounter(VectorEnv):
    """An environment that counts actions out of turn."""

    out_of_turn_count = 0

    def step(self, actions: ArrayLike, seats: ArrayLike | None = None, *, deals: bool = True) -> None:
        """Apply one action in each match."""
        if seats is not None:
            acts = np.asarray(actions) != schema.NO_ACTION
            self.out_of_turn_count += int((acts & (np.asarray(seats) != self.turn)).sum())
        super().step(actions, seats, deals=deals)


@pytest.mark.parametrize("is_silent", [False, True])
def test_networks_call_out_of_turn_unless_they_prefer_silence(is_silent: bool) -> None:
    champion = load_network("champion@5")
    biases = [layer.copy() for layer in champion.biases]
    biases[-1][SILENT] += 50.0 * is_silent
    network = Network(champion.weights, biases, champion.min_prob_ratio)
    env = OutOfTurnCounter(compile_rules(find_rules("official"), 4), 20, seed=6)
    selector = AgentSelector(env, (ExternalPolicy(),))
    selector.advance()
    player = OpponentPlayer(env, selector, BatchObserver(env), dict.fromkeys(range(4), network))
    player.play_turns(np.random.default_rng(2))
    assert env.over.all()
    assert (env.out_of_turn_count > 0) != is_silent
