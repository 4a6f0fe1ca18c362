"""Networks that no longer learn, in seats of matches that are played side by side."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from liarsdice.bots.features import read
from liarsdice.bots.network import Network
from liarsdice.bots.scene import Ints, Reals
from liarsdice.solve.batch import Batch
from liarsdice.solve.minds import Mind
from liarsdice.train.scenes import Watcher, actions_of


class Rivals:
    """Answers for some seats of a batch, each by a network of its own. The batch's minds there are `Asked`."""

    def __init__(self, batch: Batch, watcher: Watcher, networks: Mapping[int, Network]) -> None:
        self._batch = batch
        self._watcher = watcher
        self._networks = networks

    def play_on(self, minds: tuple[Mind, ...], chance: np.random.Generator) -> None:
        """Move until none of them is on turn in any match."""
        batch, seats = self._batch, list(self._networks)
        while (theirs := np.isin(batch.turn, seats)).any():
            turn = np.where(theirs, batch.turn, 0).astype(np.int32)
            reading = read(self._watcher.scene(turn))
            answers = np.zeros(len(turn), np.int64)
            for seat, network in self._networks.items():
                rows = np.flatnonzero(theirs & (turn == seat))
                chances = network.chances(reading.numbers[rows], reading.legal[rows])
                answers[rows] = drawn(network.purified(chances), chance)
            batch.advance(minds, np.where(theirs, actions_of(reading, answers, batch), -1))


def drawn(chances: Reals, chance: np.random.Generator) -> Ints:
    """An answer for each row, by its chances; never one without any, however they are rounded."""
    reached = chances.cumsum(axis=1)
    passed: Ints = (reached <= chance.random((len(chances), 1)) * reached[:, -1:]).sum(axis=1)
    last = (reached < reached[:, -1:]).sum(axis=1)
    found: Ints = np.minimum(passed, last)
    return found
