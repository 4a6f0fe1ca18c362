"""Networks that no longer learn, in seats of matches that are played side by side."""

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
    """Answers for some seats of a batch, each by a network of its own. The batch's policies there are `ExternalPolicy`."""

    def __init__(
        self, batch: VectorEnv, selector: AgentSelector, observer: BatchObserver, networks: Mapping[int, Network]
    ) -> None:
        self._batch = batch
        self._selector = selector
        self._observer = observer
        self._networks = networks

    def play_on(self, chance: np.random.Generator) -> None:
        """Answer until none of them is asked in any match."""
        batch, selector, seats = self._batch, self._selector, list(self._networks)
        while (theirs := np.isin(selector.seats, seats)).any():
            asked = np.where(theirs, selector.seats, 0).astype(np.int32)
            scene = self._observer.scene(asked)
            readings = {
                knows: encode(scene, knows_stairs=knows)
                for knows in {one.knows_stairs for one in self._networks.values()}
            }
            actions = np.full(len(asked), schema.NO_ACTION, np.int32)
            for seat, network in self._networks.items():
                inputs, answers = readings[network.knows_stairs], np.full(len(asked), SILENT, np.int64)
                mine = theirs & (asked == seat)
                rows = np.flatnonzero(mine & (~selector.out_of_turn | network.answers_out_of_turn))
                chances = network.action_probs(inputs.features[rows], inputs.action_mask[rows])
                answers[rows] = sample_actions(network.drop_unlikely(chances), chance)
                actions = np.where(mine, to_sim_actions(inputs, answers, batch), actions)
            selector.answer(actions, theirs)


def sample_actions(chances: FloatArray, chance: np.random.Generator) -> IntArray:
    """An answer for each row, by its chances; never one without any, however they are rounded."""
    reached = chances.cumsum(axis=1)
    passed: IntArray = (reached <= chance.random((len(chances), 1)) * reached[:, -1:]).sum(axis=1)
    last = (reached < reached[:, -1:]).sum(axis=1)
    found: IntArray = np.minimum(passed, last)
    return found
