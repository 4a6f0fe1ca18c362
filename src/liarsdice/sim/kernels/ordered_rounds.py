"""A fast path for random rounds under rules whose bids are totally ordered."""

from __future__ import annotations

import numpy as np

from liarsdice.sim.array_schema import OrderedBids, RoundArrays
from liarsdice.sim.kernels.compilation import entry_point
from liarsdice.sim.kernels.random_numbers import GAMMA, first_state, mix_bits


@entry_point
def play_ordered_rounds(game: OrderedBids, count: int, first: tuple[int, int], results: RoundArrays) -> None:
    """Play `count` rounds of uniform random play; the same rounds that `advance_matches` plays from the same seed.

    `first`: the seed, and the number of the first round. `results`: filled in place. The generator's numbers can be
    computed in any order, so dice are rolled only when they are counted: numbers 1 to `game.dice` are the dice, the
    next ones the bids.
    """
    places, bid_count = np.uint64(game.places), np.uint64(game.places * game.max_quantity)
    faces, wild_face, one = np.uint64(game.face_count), np.uint64(game.wild_face), np.uint64(1)
    for i in range(count):
        start = first_state(first[0], first[1] + i)
        x = start + np.uint64(game.dice + 1) * GAMMA
        higher_bids = bid_count - one - ((mix_bits(x) >> np.uint64(32)) * bid_count >> np.uint64(32))
        bids = 1
        while True:
            x += GAMMA
            drawn = (mix_bits(x) >> np.uint64(32)) * (higher_bids + one) >> np.uint64(32)
            if drawn == higher_bids:  # the last of all actions is the challenge
                break
            higher_bids -= drawn + one
            bids += 1
        standing = bid_count - one - higher_bids
        quantity = standing // places
        face, matching = np.uint64(game.faces[standing - quantity * places]), 0
        for die in range(1, game.dice + 1):
            side = (mix_bits(start + np.uint64(die) * GAMMA) >> np.uint64(32)) * faces >> np.uint64(32)
            matching += (side == face) | (side == wild_face)
        bidder = (bids - 1) % game.outcomes.shape[0]
        outcome = game.outcomes[bidder, matching - 1 - int(quantity) + game.max_quantity]
        results.starter[i], results.special[i] = outcome[0], outcome[1]
        results.loser[i], results.caller[i], results.actions[i] = outcome[2], outcome[3], bids + 1
        for seat in range(results.dice.shape[1]):
            results.dice[i, seat] = outcome[4 + seat]
