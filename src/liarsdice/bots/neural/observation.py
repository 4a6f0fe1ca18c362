"""What a neural bot observes: views as arrays, each relative to the seat that has to act.

Seats are numbered from the acting seat (0) in the direction of play. Faces are numbered by "slot": their position in
the rules' order of faces. A view makes an observation of one row; training makes observations of thousands of rows
from the arrays of the simulator (`bots.neural.batch_observation`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.core.engine.view import View
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid, face_order
from liarsdice.core.rules.choices import HandBonus
from liarsdice.core.rules.meaning import (
    bids_are_about_own_dice,
    dice_differ_by_seat,
    has_pure_bids,
    may_show_dice,
)
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, dice_that_may_count, is_stairs, wilds_after_bid, wilds_in_challenge
from liarsdice.values.rule_features import FACE_SLOTS, rule_features, slot_faces, special_slot

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
    """Return whether views under the rules can be observed: bids are about all dice, all dice alike and of few faces.

    Of pure bids and others, an observation holds one kind for each face (`faces_of_pure_bids`). Dice in the open are
    known dice.
    """
    return rules.dice.faces <= FACE_SLOTS and not (bids_are_about_own_dice(rules) or dice_differ_by_seat(rules))


def is_supported(rules: Ruleset) -> bool:
    """Return whether observations hold all bids and dice of the rules: observable, no bid pure, all dice hidden."""
    return is_observable(rules) and not (has_pure_bids(rules) or may_show_dice(rules))


def require_observable(rules: Ruleset) -> None:
    """Raise `UnavailableError` if views under the rules cannot be observed."""
    if bids_are_about_own_dice(rules):
        raise UnavailableError(f"neural bots know bids about all dice (count.scope is {rules.count.scope})")
    if dice_differ_by_seat(rules):
        by_seat = rules.dice.faces_by_seat
        raise UnavailableError(f"neural bots know dice that are alike (dice.faces_by_seat is {by_seat})")
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
    slot_of_seat = {seat: min((seat - view.seat) * step % seat_count, SEAT_SLOTS - 1) for seat in range(seat_count)}
    hand, dice = np.zeros((1, FACE_SLOTS), np.int64), np.zeros((1, SEAT_SLOTS), np.int64)
    latest, previous = np.zeros((1, SEAT_SLOTS, 2), np.int64), np.zeros((1, SEAT_SLOTS, 2), np.int64)
    for face in dice_that_may_count(rules, view.known):
        hand[0, slot_of_face[face]] += 1
    for seat, held in enumerate(view.dice):
        dice[0, slot_of_seat[seat]] += held if seat == view.seat else view.hidden_count(seat)
    bids_by_seat: dict[int, list[Bid]] = {}
    for seat, bid in view.bids:
        bids_by_seat.setdefault(seat, []).append(bid)
    for seat, bids in bids_by_seat.items():
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
    return rules.count.hand_bonus is HandBonus.STAIRS and is_stairs(hand)


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
