"""From views to network inputs: observations, their features, and the actions that a network chooses among.

The action space has `ACTION_COUNT` actions: for each face slot `QUANTITY_STEPS` consecutive quantities, and four
actions that are no bids. Quantities count from the lowest legal one, and in an opening from what the acting seat
expects, so that the same action means much the same under other rules and with other numbers of dice.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.simple.bid_odds import BID_CREDIT, BidOdds
from liarsdice.core.engine.view import View
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid, face_order
from liarsdice.core.rules.meaning import (
    bids_are_about_own_dice,
    dice_differ_by_seat,
    exact_claim,
    has_pure_bids,
    may_show_dice,
    sheds,
)
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, dice_that_may_count, is_stairs, wilds_after_bid, wilds_in_challenge
from liarsdice.values.features import FACE_SLOTS, p_at_least, rule_features, slot_faces, special_slot

SEAT_SLOTS = 8
"""The most seats that an observation tells apart; seats farther away share the last slot."""

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float32]


class Observation(NamedTuple):
    """The views of several tables under the same rules, one row per table.

    A bid is a pair of quantity and face slot; quantity 0 means that there is no bid.

    - `hand`: int64 [row, face slot], the acting seat's own dice that may count, and those of others in the open.
    - `dice`: int64 [row, seat slot], dice held, those of others in the open left out.
    - `latest_bid`, `previous_bid`: int64 [row, seat slot, 2], each seat's last bid of the round and the one before it.
    - `standing_bid`: int64 [row, 2]. `bidder`: int64 [row], the seat slot that made it; -1 without a bid.
    - `bid_count`: int64 [row], bids made in the round.
    - `legal_bids`: bool [row, quantity - 1, face slot].
    - `wilds_after`: bool [row, face slot], whether the special face is wild after a bid on the slot's face.
    - `wilds_count`: bool [row], whether the special face is wild now, if the standing bid is challenged.
    - `flags`: bool [row, flag], see `FLAGS`.
    - `has_stairs`: bool [row], whether the own hand is stairs and the rules give a bonus for it.
    - `special_slot`: the slot of the special face. `faces`: faces of a die.
    - `rules`: float32 [rule feature], see `rule_features`.
    """

    hand: IntArray
    dice: IntArray
    latest_bid: IntArray
    previous_bid: IntArray
    standing_bid: IntArray
    bidder: IntArray
    bid_count: IntArray
    legal_bids: BoolArray
    wilds_after: BoolArray
    wilds_count: BoolArray
    flags: BoolArray
    has_stairs: BoolArray
    special_slot: int
    faces: int
    rules: FloatArray


ROW_FIELDS = (
    "hand",
    "dice",
    "latest_bid",
    "previous_bid",
    "standing_bid",
    "bidder",
    "bid_count",
    "legal_bids",
    "wilds_after",
    "wilds_count",
    "flags",
    "has_stairs",
)
"""The fields of an observation that have one row per table."""
FLAGS = (
    "on_turn",
    "may_challenge",
    "may_exact",
    "may_reverse",
    "special_round",
    "own_special_round",
    "face_locked",
    "exempt",
)
"""The columns of `Observation.flags`: what the acting seat may do, and of the round: whether it is special, whether the
acting seat has caused that, whether the face is locked, and whether the acting seat is exempt from the lock."""
ON_TURN, MAY_CHALLENGE, MAY_EXACT, MAY_REVERSE, SPECIAL_ROUND, OWN_SPECIAL_ROUND, FACE_LOCKED, IS_EXEMPT = range(
    len(FLAGS)
)


def is_observable(rules: Ruleset) -> bool:
    """Return whether views under the rules can be observed: about all dice, which are alike and have few faces.

    Of pure bids and others, an observation holds one kind for each face (`faces_of_pure_bids`). Dice in the open are
    known dice.
    """
    unknown = bids_are_about_own_dice(rules) or dice_differ_by_seat(rules) or exact_claim(rules) is not None
    return rules.dice.faces <= FACE_SLOTS and not unknown


def is_supported(rules: Ruleset) -> bool:
    """Return whether observations hold all bids and dice of the rules: observable, no bid pure, all dice hidden."""
    return is_observable(rules) and not (has_pure_bids(rules) or may_show_dice(rules))


def network_plays(view: View) -> bool:
    """Return whether a network plays the round of a view: one that it can observe, with dice that its players see.

    Networks were trained where losers lose dice. Where players shed, they play rounds of two, in which one wins what
    the other loses; with more players, simple bots do better.
    """
    known = is_observable(view.ruleset) and not view.is_blind and not view.face_off
    return known and (not sheds(view.ruleset) or len(view.others) == 1)


def require_observable(rules: Ruleset) -> None:
    """Raise `UnavailableError` if views under the rules cannot be observed."""
    if bids_are_about_own_dice(rules):
        raise UnavailableError(f"neural bots know bids about all dice (count.scope is {rules.count.scope})")
    if dice_differ_by_seat(rules):
        by_seat = rules.dice.faces_by_seat
        raise UnavailableError(f"neural bots know dice that are alike (dice.faces_by_seat is {by_seat})")
    if (claim := exact_claim(rules)) is not None:
        raise UnavailableError(f"neural bots know no claims that a bid is exact (exact_call.claim is {claim})")
    if not is_observable(rules):
        raise UnavailableError(f"neural bots know dice of up to {FACE_SLOTS} faces, not {rules.dice.faces}")


def require_supported(rules: Ruleset) -> None:
    """Raise `UnavailableError` if observations cannot hold the bids of the rules."""
    if has_pure_bids(rules):
        raise UnavailableError(f"neural bots know no pure bids (bidding.to_pure is {rules.bidding.to_pure})")
    if may_show_dice(rules):
        raise UnavailableError(f"neural bots know no shown dice (bidding.show_dice is {rules.bidding.show_dice})")
    require_observable(rules)


def faces_of_pure_bids(view: View) -> frozenset[int]:
    """Return the faces whose bids are pure in an observation: those on which pure bids are more probable."""
    return BidOdds(view).purer_faces(view.may_bid) if has_pure_bids(view.ruleset) else frozenset()


def observe(view: View) -> Observation:
    """Return the observation of a player's view, with one row.

    Raises `UnavailableError` if views under the rules cannot be observed (`is_observable`).
    """
    rules = view.ruleset
    require_observable(rules)
    assert view.seat is not None
    order, seat_count, step = face_order(rules), len(view.dice), view.direction.step
    slot_of_face = {face: slot for slot, face in enumerate(slot_faces(rules))}
    in_order = [(view.seat + step * place) % seat_count for place in range(seat_count)]
    slot_of_seat = {seat: min(place, SEAT_SLOTS - 1) for place, seat in enumerate(in_order)}
    hand, dice = np.zeros((1, FACE_SLOTS), np.int64), np.zeros((1, SEAT_SLOTS), np.int64)
    latest, previous = np.zeros((1, SEAT_SLOTS, 2), np.int64), np.zeros((1, SEAT_SLOTS, 2), np.int64)
    for face in dice_that_may_count(rules, view.known):
        hand[0, slot_of_face[face]] += 1
    for seat, held in enumerate(view.dice):
        dice[0, slot_of_seat[seat]] += held if seat == view.seat else view.hidden_count(seat)
    bids_by_seat: dict[int, list[Bid]] = {}
    for seat, bid in view.bids:
        bids_by_seat.setdefault(seat, []).append(bid)
    for seat in in_order:  # of several seats in one slot, the furthest one shows
        bids = bids_by_seat.get(seat, [])
        if bids:
            latest[0, slot_of_seat[seat]] = bids[-1].quantity, slot_of_face[bids[-1].face]
        if len(bids) > 1:
            previous[0, slot_of_seat[seat]] = bids[-2].quantity, slot_of_face[bids[-2].face]
    standing = np.zeros((1, 2), np.int64)
    if view.bid is not None:
        standing[0] = view.bid.quantity, slot_of_face[view.bid.face]
    pure_faces = faces_of_pure_bids(view)
    highest = max((bid.quantity for bid in view.may_bid), default=1)
    legal_bids = np.zeros((1, highest, FACE_SLOTS), np.bool_)
    for bid in view.may_bid:
        if bid.pure == (bid.face in pure_faces):
            legal_bids[0, bid.quantity - 1, slot_of_face[bid.face]] = True
    wilds_after = np.zeros((1, FACE_SLOTS), np.bool_)
    for face in order:
        pure, opening = face in pure_faces, not view.bids
        wilds = wilds_after_bid(rules, face, wilds_count=view.wilds_count, opening=opening, pure=pure)
        wilds = wilds_in_challenge(rules, wilds_count=wilds, bid_count=len(view.bids) + 1)
        wilds_after[0, slot_of_face[face]] = wilds
    may_reverse = any(direction is not view.direction for direction in view.may_set_direction)
    flags = [
        view.on_turn,
        view.may_challenge,
        view.may_call_exact,
        may_reverse,
        view.special_round,
        view.special_seat == view.seat,
        view.face_locked,
        view.seat in view.exempt,
    ]
    return Observation(
        hand=hand,
        dice=dice,
        latest_bid=latest,
        previous_bid=previous,
        standing_bid=standing,
        bidder=np.array([-1 if view.bidder is None else slot_of_seat[view.bidder]]),
        bid_count=np.array([len(view.bids)]),
        legal_bids=legal_bids,
        wilds_after=wilds_after,
        wilds_count=np.array([view.wilds_in_challenge]),
        flags=np.array([flags], np.bool_),
        has_stairs=np.array([counts_as_stairs(rules, view.hand)]),
        special_slot=special_slot(rules),
        faces=rules.dice.faces,
        rules=rule_features(rules),
    )


def selected_rows(observation: Observation, rows: IntArray) -> Observation:
    """Return some rows of an observation, int64 [row], in this order."""
    return observation._replace(**{name: getattr(observation, name)[rows] for name in ROW_FIELDS})


def concatenated(observations: Sequence[Observation]) -> Observation:
    """Return all rows of observations with the same rules as one observation."""
    highest = max(one.legal_bids.shape[1] for one in observations)
    padded = [_with_quantities(one, highest) for one in observations]
    rows: dict[str, Any] = {name: np.concatenate([getattr(one, name) for one in padded]) for name in ROW_FIELDS}
    return observations[0]._replace(**rows)


def _with_quantities(observation: Observation, highest: int) -> Observation:
    """Return an observation whose legal bids have room for quantities up to `highest`."""
    missing = highest - observation.legal_bids.shape[1]
    if not missing:
        return observation
    return observation._replace(legal_bids=np.pad(observation.legal_bids, ((0, 0), (0, missing), (0, 0))))


def counts_as_stairs(rules: Ruleset, hand: Hand) -> bool:
    """Return whether a hand is stairs under rules that count stairs as one more than its dice."""
    return is_stairs(rules.count.hand_bonus, hand)


def with_hands(observation: Observation, rules: Ruleset, hands: Sequence[Hand]) -> Observation:
    """Return an observation with each row repeated once per hand, and each hand in place of the acting seat's own."""
    faces = slot_faces(rules)
    hand_counts = np.zeros((len(hands), FACE_SLOTS), np.int64)
    for row, hand in enumerate(hands):
        for face in dice_that_may_count(rules, hand):
            hand_counts[row, faces.index(face)] += 1
    has_stairs = np.array([counts_as_stairs(rules, hand) for hand in hands], np.bool_)
    rows = len(observation.hand)
    repeated = selected_rows(observation, np.repeat(np.arange(rows), len(hands)))
    return repeated._replace(hand=np.tile(hand_counts, (rows, 1)), has_stairs=np.tile(has_stairs, rows))


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
