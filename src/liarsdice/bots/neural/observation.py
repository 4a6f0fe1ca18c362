"""What a neural bot looks at: the tables of many views as arrays, each seen from the seat that is asked.

Seats are counted from the one that is asked (0) in the direction of play, faces by their place in the rules' order of
faces. A view makes a scene of one row; training makes scenes of thousands from arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.core.engine.view import View
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid, face_order
from liarsdice.core.rules.choices import GainCap, HandBonus, LossMode, NextStarter, OnExact, Raise, WhoCalls
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, is_stairs, wilds_after_bid

PLACES = 6
SEATS = 8
"""Those further round the table than this count as one."""

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Reals = NDArray[np.float32]


class Scene(NamedTuple):
    """So many tables, all by the same rules.

    `hand[row, place]`: own dice by face. `dice[row, seat]`: dice held. `latest`, `before` [row, seat, 2]: quantity and
    place of a seat's latest bid of the round and of the one before; quantity 0 for none. `standing[row, 2]`: the same
    of the standing bid, and `bidder[row]` who made it (-1: nobody). `bids[row]`: how many were made.
    `may[row, quantity - 1, place]`: which bids are legal, `wild_if[row, place]` whether the special face is wild after
    one, `wild[row]` whether it is now. `flags[row, flag]`: see `FLAGS`. `special`: place of the special face. `faces`:
    of a die. `stairs[row]`: whether the own hand is stairs, by rules under which that counts as one more.
    `rules[number]`: the ruleset, see `rule_numbers`.
    """

    hand: Ints
    dice: Ints
    latest: Ints
    before: Ints
    standing: Ints
    bidder: Ints
    bids: Ints
    may: Flags
    wild_if: Flags
    wild: Flags
    flags: Flags
    stairs: Flags
    special: int
    faces: int
    rules: Reals


BY_ROW = ("hand", "dice", "latest", "before", "standing", "bidder", "bids", "may", "wild_if", "wild", "flags", "stairs")
"""The fields that have a row for each table."""
FLAGS = ("on_turn", "may_challenge", "may_exact", "may_turn", "special_round", "mine", "locked", "exempt")
ON_TURN, MAY_CHALLENGE, MAY_EXACT, MAY_TURN, SPECIAL_ROUND, MINE, LOCKED, IS_EXEMPT = range(len(FLAGS))


def is_readable(rules: Ruleset) -> bool:
    """Whether rules make scenes."""
    return rules.dice.faces <= PLACES


def need_readable(rules: Ruleset) -> None:
    """Raise `UnavailableError` for rules that make no scene."""
    if not is_readable(rules):
        raise UnavailableError(f"neural bots know dice of up to {PLACES} faces, not {rules.dice.faces}")


def special_place(rules: Ruleset) -> int:
    """The place of the special face."""
    return hand_places(rules).index(rules.dice.special_face)


def hand_places(rules: Ruleset) -> tuple[int, ...]:
    """Every face, those first that may be bid, in their order; a special face that may not be bid is last."""
    order = face_order(rules)
    return (*order, *(face for face in range(1, rules.dice.faces + 1) if face not in order))


@lru_cache(maxsize=64)
def rule_numbers(rules: Ruleset) -> Reals:
    """A ruleset as numbers of about 0 to 1; everybody's, and not to be written to."""
    exact, special, loss = rules.exact_call, rules.special_round, rules.loss
    numbers: list[float] = [
        rules.wilds.special_is_wild,
        rules.wilds.needs_natural,
        bool(rules.wilds.suspended_by),
        rules.count.hand_bonus is not HandBonus.NONE,
        rules.challenge.who is WhoCalls.ANYONE_BUT_BIDDER,
        loss.mode is LossMode.DIFFERENCE,
        loss.fixed / 2,
        loss.exact / 2,
        *(loss.on_exact is one for one in OnExact),
        *(rules.next_starter.rule is one for one in NextStarter),
        *(rules.bidding.raise_ is one for one in Raise),
        rules.bidding.no_repeat,
        rules.turn.starter_may_reverse,
        special is not None,
        special is not None and special.face_locked,
        exact is not None,
        0 if exact is None else exact.success_gain / 2,
        0 if exact is None else exact.failure_loss / 2,
        0 if exact is None else (exact.others_loss + exact.bidder_loss) / 2,
        exact is not None and exact.gain_cap is GainCap.STARTING_DICE,
        exact is not None and exact.who is WhoCalls.ANYONE_BUT_BIDDER,
        rules.dice.faces / PLACES,
        special_place(rules) == 0,
        special_place(rules) == rules.dice.faces - 1,
        rules.dice.special_face in face_order(rules),
    ]
    found = np.array(numbers, np.float32)
    found.flags.writeable = False
    return found


def scene_of(view: View) -> Scene:
    """The scene of a view. Raises `UnavailableError` where these rules make none."""
    rules = view.ruleset
    need_readable(rules)
    assert view.seat is not None
    order, count, step = face_order(rules), len(view.dice), view.direction.step
    place = {face: number for number, face in enumerate(hand_places(rules))}
    away = {seat: min((seat - view.seat) * step % count, SEATS - 1) for seat in range(count)}
    hand, dice = np.zeros((1, PLACES), np.int64), np.zeros((1, SEATS), np.int64)
    latest, before = np.zeros((1, SEATS, 2), np.int64), np.zeros((1, SEATS, 2), np.int64)
    for face in view.hand:
        hand[0, place[face]] += 1
    for seat, held in enumerate(view.dice):
        dice[0, away[seat]] += held
    made: dict[int, list[Bid]] = {}
    for seat, bid in view.bids:
        made.setdefault(seat, []).append(bid)
    for seat, bids in made.items():
        latest[0, away[seat]] = bids[-1].quantity, place[bids[-1].face]
        if len(bids) > 1:
            before[0, away[seat]] = bids[-2].quantity, place[bids[-2].face]
    standing = np.zeros((1, 2), np.int64)
    if view.bid is not None:
        standing[0] = view.bid.quantity, place[view.bid.face]
    most = max((bid.quantity for bid in view.may_bid), default=1)
    may = np.zeros((1, most, PLACES), np.bool_)
    for bid in view.may_bid:
        may[0, bid.quantity - 1, place[bid.face]] = True
    wild_if = np.zeros((1, PLACES), np.bool_)
    for face in order:
        wild_if[0, place[face]] = wilds_after_bid(rules, face, wilds_count=view.wilds_count, opening=not view.bids)
    turned = any(direction is not view.direction for direction in view.may_set_direction)
    flags = [
        view.on_turn,
        view.may_challenge,
        view.may_call_exact,
        turned,
        view.special_round,
        view.special_seat == view.seat,
        view.face_locked,
        view.seat in view.exempt,
    ]
    return Scene(
        hand=hand,
        dice=dice,
        latest=latest,
        before=before,
        standing=standing,
        bidder=np.array([-1 if view.bidder is None else away[view.bidder]]),
        bids=np.array([len(view.bids)]),
        may=may,
        wild_if=wild_if,
        wild=np.array([view.wilds_count]),
        flags=np.array([flags], np.bool_),
        stairs=np.array([have_stairs(rules, view.hand)]),
        special=special_place(rules),
        faces=rules.dice.faces,
        rules=rule_numbers(rules),
    )


def have_stairs(rules: Ruleset, hand: Hand) -> bool:
    """Whether a hand counts as one more than its dice."""
    return rules.count.hand_bonus is HandBonus.STAIRS and is_stairs(hand)


def with_hands(scene: Scene, rules: Ruleset, hands: Sequence[Hand]) -> Scene:
    """The scene of one view with each of these hands in place of its own, a row for each."""
    places = hand_places(rules)
    held = np.zeros((len(hands), PLACES), np.int64)
    for row, hand in enumerate(hands):
        for face in hand:
            held[row, places.index(face)] += 1
    alike = {name: getattr(scene, name)[np.zeros(len(hands), np.int64)] for name in BY_ROW}
    stairs = np.array([have_stairs(rules, hand) for hand in hands], np.bool_)
    return scene._replace(**alike | {"hand": held, "stairs": stairs})
