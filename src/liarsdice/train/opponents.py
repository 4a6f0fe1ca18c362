"""Opponents with fixed networks in some seats of many matches."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from liarsdice.bots.neural.batch_observation import BatchObserver, sample_actions, to_sim_actions
from liarsdice.bots.neural.features import SILENT, encode
from liarsdice.bots.neural.network import Network
from liarsdice.bots.neural.own_dice import possible_actions
from liarsdice.bots.round_plays import RoundPlays
from liarsdice.sim import array_schema as schema
from liarsdice.sim.agent_selector import AgentSelector
from liarsdice.sim.vector_env import VectorEnv


class OpponentPlayer:
    """Acts for some seats of an environment, each with its own network. The seats must have an `ExternalPolicy`.

    `champions`: those seats that play as the newest champion does: what their own dice prove wrong is left out, and
    solved rounds and blueprints are played (`RoundPlays`).
    """

    def __init__(
        self,
        env: VectorEnv,
        selector: AgentSelector,
        observer: BatchObserver,
        networks: Mapping[int, Network],
        champions: Collection[int] = (),
    ) -> None:
        self._env = env
        self._selector = selector
        self._observer = observer
        self._networks = networks
        self._champions = frozenset(champions)
        self._round_plays = RoundPlays(env) if champions else None

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
                allowed = possible_actions(inputs, env.rules.ruleset) if seat in self._champions else inputs.action_mask
                probs = network.action_probs(inputs.features[rows], allowed[rows])
                actions[rows] = sample_actions(network.drop_unlikely(probs), rng.random(len(probs)))
                sim_actions = np.where(is_seat, to_sim_actions(inputs, actions, env), sim_actions)
            if self._round_plays is not None:
                rows = np.flatnonzero(np.isin(selector.seats, list(self._champions)) & ~selector.out_of_turn)
                is_played, moves = self._round_plays.draw(rows, rng.random(len(rows)))
                sim_actions[rows[is_played]] = moves[is_played]
            selector.step(sim_actions, is_own)
