"""Playouts: copies of a match that go on from a decision, and how their rounds end after each move.

The players that play the copies on, a network or the engine's champion, belong to the bots.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid
from liarsdice.sim import array_schema as schema
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.values.round_ends import FloatArray, RoundEnd, RoundEndValues
from liarsdice.values.simulator import compiled_for

IntArray = NDArray[np.int64]


class Playouts(NamedTuple):
    """The results of playouts.

    `outcomes`: int64 [move, deal], an index into `ends`, the round ends that occurred. `challenged`: bool [move, deal],
    whether somebody challenged the move, which was a bid.
    """

    outcomes: IntArray
    ends: list[RoundEnd]
    challenged: NDArray[np.bool_]

    def of_deals(self, deals: slice) -> Playouts:
        """Return the results of some of the deals."""
        return Playouts(self.outcomes[:, deals], self.ends, self.challenged[:, deals])

    def mean(self, values: RoundEndValues, seat: int) -> FloatArray:
        """Return the share of the match that a seat wins on average after each move, float64 [move]."""
        shares: FloatArray = values.shares(self.ends)[:, seat][self.outcomes].mean(axis=1)
        return shares

    def p_loses(self, seat: int, dice: int) -> FloatArray:
        """Return how likely a seat with this many dice is to lose some in the round after each move, float64 [move].

        At the end of a match, every player but its winners counts as having lost dice.
        """
        lost = np.array(
            [
                dice > 0 and (end.dice[seat] < dice if end.winners is None else not end.winners[seat])
                for end in self.ends
            ]
        )
        shares: FloatArray = lost[self.outcomes].mean(axis=1)
        return shares

    def p_gains(self, seat: int, dice: int) -> FloatArray:
        """Return how likely a seat with this many dice is to gain some in the round after each move, float64 [move]."""
        gained = np.array([end.dice[seat] > dice for end in self.ends])
        shares: FloatArray = gained[self.outcomes].mean(axis=1)
        return shares

    def difference(self, values: RoundEndValues, seat: int, first: int, second: int) -> tuple[float, float]:
        """Return how much more a seat wins after one move than after another, and the standard error of that.

        The error counts the chance of the deals, and that of the values of round ends.
        """
        shares = values.shares(self.ends)[:, seat]
        by_deal = shares[self.outcomes[first]] - shares[self.outcomes[second]]
        deals = len(by_deal)
        counts = [np.bincount(self.outcomes[move], minlength=len(shares)) / deals for move in (first, second)]
        variances = values.variances(self.ends)[:, seat]
        error = np.sqrt(by_deal.var(ddof=1) / deals + ((counts[0] - counts[1]) ** 2 * variances).sum())
        return float(by_deal.mean()), float(error)


def highest_quantity(shown: View, round_dice: tuple[int, ...]) -> int:
    """Return the highest quantity that the simulator knows in a round. `round_dice`: as in `knows_bids`."""
    return compiled_for(shown.ruleset, round_dice).bids[-1].quantity


def knows_bids(shown: View, round_dice: tuple[int, ...], move: PlayerAction | None = None) -> bool:
    """Return whether the simulator knows all bids of a round, and a move.

    Under rules that do not limit quantities, it knows none above the number of dice on the table. `round_dice`: the
    dice by seat when the round was dealt.
    """
    bids = [bid for _, bid in shown.bids] + ([move] if isinstance(move, Bid) else [])
    highest = highest_quantity(shown, round_dice)
    return all(bid.quantity <= highest for bid in bids)


def copies_of(shown: View, round_dice: tuple[int, ...], count: int) -> VectorEnv:
    """Return an environment with this many copies of a match during the bidding, with random hands.

    `round_dice`: the dice by seat when the round was dealt, which penalties may have reduced since.
    """
    special = -1 if shown.special_seat is None else shown.special_seat
    env = VectorEnv(compiled_for(shown.ruleset, round_dice), count, deals=False)
    every = np.ones(count, np.bool_)
    env.reset(every, starters=shown.starter, dice=round_dice, special=special)
    env.state.matches[:, schema.ROUND] = shown.round_number
    env.state.matches[:, schema.STEP] = shown.direction.step
    env.state.matches[:, schema.DIRECTION_CHOSEN] = shown.direction_chosen
    env.state.matches[:, schema.ALIVE_COUNT] = shown.alive_count
    env.state.seats[:, :, schema.DICE] = shown.dice
    env.state.seats[:, :, schema.EXACT_CALLS] = shown.exact_calls or 0
    env.state.seats[:, :, schema.HAD_SPECIAL] = [seat in shown.had_special for seat in range(len(shown.dice))]
    env.state.seats[:, :, schema.EXEMPT] = [seat in shown.exempt for seat in range(len(shown.dice))]
    for seat, bid in shown.bids:
        env.step(np.full(count, env.rules.action_id(bid)), np.full(count, seat, np.int32))
    if shown.max_quantity is not None:  # penalties may have lowered it since the round was dealt
        env.state.matches[:, schema.HIGHEST_QUANTITY] = shown.max_quantity
        np.minimum(env.state.bid_ranges[:, 1], shown.max_quantity, out=env.state.bid_ranges[:, 1])
    return env
