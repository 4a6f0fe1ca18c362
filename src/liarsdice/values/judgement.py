"""What the moves of a decision are worth, how certain that is, and what it rests on."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.core.actions import PlayerAction
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Choice

FloatArray = NDArray[np.float64]

DEALS, MIN_DEALS = 480, 30
"""The usual number of deals that are played on for a decision, and the fewest that may be asked for."""
Z_95 = 1.96
CHANCE_DIGITS = 2
"""How many digits the chances to lose and gain dice have."""


class Source(Choice):
    """Where the values of the moves come from.

    `FORCED`: there was only one move. `SOLVED`: the solved strategy of the last dice. `BLUEPRINT`: the blueprint of a
    round of two players, which both follow after each move; nothing is drawn. `BELIEFS`: nothing was compared, because
    no call out of turn was likely enough to be right or no playout knows the bids. `ODDS`: the others' dice are fair,
    whatever was bid. `PLAYOUTS`: beliefs about the hands, and playouts.
    """

    FORCED = "forced"
    SOLVED = "solved"
    BLUEPRINT = "blueprint"
    BELIEFS = "beliefs"
    ODDS = "odds"
    PLAYOUTS = "playouts"

    @property
    def is_exact(self) -> bool:
        """Whether nothing was drawn."""
        return self in {Source.SOLVED, Source.BLUEPRINT}


class Judgement(NamedTuple):
    """What the compared moves of a decision are worth.

    `values`: the share of the match (0..1) that the player wins with each move, float64 [move], and `errors`: half of
    the 95% interval of each. `margins`: float64 [move, move], half of the 95% interval of the difference of two values.
    `best`: the place of the best move, which playouts find with other deals than those that the values come from.
    `p_challenged`: how likely each bid is to be challenged. `p_loses`: how likely each seat is to lose dice in the
    round after each move, by seat. `p_gains`: how likely the player is to gain some. The latter two are empty in solved
    rounds.
    """

    source: Source
    moves: tuple[PlayerAction | None, ...]
    values: FloatArray
    errors: FloatArray
    margins: FloatArray
    best: int
    p_challenged: Mapping[Bid, float] = {}
    p_loses: Mapping[PlayerAction | None, tuple[float, ...]] = {}
    p_gains: Mapping[PlayerAction | None, float] = {}

    def behind(self, move: int, best: int) -> tuple[float, float]:
        """Return how much less a move is worth than another one, by their places, and half of its 95% interval."""
        return float(self.values[best] - self.values[move]), float(self.margins[best, move])

    def ranks(self) -> list[int]:
        """Return the rank of each move, from 1.

        A move ranks behind those alone that are certainly worth more, and never behind one of a lower value, which may
        be less certain.
        """
        leads = self.values[np.newaxis] - self.values[:, np.newaxis]
        behind = (leads > np.maximum(self.margins, 1e-9)).sum(axis=1)
        upwards = np.argsort(self.values, kind="stable")
        ranks = np.empty(len(behind), np.int64)
        ranks[upwards] = 1 + np.minimum.accumulate(behind[upwards])
        return ranks.tolist()


NOTHING_COMPARED = Judgement(Source.BELIEFS, (), np.zeros(0), np.zeros(0), np.zeros((0, 0)), -1)
"""The judgement where no moves are compared."""
