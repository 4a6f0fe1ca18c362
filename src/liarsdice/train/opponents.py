"""Opponents with fixed networks in some seats of many matches."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.neural.batch_observation import BatchObserver, sample_actions, to_sim_actions
from liarsdice.bots.neural.features import SILENT, encode
from liarsdice.bots.neural.network import Network
from liarsdice.bots.neural.own_dice import possible_actions
from liarsdice.sim import array_schema as schema
from liarsdice.sim.agent_selector import AgentSelector
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.values.round_plays import RoundPlays


class OpponentPlayer:
    """Acts for some seats of an environment, each with its own network. The seats must have an `ExternalPolicy`.

    `champions`: those seats that play as the champion does: what their own dice prove wrong is left out, and
    solved rounds and blueprints are played (`RoundPlays`). `learners`: the seats for which the matches are played; ()
    for all seats.
    """

    def __init__(
        self,
        env: VectorEnv,
        selector: AgentSelector,
        observer: BatchObserver,
        networks: Mapping[int, Network],
        champions: Collection[int] = (),
        learners: Collection[int] = (),
    ) -> None:
        self._env = env
        self._selector = selector
        self._observer = observer
        self._networks = networks
        self._champions = frozenset(champions)
        self._learners = list(learners)
        self._round_plays = RoundPlays(env) if champions else None

    def play_turns(self, rng: np.random.Generator) -> None:
        """Act until another seat is selected in every match that is not over.

        Matches in which none of `learners` holds dice stay as they are.
        """
        env, selector = self._env, self._selector
        while len(matches := np.flatnonzero(self._acts_next())):
            acting_seats = selector.seats[matches]
            observation = self._observer.observe(np.maximum(selector.seats, 0), matches)
            inputs = encode(observation)
            moves = np.full(len(matches), schema.NO_ACTION, np.int32)
            for seat, network in self._networks.items():
                actions = np.full(len(matches), SILENT, np.int64)
                is_seat = acting_seats == seat
                rows = np.flatnonzero(is_seat)
                allowed = possible_actions(inputs, env.rules.ruleset) if seat in self._champions else inputs.action_mask
                probs = network.action_probs(inputs.features[rows], allowed[rows])
                actions[rows] = sample_actions(network.drop_unlikely(probs), rng.random(len(probs)))
                moves = np.where(is_seat, to_sim_actions(inputs, actions, env, matches), moves)
            if self._round_plays is not None:
                rows = np.flatnonzero(np.isin(acting_seats, list(self._champions)) & ~selector.out_of_turn[matches])
                is_played, played = self._round_plays.draw(matches[rows], rng.random(len(rows)))
                moves[rows[is_played]] = played[is_played]
            sim_actions = np.full(len(env), schema.NO_ACTION, np.int32)
            sim_actions[matches] = moves
            selector.step(sim_actions, np.isin(np.arange(len(env)), matches))

    def _acts_next(self) -> NDArray[np.bool_]:
        """Return whether one of the networks acts next in a match that is played on, bool [match]."""
        acts: NDArray[np.bool_] = np.isin(self._selector.seats, list(self._networks))
        return acts & (self._env.dice[:, self._learners] > 0).any(axis=1) if self._learners else acts
