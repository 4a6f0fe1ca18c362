"""Opponents with fixed networks in some seats of many matches."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from liarsdice.bots.neural.features import SILENT, encode
from liarsdice.bots.neural.network import Network
from liarsdice.bots.neural.observation import FloatArray, IntArray
from liarsdice.sim import array_schema as schema
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.train.agent_selector import AgentSelector
from liarsdice.train.batch_observation import BatchObserver, to_sim_actions


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
                actions[rows] = sample_actions(network.drop_unlikely(probs), rng)
                sim_actions = np.where(is_seat, to_sim_actions(inputs, actions, env), sim_actions)
            selector.step(sim_actions, is_own)


def sample_actions(probs: FloatArray, rng: np.random.Generator) -> IntArray:
    """Sample an action of each row of `probs`, float32 [row, action]; returns int64 [row].

    An action with probability 0 is never sampled, even if the probabilities of a row sum to slightly less than 1.
    """
    cumulative = probs.cumsum(axis=1)
    sampled: IntArray = (cumulative <= rng.random((len(probs), 1)) * cumulative[:, -1:]).sum(axis=1)
    last_possible = (cumulative < cumulative[:, -1:]).sum(axis=1)
    actions: IntArray = np.minimum(sampled, last_possible)
    return actions
