"""Opponents with fixed networks in some seats of many matches."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from liarsdice.bots.neural.batch_observation import BatchObserver, sample_actions, to_sim_actions
from liarsdice.bots.neural.features import SILENT, encode
from liarsdice.bots.neural.network import Network
from liarsdice.sim import array_schema as schema
from liarsdice.sim.agent_selector import AgentSelector
from liarsdice.sim.vector_env import VectorEnv


class OpponentPlayer:
    """Acts for some seats of an environment, each with its own network. The seats must have an `ExternalPolicy`."""

    def __init__(
        self, env: VectorEnv, selector: AgentSelector, observer: BatchObserver, networks: Mapping[int, Network]
    ) -> None:
        self._env = env
        self._selector = selector
        self._observer = observer
        self._networks = networks

    def play_turns(self, rng: np.random.Generator) -> None:
        """Act until another seat is selected in every match that is not over."""
        env, selector, seats = self._env, self._selector, list(self._networks)
        while (is_own := np.isin(selector.seats, seats)).any():
            acting_seats = np.where(is_own, selector.seats, 0).astype(np.int32)
            observation = self._observer.observe(acting_seats)
            inputs_by_stairs = {
                knows_stairs: encode(observation, knows_stairs=knows_stairs)
                for knows_stairs in {network.knows_stairs for network in self._networks.values()}
            }
            sim_actions = np.full(len(acting_seats), schema.NO_ACTION, np.int32)
            for seat, network in self._networks.items():
                inputs, actions = inputs_by_stairs[network.knows_stairs], np.full(len(acting_seats), SILENT, np.int64)
                is_seat = is_own & (acting_seats == seat)
                rows = np.flatnonzero(is_seat & (~selector.out_of_turn | network.answers_out_of_turn))
                probs = network.action_probs(inputs.features[rows], inputs.action_mask[rows])
                actions[rows] = sample_actions(network.drop_unlikely(probs), rng.random(len(probs)))
                sim_actions = np.where(is_seat, to_sim_actions(inputs, actions, env), sim_actions)
            selector.step(sim_actions, is_own)
