"""Networks that no longer learn, in seats of matches that are played side by side."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from liarsdice.bots.neural.features import SILENT, read
from liarsdice.bots.neural.network import Network
from liarsdice.bots.neural.observation import Ints, Reals
from liarsdice.sim import array_schema as f
from liarsdice.sim.vector_env import Batch
from liarsdice.train.agent_selector import Asking
from liarsdice.train.batch_observation import Watcher, actions_of


class Rivals:
    """Answers for some seats of a batch, each by a network of its own. The batch's minds there are `Asked`."""

    def __init__(self, batch: Batch, asking: Asking, watcher: Watcher, networks: Mapping[int, Network]) -> None:
        self._batch = batch
        self._asking = asking
        self._watcher = watcher
        self._networks = networks

    def play_on(self, chance: np.random.Generator) -> None:
        """Answer until none of them is asked in any match."""
        batch, asking, seats = self._batch, self._asking, list(self._networks)
        while (theirs := np.isin(asking.seats, seats)).any():
            asked = np.where(theirs, asking.seats, 0).astype(np.int32)
            scene = self._watcher.scene(asked)
            readings = {
                knows: read(scene, knows_stairs=knows)
                for knows in {one.knows_stairs for one in self._networks.values()}
            }
            actions = np.full(len(asked), f.SILENT, np.int32)
            for seat, network in self._networks.items():
                reading, answers = readings[network.knows_stairs], np.full(len(asked), SILENT, np.int64)
                mine = theirs & (asked == seat)
                rows = np.flatnonzero(mine & (~asking.out_of_turn | network.answers_out_of_turn))
                chances = network.chances(reading.numbers[rows], reading.legal[rows])
                answers[rows] = drawn(network.purified(chances), chance)
                actions = np.where(mine, actions_of(reading, answers, batch), actions)
            asking.answer(actions, theirs)


def drawn(chances: Reals, chance: np.random.Generator) -> Ints:
    """An answer for each row, by its chances; never one without any, however they are rounded."""
    reached = chances.cumsum(axis=1)
    passed: Ints = (reached <= chance.random((len(chances), 1)) * reached[:, -1:]).sum(axis=1)
    last = (reached < reached[:, -1:]).sum(axis=1)
    found: Ints = np.minimum(passed, last)
    return found
