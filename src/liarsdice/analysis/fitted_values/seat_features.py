"""What fitted values know of each seat: what it has left, its place in the order of play, and the standing bid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from liarsdice.analysis.deals import face_counts, most_faces
from liarsdice.core.engine.legal import legal_bids
from liarsdice.core.engine.state import State, next_seat
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Direction
from liarsdice.core.rules.meaning import has_lives, lives_are_limited
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import hands_that_count, tally, wilds_after_bid, wilds_in_challenge

FloatArray = NDArray[np.float64]

STAKES, DIFFERENCE, OPENS, NEXT = range(4)
"""The features of what a seat has left, and of the order of play."""
BETWEEN_FEATURES = 4
HANDS = slice(4, 8)
"""The features of the dice before any bid, see `hand_features`."""
BIDDER, ON_TURN = 8, 13
"""The first features of the bidder and of the seat on turn: one for each margin of the standing bid."""
ROOM = 18
"""Whether the seat on turn can make a true bid."""
FEATURES = 19
HAND_SCALE = 5.0
"""The factor of `HANDS`, whose differences between seats are small."""
MAX_MARGIN = 2
"""By how many dice a bid is true or false at most, in the features."""


def features_between(
    rules: Ruleset, stakes: Sequence[int], starter: int, direction: Direction, round_number: int
) -> FloatArray:
    """Return the features of each seat between rounds, float64 [seat, `BETWEEN_FEATURES`].

    `stakes`: the dice or lives that each seat has left. `round_number`: of the round before.
    """
    features = np.zeros((len(stakes), BETWEEN_FEATURES))
    weights = loss_weights(rules, stakes, round_number)
    left = np.array(stakes, np.float64)
    is_in = left > 0
    if not has_lives(rules) or lives_are_limited(rules):
        features[is_in, STAKES] = np.log(left[is_in])
        features[is_in, DIFFERENCE] = (left[is_in] - left[is_in].mean()) / rules.starting_stakes
    else:
        features[:, DIFFERENCE] = (left - left.mean()) * weights
    features[starter, OPENS] = weights[starter]
    after = next_seat(tuple(stakes), starter, direction)
    features[after, NEXT] = weights[after]
    return features


def features_in_round(state: State) -> FloatArray:
    """Return the features of each seat during the bidding, all dice known, float64 [seat, `FEATURES`]."""
    rules = state.ruleset
    features = np.zeros((len(state.names), FEATURES))
    features[:, :BETWEEN_FEATURES] = features_between(
        rules, state.stakes, state.turn, state.direction, state.round_number - 1
    )
    weights = loss_weights(rules, state.stakes, state.round_number - 1)
    if state.bid is None:
        counts = face_counts(state.hands, most_faces(rules, len(state.hands)))
        features[:, HANDS] = hand_features(state, counts[np.newaxis])[0]
        return features
    assert state.bidder is not None
    if state.doubled_by is not None:
        weights = 2 * weights
    margin = _margin(state, state.bid, state.bidder, wilds=state.wilds_in_challenge)
    place = min(max(margin, -MAX_MARGIN), MAX_MARGIN) + MAX_MARGIN
    features[state.bidder, BIDDER + place] = weights[state.bidder]
    features[state.turn, ON_TURN + place] = weights[state.turn]
    features[state.turn, ROOM] = weights[state.turn] * _has_room(state)
    return features


def hand_features(state: State, counts: NDArray[np.int64]) -> FloatArray:
    """Return the features of the dice of each seat before any bid, float64 [deal, seat, 4], times `HAND_SCALE`.

    They are the share of its own dice that count for its best face, for the opener once more, and the share of all dice
    that do, for the opener once more. `counts`: int64 [deal, seat, face], how many dice show each.
    """
    rules = state.ruleset
    counting = counts.astype(np.float64)
    if state.wilds_count:
        special = rules.dice.special_face - 1
        counting += np.where(np.arange(counts.shape[2]) == special, 0, counts[:, :, special, np.newaxis])
    best = counting.argmax(axis=2)
    own = counting.max(axis=2) / np.maximum(counts.sum(axis=2), 1)
    table = np.take_along_axis(counting.sum(axis=1), best, axis=1) / max(sum(state.dice), 1)
    opens = np.arange(counts.shape[1]) == state.turn
    features = np.stack([own, own * opens, table, table * opens], axis=2)
    return HAND_SCALE * features * loss_weights(rules, state.stakes, state.round_number - 1)[:, np.newaxis]


def loss_weights(rules: Ruleset, stakes: Sequence[int], round_number: int) -> FloatArray:
    """Return how much a loss in this round matters to each seat, float64 [seat]."""
    if not has_lives(rules) or lives_are_limited(rules):
        return 1 / np.maximum(np.array(stakes, np.float64), 1)
    most = rules.guards.max_rounds or round_number + 1
    return np.full(len(stakes), 1 / np.sqrt(max(most - round_number, 1)))


def _margin(state: State, bid: Bid, bidder: int, *, wilds: bool) -> int:
    """Return by how many a bid is true (0 or more) or false (less than 0)."""
    hands = hands_that_count(state.ruleset, state.hands, bidder)
    return tally(state.ruleset, hands, bid.face, wilds_count=wilds).count - bid.quantity


def _has_room(state: State) -> bool:
    """Return whether the seat on turn can make a true bid."""
    lowest: dict[tuple[int, bool], Bid] = {}
    for bid in legal_bids(state):
        lowest.setdefault((bid.face, bid.pure), bid)
    return any(_margin(state, bid, state.turn, wilds=_wilds_after(state, bid)) >= 0 for bid in lowest.values())


def _wilds_after(state: State, bid: Bid) -> bool:
    wilds = wilds_after_bid(
        state.ruleset, bid.face, wilds_count=state.wilds_count, opening=not state.bids, pure=bid.pure
    )
    return wilds_in_challenge(state.ruleset, wilds_count=wilds, bid_count=len(state.bids) + 1)
