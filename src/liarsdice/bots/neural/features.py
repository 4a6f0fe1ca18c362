"""From observations to network inputs: features, and the actions that a network chooses among.

The action space has `ACTION_COUNT` actions: for each face slot `QUANTITY_STEPS` consecutive quantities, and four
actions that are no bids. Quantities count from the lowest legal one, and in an opening from what the acting seat
expects, so that the same action means much the same under other rules and with other numbers of dice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.neural.observation import (
    MAY_CHALLENGE,
    MAY_EXACT,
    MAY_REVERSE,
    ON_TURN,
    SEAT_SLOTS,
    BoolArray,
    FloatArray,
    IntArray,
    Observation,
)
from liarsdice.bots.simple.inference import BID_CREDIT
from liarsdice.values.rule_features import FACE_SLOTS
from liarsdice.values.tail_odds import p_at_least

QUANTITY_STEPS = 4
BID_ACTIONS = FACE_SLOTS * QUANTITY_STEPS
"""The number of actions that are bids. Action number `slot * QUANTITY_STEPS + step` is a bid."""
CHALLENGE, EXACT, SILENT, REVERSE = range(BID_ACTIONS, BID_ACTIONS + 4)
"""The actions that are no bids. `SILENT` lets the bid stand out of turn; `REVERSE` changes the direction of play."""
ACTION_COUNT = BID_ACTIONS + 4
FEATURE_COUNT, FEATURES_PER_FACE = 217, 20
"""The number of features of a network, and how many of them are about each face."""
SINGLE_FEATURES = 16
"""How many features follow those of the faces that are about the table as a whole; then come the dice of each seat."""
BID_COUNT_FEATURE, BID_COUNT_SCALE = FACE_SLOTS * FEATURES_PER_FACE + 5, 8
"""The feature that tells how many bids the round has had, and how many bids it is 1 for."""
NEXT_SEAT_FEATURES = slice(9, FACE_SLOTS * FEATURES_PER_FACE, FEATURES_PER_FACE)
"""The features that tell the latest bid of the next seat, one for each face."""

Float64Array = NDArray[np.float64]


class NetworkInput(NamedTuple):
    """What a network receives, and what its actions mean, one row per table.

    - `features`: float32 [row, feature].
    - `quantities`: int64 [row, face slot, step], the quantity of each bid action.
    - `action_mask`: bool [row, action], which actions are legal.
    - `p_true`: float32 [row, action], the probability that a bid is true, with credit for the others' bids (see
      `bid_credits`); 0 for actions that are no bids.
    - `ruled_out`: bool [row, action], the bids that are false whatever the others hold, if no hand counts for more than
      its dice.
    - `needed`: int64 [row], how many of the others' dice have to count for the standing bid; 0 or less if the own dice
      make it true, and without a bid.
    - `unseen`: int64 [row], how many dice the others hold.
    """

    features: FloatArray
    quantities: IntArray
    action_mask: BoolArray
    p_true: FloatArray
    ruled_out: BoolArray
    needed: IntArray
    unseen: IntArray


def encode(observation: Observation) -> NetworkInput:
    """Return the network input of an observation."""
    unseen = observation.dice[:, 1:].sum(axis=1)
    wild_dice = observation.hand[:, observation.special_slot]
    own = _with_stairs(
        observation, observation.hand + _wild_dice_per_face(observation, wild_dice, observation.wilds_after)
    )
    p_die = np.where(_wilds_help(observation, observation.wilds_after), 2.0, 1.0) / observation.faces
    expected = unseen[:, np.newaxis] * p_die
    credit = BID_CREDIT * _bidders_per_face(observation.latest_bid)
    quantities, legal_bids = _bid_actions(observation, own + expected)
    with_wilds = _wilds_help(observation, observation.wilds_after)[:, :, np.newaxis]
    both_credits = np.stack([np.zeros_like(credit), credit])  # without and with credit
    needed = quantities - own[:, :, np.newaxis] - both_credits[..., np.newaxis]
    p_plain, p_credited = p_at_least(observation.faces, with_wilds, unseen[:, np.newaxis, np.newaxis], needed)
    features = np.empty((len(own), FEATURE_COUNT), np.float32)
    by_face = features[:, : FACE_SLOTS * FEATURES_PER_FACE].reshape(len(own), FACE_SLOTS, FEATURES_PER_FACE)  # a view
    face_columns = (
        observation.hand / 5,
        own / 5,
        expected / 5,
        legal_bids.any(axis=2),
        (quantities[:, :, 0] - own - expected) / 3,
        quantities[:, :, 0] / 10,
        _standing_on_face(observation),
        np.arange(FACE_SLOTS) == observation.special_slot,
        credit,
        _latest_quantity(observation, 1),
        _latest_quantity(observation, 0),
        _bidders_per_face(observation.previous_bid) / 2,
    )
    for column, values in enumerate(face_columns):
        by_face[:, :, column] = values
    np.multiply(p_plain, legal_bids, out=by_face[:, :, len(face_columns) : -QUANTITY_STEPS], casting="same_kind")
    np.multiply(p_credited, legal_bids, out=by_face[:, :, -QUANTITY_STEPS:], casting="same_kind")
    rules_start = FEATURE_COUNT - len(observation.rules)
    standing_needed = _fill_table_features(
        observation, unseen, features[:, FACE_SLOTS * FEATURES_PER_FACE : rules_start]
    )
    features[:, rules_start:] = observation.rules
    action_mask = np.zeros((len(own), ACTION_COUNT), np.bool_)
    action_mask[:, :BID_ACTIONS] = legal_bids.reshape(len(own), BID_ACTIONS)
    action_mask[:, CHALLENGE] = observation.flags[:, MAY_CHALLENGE]
    action_mask[:, EXACT] = observation.flags[:, MAY_EXACT]
    action_mask[:, SILENT] = ~observation.flags[:, ON_TURN]
    action_mask[:, REVERSE] = observation.flags[:, MAY_REVERSE]
    p_true = np.zeros(action_mask.shape, np.float32)
    p_true[:, :BID_ACTIONS] = p_credited.reshape(len(own), BID_ACTIONS)
    ruled_out = np.zeros(action_mask.shape, np.bool_)
    most = own + unseen[:, np.newaxis]
    ruled_out[:, :BID_ACTIONS] = (quantities > most[:, :, np.newaxis]).reshape(len(own), BID_ACTIONS)
    return NetworkInput(features, quantities, action_mask, p_true, ruled_out, standing_needed, unseen)


def dice_held(features: FloatArray) -> IntArray:
    """Return the dice of each seat that features tell of, int64 [row, seat slot]."""
    start = FACE_SLOTS * FEATURES_PER_FACE + SINGLE_FEATURES
    dice: IntArray = np.rint(5 * features[:, start : start + SEAT_SLOTS]).astype(np.int64)
    return dice


def seat_apart(features: NDArray[np.float16], places: IntArray) -> None:
    """Rewrite features of two players who sit beside each other, float16 [row, feature], with empty seats between them.

    `places`: int64 [row], 1..7, how many seats the other player sits away.
    """
    rows, start = np.arange(len(features)), FACE_SLOTS * FEATURES_PER_FACE + SINGLE_FEATURES
    by_seat = [start + 1 + (SEAT_SLOTS - 1) * block for block in range(5)]  # as `_fill_table_features` has them
    for first in by_seat:
        beside = features[:, first].copy()
        features[:, first] = 0
        features[rows, first + places - 1] = beside
    features[:, NEXT_SEAT_FEATURES] *= (places == 1)[:, np.newaxis]


def _wilds_help(observation: Observation, wild: BoolArray) -> BoolArray:
    """Return bool [row, face slot], where the special face counts as the slot's face, from `wild` of the same shape."""
    helps: BoolArray = wild & (np.arange(FACE_SLOTS) != observation.special_slot)
    return helps


def _wild_dice_per_face(observation: Observation, wild_dice: IntArray, wild: BoolArray) -> IntArray:
    """Return int64 [row, face slot], the dice that count as the slot's face because they are wild."""
    return wild_dice[:, np.newaxis] * _wilds_help(observation, wild)


def _with_stairs(observation: Observation, own: IntArray) -> IntArray:
    """Return what the own hand adds to a count, [row] or [row, face slot]: stairs add one more than their dice."""
    shape = (-1,) + (1,) * (own.ndim - 1)
    dice = observation.dice[:, 0].reshape(shape)
    return np.where(observation.has_stairs.reshape(shape), dice + 1, own)


def _bid_actions(observation: Observation, likely: Float64Array) -> tuple[IntArray, BoolArray]:
    """Return the quantities of the bid actions and which are legal, each [row, face slot, step].

    `likely`: float64 [row, face slot], the expected count of each face.
    """
    rows, highest_quantity, _ = observation.legal_bids.shape
    any_legal = observation.legal_bids.any(axis=1)
    lowest = observation.legal_bids.argmax(axis=1) + 1
    highest = highest_quantity - observation.legal_bids[:, ::-1].argmax(axis=1)
    opening = (observation.standing_bid[:, 0] == 0)[:, np.newaxis]
    usual = np.floor(likely).astype(np.int64) - 1
    first = np.where(opening, np.clip(usual, lowest, np.maximum(highest - QUANTITY_STEPS + 1, lowest)), lowest)
    first = np.where(any_legal, first, 1)
    quantities = first[:, :, np.newaxis] + np.arange(QUANTITY_STEPS)
    in_range = quantities <= highest_quantity
    index = np.minimum(quantities, highest_quantity) - 1
    legal = observation.legal_bids[
        np.arange(rows)[:, np.newaxis, np.newaxis], index, np.arange(FACE_SLOTS)[:, np.newaxis]
    ]
    return quantities, np.logical_and(legal, in_range, out=legal)


def _standing_on_face(observation: Observation) -> BoolArray:
    """Return bool [row, face slot], the face of the standing bid."""
    on_face: BoolArray = observation.standing_bid[:, 1, np.newaxis] == np.arange(FACE_SLOTS)
    return on_face & (observation.standing_bid[:, 0] > 0)[:, np.newaxis]


def _latest_quantity(observation: Observation, seat: int) -> Float64Array:
    """Return float64 [row, face slot], a tenth of the quantity of a seat's latest bid at its face, else 0."""
    on_face = observation.latest_bid[:, seat, 1, np.newaxis] == np.arange(FACE_SLOTS)
    tenths: Float64Array = on_face * observation.latest_bid[:, seat, 0, np.newaxis] / 10
    return tenths


def _bidders_per_face(bids: IntArray) -> IntArray:
    """Return int64 [row, face slot], how many other seats bid on each face, from bids [row, seat slot, 2]."""
    has_bid = bids[:, 1:, 0] > 0
    on_face = (bids[:, 1:, 1, np.newaxis] == np.arange(FACE_SLOTS)) & has_bid[:, :, np.newaxis]
    counts: IntArray = on_face.sum(axis=1)
    return counts


def _fill_table_features(observation: Observation, unseen: IntArray, features: FloatArray) -> IntArray:
    """Write the features that are not about one face into a slice of the features, float32 [row, feature].

    Returns how many of the others' dice have to count for the standing bid, int64 [row], 0 without a bid.
    """
    rows = np.arange(len(unseen))
    quantity, slot = observation.standing_bid[:, 0], observation.standing_bid[:, 1]
    helps = observation.wilds_count & (slot != observation.special_slot)
    wild_dice = observation.hand[:, observation.special_slot]
    own = _with_stairs(observation, observation.hand[rows, slot] + wild_dice * helps)
    credit = BID_CREDIT * _bidders_per_face(observation.latest_bid)[rows, slot]
    has_bid = quantity > 0
    needed = (quantity - own).astype(np.float64)
    all_needed = np.stack([needed, needed - credit, needed + 1, needed + 1 - credit])
    p_true, p_credited, p_more, p_more_credited = np.where(
        has_bid, p_at_least(observation.faces, helps, unseen, all_needed), 1.0
    )
    expected = unseen * np.where(helps, 2.0, 1.0) / observation.faces
    dice = observation.dice.sum(axis=1)
    single_columns = (
        unseen / 20,
        dice / 20,
        (observation.dice > 0).sum(axis=1) / 6,
        observation.dice[:, 0] / np.maximum(dice, 1),
        observation.wilds_count,
        observation.bid_count / BID_COUNT_SCALE,
        has_bid,
        quantity / 10,
        own / 5,
        has_bid * (needed - expected) / 3,
        has_bid * (needed - expected - credit) / 3,
        p_true,
        p_credited,
        p_true - p_more,
        p_credited - p_more_credited,
        observation.dice[rows, np.maximum(observation.bidder, 0)] / 5 * has_bid,
    )
    assert len(single_columns) == SINGLE_FEATURES
    for column, values in enumerate(single_columns):
        features[:, column] = values
    latest_quantity, latest_slot = observation.latest_bid[:, 1:, 0], observation.latest_bid[:, 1:, 1]
    blocks = [
        observation.dice / 5,
        latest_quantity / 10,
        observation.previous_bid[:, 1:, 0] / 10,
        (latest_slot == slot[:, np.newaxis]) & (latest_quantity > 0),
        observation.bidder[:, np.newaxis] == np.arange(1, SEAT_SLOTS),
        observation.flags,
    ]
    start = SINGLE_FEATURES
    for block in blocks:
        features[:, start : start + block.shape[1]] = block
        start += block.shape[1]
    assert start == features.shape[1]
    return np.where(has_bid, quantity - own, 0)
