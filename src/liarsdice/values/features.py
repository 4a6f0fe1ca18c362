"""The inputs of the network of state values: the kinds of players, the rules, and the features of each seat.

The kinds are those of the players whose matches the values were learned from.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.core.engine.legal import legal_bids
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.rules.bids import face_order
from liarsdice.core.rules.choices import (
    Choice,
    GainCap,
    HandBonus,
    LossMode,
    NextStarter,
    OnExact,
    Raise,
    WhoCalls,
    WhoCallsExact,
)
from liarsdice.core.rules.meaning import forbids_repeats
from liarsdice.core.rules.rule_costs import require_learned
from liarsdice.core.rules.ruleset import Ruleset


class PlayerKind(Choice):
    """A kind of player, with the name of its bot."""

    CHAMPION = "champion"
    SHARP = "sharp"
    REGULAR = "regular"
    NOVICE = "novice"
    RANDOM = "random"
    GREEDY = "greedy"
    THRESHOLD = "threshold"
    DOUBTER = "threshold:0.55"
    BELIEVER = "threshold:0.25"
    INFERENCE = "inference"


PLAYER_KINDS = tuple(PlayerKind)
UNKNOWN_KIND = -1
"""Stands for a kind in arrays where it is not known who plays."""


def kind_number(bot: str) -> int:
    """Return the place of a bot's kind in `PLAYER_KINDS`, or `UNKNOWN_KIND`.

    Parameters other than those of the kinds, and the number of a network, do not count. A master counts as a champion.

    >>> kind_number("champion@5"), kind_number("threshold:0.55"), kind_number("threshold:0.4"), kind_number("mine.py")
    (0, 7, 6, -1)
    """
    names = [kind.value for kind in PLAYER_KINDS]
    spec = bot.strip().lower().replace("master", PlayerKind.CHAMPION.value)
    for name in (spec, spec.partition(":")[0].partition("@")[0]):
        if name in names:
            return names.index(name)
    return UNKNOWN_KIND


FloatArray = NDArray[np.float32]

FACE_SLOTS = 6
"""The most faces that features have room for."""


def special_slot(rules: Ruleset) -> int:
    """Return the slot of the special face."""
    return slot_faces(rules).index(rules.dice.special_face)


def slot_faces(rules: Ruleset) -> tuple[int, ...]:
    """Return the face of each slot: the faces that may be bid in their order, then a special face that may not."""
    order = face_order(rules)
    return (*order, *(face for face in range(1, rules.dice.faces + 1) if face not in order))


ON_EXACT = (OnExact.CHALLENGER, OnExact.ALL_BUT_BIDDER)
STARTERS = (
    *(NextStarter.LOSER, NextStarter.WINNER, NextStarter.CALLER),
    *(NextStarter.BIDDER, NextStarter.AFTER_LOSER, NextStarter.ROTATE),
)
RAISES = (
    *(Raise.QUANTITY_FIRST, Raise.NO_DECREASE, Raise.EITHER_INCREASES, Raise.FACE_FIRST),
    *(Raise.ONE_STEP_DIM, Raise.PRODUCT, Raise.MAX_OF_PAIR),
)
"""The choices with a feature of their own. One that is not listed has none: the stored networks never saw it."""


@lru_cache(maxsize=64)
def rule_features(rules: Ruleset) -> FloatArray:
    """Return a ruleset as features, float32 [rule feature], most of them in 0..1. The array is shared and read-only."""
    exact, special, loss = rules.exact_call, rules.special_round, rules.loss
    features: list[float] = [
        rules.wilds.special_is_wild,
        rules.wilds.needs_natural,
        bool(rules.wilds.suspended_by),
        rules.count.hand_bonus is HandBonus.STAIRS,
        rules.challenge.who is WhoCalls.ANYONE_BUT_BIDDER,
        loss.mode is LossMode.DIFFERENCE,
        loss.fixed / 2,
        loss.exact / 2,
        *(loss.on_exact is choice for choice in ON_EXACT),
        *(rules.next_starter.rule is choice for choice in STARTERS),
        *(rules.bidding.raise_ is choice for choice in RAISES),
        forbids_repeats(rules),
        rules.turn.starter_may_reverse is True,
        special is not None,
        special is not None and special.face_locked,
        exact is not None,
        0 if exact is None else exact.success_gain / 2,
        0 if exact is None else exact.failure_loss / 2,
        0 if exact is None else (exact.others_loss + exact.bidder_loss) / 2,
        exact is not None and exact.gain_cap is GainCap.STARTING_DICE,
        exact is not None and exact.who is not WhoCallsExact.NEXT_PLAYER,
        rules.dice.faces / FACE_SLOTS,
        special_slot(rules) == 0,
        special_slot(rules) == rules.dice.faces - 1,
        rules.dice.special_face in face_order(rules),
    ]
    array = np.array(features, np.float32)
    array.flags.writeable = False
    return array


BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
ProbArray = NDArray[np.float64]

MAX_DICE = 60
"""With more unseen dice than this, probabilities are those of this many."""


@cache
def _tail_probabilities(faces: int) -> ProbArray:
    """Return float64 [wilds help, dice, needed]: the probability that at least `needed` of `dice` dice count.

    The binomial distribution, whose success probability is 1/faces, or 2/faces where wild dice count too.
    """
    table = np.zeros((2, MAX_DICE + 1, MAX_DICE + 2))
    for wilds_help in (0, 1):
        p = (1 + wilds_help) / faces
        p_count = np.zeros(MAX_DICE + 1)
        p_count[0] = 1
        for dice in range(MAX_DICE + 1):
            table[wilds_help, dice, :-1] = p_count[::-1].cumsum()[::-1]
            p_count[1:] = p_count[1:] * (1 - p) + p_count[:-1] * p
            p_count[0] *= 1 - p
    return table


def p_at_least(faces: int, wilds_help: BoolArray, dice: IntArray, needed: ProbArray) -> ProbArray:
    """Return the probability that unseen dice hold at least `needed` of a face; linear between whole numbers.

    The arrays are broadcast against each other: `wilds_help`, bool [...], `dice`, int64 [...], and `needed`, float64
    [...]. Returns float64 [...].
    """
    table = _tail_probabilities(faces)
    clipped = np.minimum(np.maximum(needed, 0), MAX_DICE)
    whole = clipped.astype(np.int64)
    fraction = clipped - whole
    dice_index, wilds_index = np.minimum(dice, MAX_DICE), np.asarray(wilds_help).astype(np.int64)
    low, high = table[wilds_index, dice_index, whole], table[wilds_index, dice_index, whole + 1]
    return low * (1 - fraction) + high * fraction


class Situation(NamedTuple):
    """States of matches under one ruleset, one a row: within rounds after the roll, or between rounds.

    By row and seat: `dice`, `had_special` (whether the seat had a special round before this one), `exempt`,
    `exact_calls`, and `latest_face` (of its latest bid in this round, -1 for none). `hands`: int64 [row, seat, face];
    zeros between rounds. By row: `step` (+1 or -1, the direction of play), `turn` (between rounds: who opens),
    `quantity` (0: no bid) and `face` (from 0) of the standing bid, `bidder` (-1: no bid), `bid_count`, `wilds`,
    `special_seat` (-1: none), `round_number`. `lowest`: int64 [row, face], the lowest quantity of each face that the
    seat on turn may bid, 0 for none. `players`: int64 [row, seat], the kind of each player as its place in
    `PLAYER_KINDS`, `UNKNOWN_KIND` where that is not known.
    """

    rules: Ruleset
    dice: IntArray
    had_special: BoolArray
    exempt: BoolArray
    exact_calls: IntArray
    latest_face: IntArray
    hands: IntArray
    step: IntArray
    turn: IntArray
    quantity: IntArray
    face: IntArray
    bidder: IntArray
    bid_count: IntArray
    wilds: BoolArray
    special_seat: IntArray
    round_number: IntArray
    lowest: IntArray
    players: IntArray

    def rows(self, rows: Any) -> Situation:  # noqa: ANN401  any index of an array
        """Return some rows."""
        return Situation(self.rules, *(array[rows] for array in self[1:]))

    def with_hands(self, hands: IntArray) -> Situation:
        """Return the one row of this situation once for each of the hands of all seats, int64 [row, seat, face]."""
        return self.rows(np.zeros(len(hands), np.int64))._replace(hands=hands)


def concatenate(parts: Sequence[Situation]) -> Situation:
    """Return all rows of situations with the same rules and seats as one situation."""
    return Situation(
        parts[0].rules, *(np.concatenate(arrays) for arrays in zip(*(part[1:] for part in parts), strict=True))
    )


def situation_of_state(state: State) -> Situation:
    """Return the situation of a match that waits for a player's move or for a deal, in one row.

    Raises `UnavailableError` under rules that networks were not trained for.
    """
    require_learned(state.ruleset, "matches are judged")
    rules, seats = state.ruleset, len(state.names)
    faces, bidding = rules.dice.faces, state.phase is Phase.BIDDING
    hands, latest_face = np.zeros((seats, faces), np.int64), [-1] * seats
    for seat, hand in enumerate(state.hands if bidding else ()):
        for face in hand:
            hands[seat, face - 1] += 1
    for seat, bid in state.bids:
        latest_face[seat] = bid.face - 1
    lowest = [0] * faces
    for bid in legal_bids(state) if bidding else ():
        lowest[bid.face - 1] = lowest[bid.face - 1] or bid.quantity
    standing, special = state.bid, state.special_seat
    by_seat = [
        state.dice,
        [seat in state.had_special and seat != special for seat in range(seats)],
        [bidding and seat in state.exempt for seat in range(seats)],
        state.exact_calls or (0,) * seats,
        latest_face,
        hands,
    ]
    by_row = [
        state.direction.step,
        state.turn,
        0 if standing is None else standing.quantity,
        -1 if standing is None else standing.face - 1,
        -1 if state.bidder is None else state.bidder,
        len(state.bids),
        bidding and state.wilds_count,
        -1 if special is None else special,
        state.round_number + (not bidding),
        lowest,
        [UNKNOWN_KIND] * seats,
    ]
    return Situation(rules, *(np.array([values]) for values in (*by_seat, *by_row)))


FACES = 6
"""Faces with features of their own; of dice with more faces, the first ones in the order."""


def faces_in_order(situation: Situation) -> IntArray:
    """Return the faces (from 0) in the order of their slots, int64 [row, `FACES`], -1 where the dice have no more.

    The face of the standing bid comes first, then the faces that the seat on turn holds most of, and among equals those
    that all seats hold most of. Faces that are wild come last.
    """
    rows, hands = np.arange(len(situation.dice)), situation.hands
    faces = hands.shape[2]
    order = hands[rows, situation.turn] * 1000 + hands.sum(axis=1)
    special = np.arange(faces) == situation.rules.dice.special_face - 1
    order = order - (situation.wilds[:, np.newaxis] & special) * 1_000_000
    order = order + (np.arange(faces) == situation.face[:, np.newaxis]) * 2_000_000
    slots = np.full((len(rows), FACES), -1)
    slots[:, : min(faces, FACES)] = np.argsort(-order, axis=1, kind="stable")[:, :FACES]
    return slots


def in_face_order(values: NDArray[np.generic], slots: IntArray) -> list[NDArray[np.generic]]:
    """Return values of faces, [row, face] or [row, seat, face], by slot: one array without the last axis for each."""
    columns = []
    for slot in range(slots.shape[1]):
        face = slots[:, slot].reshape(-1, *(1,) * (values.ndim - 1))
        column = np.take_along_axis(values, np.maximum(face, 0), axis=-1)[..., 0]
        columns.append(column * (face >= 0)[..., 0])
    return columns


SLOTS = 6
"""The seat itself and the next seats with dice, each with features of its own."""
NEAR_ROUNDS = 20
"""A limit of rounds that is farther away than this does not count."""
MAX_MARGIN = 4
"""Dice by which the standing bid is true or false; more count as this many."""
MAX_RAISE_MARGIN = 10
"""The same for raises."""
SEAT_FEATURES, ROUND_SEAT_FEATURES = 8, 13
"""How many features each slot has in every situation, and how many more within a round."""

Float64Array = NDArray[np.float64]


class _Bids(NamedTuple):
    """What all dice say about bids, from arrays [row, seat] and [row].

    `counted`: the dice of each seat that count for the standing bid. `p_standing`: the probability of that bid as each
    seat sees it. `p_raise`: the same of the likeliest raise that each seat could make now. `margin`: by how much the
    standing bid is true. `raise_margin`: by how much the likeliest raise of each seat is true. `p_next`: the
    probability of the likeliest raise of the seat on turn as each seat sees it. `best_margin`: the highest margin of
    any raise. `best_own`: the dice of each seat of its best face, which it holds most of. `best_total`: how many dice
    of that face all seats hold. `next_own`: how many the seat on turn holds of the best face of each seat. `surplus`:
    by how much `best_total` exceeds what the seat expects. `top`: how many dice of the two commonest faces each seat
    holds, [row, seat, 2], and `top_total`, [row, 2]. `own`: the dice of each seat that count for each face, [row,
    seat, face]; `p_faces`: the probability of the lowest raise on each face as each seat sees it, -1 for none, [row,
    seat, face]; and `margins`: by how much these raises are true, [row, face].
    """

    counted: IntArray
    p_standing: Float64Array
    p_raise: Float64Array
    margin: IntArray
    raise_margin: IntArray
    p_next: Float64Array
    best_margin: IntArray
    best_own: IntArray
    best_total: IntArray
    next_own: IntArray
    surplus: Float64Array
    top: IntArray
    top_total: IntArray
    own: IntArray
    p_faces: Float64Array
    margins: IntArray


def seat_features(situation: Situation, *, in_round: bool) -> FloatArray:
    """Return the features of each seat, float32 [row, seat, feature]; `in_round`: after the roll, else between rounds.

    Features of seats without dice mean nothing. Features that later versions of the values added come last.
    """
    alive = situation.dice > 0
    columns, single = _table_columns(situation, alive)
    later_columns, later_single = _kind_columns(situation), []
    latest: list[FloatArray] = []
    order, beyond = _seats_in_order(situation, alive)
    if in_round:
        bids = _judge_bids(situation)
        more_columns, more_single = _round_columns(situation, bids)
        columns, single = columns + more_columns, single + more_single
        later_columns += _columns_by_face(bids.own / 5) + _columns_by_face(bids.p_faces)
        later_single = _columns_by_face(_raise_margin(bids.margins))
        by_seat, of_table = _ordered_columns(situation, bids)
        latest = [_by_slot(by_seat, order), _for_all_seats(of_table, alive.shape)]
    rules = rule_features(situation.rules)
    parts = (
        _by_slot(columns, order),
        (beyond / 20).astype(np.float32)[..., np.newaxis],
        _for_all_seats(single, alive.shape),
        np.broadcast_to(np.float32(rules), (*alive.shape, len(rules))),
        _by_slot(later_columns, order),
        _for_all_seats(later_single, alive.shape),
        *latest,
    )
    return np.concatenate(parts, axis=2)


def feature_count(*, in_round: bool) -> int:
    """Return how many features a seat has."""
    rules, single = 37, 18 if in_round else 4
    by_slot = SEAT_FEATURES + len(PLAYER_KINDS) + in_round * (ROUND_SEAT_FEATURES + 4 * FACES)
    return SLOTS * by_slot + 1 + single + rules + in_round * 3 * FACES


def _by_slot(columns: list[NDArray[np.generic]], order: IntArray) -> FloatArray:
    """Return features by seat, each [row, seat], of the seats in each slot, float32 [row, seat, slot and feature]."""
    by_seat = np.stack(columns, axis=2).astype(np.float32)
    rows = np.arange(len(by_seat))[:, np.newaxis, np.newaxis]
    slots: FloatArray = by_seat[rows, np.maximum(order, 0)] * (order >= 0)[..., np.newaxis]
    return slots.reshape(*order.shape[:2], -1)


def _for_all_seats(columns: list[NDArray[np.generic]], shape: tuple[int, ...]) -> FloatArray:
    """Return features of the table, each [row], for every seat, float32 [row, seat, feature]."""
    if not columns:
        return np.zeros((*shape, 0), np.float32)
    stacked = np.stack(columns, axis=1).astype(np.float32)
    return np.broadcast_to(stacked[:, np.newaxis], (*shape, len(columns)))


def _kind_columns(situation: Situation) -> list[NDArray[np.generic]]:
    """Return whether each seat is of each kind, each bool [row, seat]."""
    return [situation.players == number for number in range(len(PLAYER_KINDS))]


def _columns_by_face(values: NDArray[np.generic]) -> list[NDArray[np.generic]]:
    """Return the values of each face, from an array whose last axis is the face; zeros for faces that dice lack."""
    faces = values.shape[-1]
    return [values[..., face] if face < faces else np.zeros_like(values[..., 0]) for face in range(FACES)]


def _seats_in_order(situation: Situation, alive: NDArray[np.bool_]) -> tuple[IntArray, Float64Array]:
    """Return the next seats with dice from each seat, int64 [row, seat, slot], -1 for none, and the dice beyond them.

    The first slot is the seat itself.
    """
    rows, count = alive.shape
    seats, row = np.arange(count), np.arange(rows)[:, np.newaxis, np.newaxis]
    turned = (seats[:, np.newaxis] + situation.step[:, np.newaxis, np.newaxis] * seats) % count
    has_dice = alive[row, turned]
    places = np.argsort(~has_dice, axis=2, kind="stable")
    ordered = np.where(np.take_along_axis(has_dice, places, axis=2), np.take_along_axis(turned, places, axis=2), -1)
    beyond = (situation.dice[row, np.maximum(ordered[..., SLOTS:], 0)] * (ordered[..., SLOTS:] >= 0)).sum(axis=2)
    slots = np.full((rows, count, SLOTS), -1, np.int64)
    slots[..., : min(count, SLOTS)] = ordered[..., :SLOTS]
    return slots, beyond.astype(np.float64)


def _table_columns(
    situation: Situation, alive: NDArray[np.bool_]
) -> tuple[list[NDArray[np.generic]], list[NDArray[np.generic]]]:
    """Return the features by seat, each [row, seat], and those of the table, each [row], that every situation has."""
    dice, rules = situation.dice, situation.rules
    total, seats = dice.sum(axis=1), np.arange(dice.shape[1])
    call, limit = rules.exact_call, rules.guards.max_rounds
    budget = 0 if call is None or call.budget is None else call.budget
    left = np.maximum(budget - situation.exact_calls, 0) / max(budget, 1)
    rounds_left = np.full(len(dice), NEAR_ROUNDS) if limit is None else limit - situation.round_number
    columns: list[NDArray[np.generic]] = [
        alive,
        dice / 5,
        dice == 1,
        dice / total[:, np.newaxis],
        seats == situation.turn[:, np.newaxis],
        seats == situation.special_seat[:, np.newaxis],
        situation.had_special,
        left,
    ]
    single: list[NDArray[np.generic]] = [
        alive.sum(axis=1) / 6,
        total / 30,
        np.clip(rounds_left, 0, NEAR_ROUNDS) / NEAR_ROUNDS,
        situation.special_seat >= 0,
    ]
    return columns, single


def _round_columns(situation: Situation, bids: _Bids) -> tuple[list[NDArray[np.generic]], list[NDArray[np.generic]]]:
    """Return the further features within a round, by seat and of the table."""
    seats, rows = np.arange(situation.dice.shape[1]), np.arange(len(situation.dice))
    has_bid = situation.quantity > 0
    on_face = (situation.latest_face == situation.face[:, np.newaxis]) & has_bid[:, np.newaxis]
    columns: list[NDArray[np.generic]] = [
        seats == situation.bidder[:, np.newaxis],
        bids.counted / 5,
        bids.p_standing,
        on_face,
        bids.best_own / 5,
        bids.p_raise,
        _raise_margin(bids.raise_margin),
        bids.p_next,
        bids.best_total / 10,
        bids.next_own / 5,
        bids.surplus / 3,
        bids.top[..., 0] / 5,
        bids.top[..., 1] / 5,
    ]
    total = situation.dice.sum(axis=1)
    margin = np.where(has_bid, bids.margin, 0)
    special = situation.rules.special_round
    single: list[NDArray[np.generic]] = [
        has_bid,
        situation.quantity / np.maximum(total, 1) * 2,
        situation.wilds,
        situation.bid_count / 8,
        _margin(margin),
        has_bid & (margin >= 0),
        has_bid & (margin == 0),
        _raise_margin(bids.best_margin),
        bids.best_margin >= 0,
        bids.top_total[:, 0] / np.maximum(total, 1) * 2,
        bids.top_total[:, 1] / np.maximum(total, 1) * 2,
        bids.raise_margin[rows, situation.turn] >= 0,
        situation.exempt[rows, situation.turn],
        (situation.special_seat >= 0) & (special is not None and special.face_locked),
    ]
    return columns, single


def _margin(margin: IntArray) -> Float64Array:
    clipped: Float64Array = np.clip(margin, -MAX_MARGIN, MAX_MARGIN) / 3
    return clipped


def _raise_margin(margin: IntArray) -> Float64Array:
    clipped: Float64Array = np.clip(margin, -MAX_MARGIN, MAX_RAISE_MARGIN) / 3
    return clipped


def _ordered_columns(situation: Situation, bids: _Bids) -> tuple[list[NDArray[np.generic]], list[NDArray[np.generic]]]:
    """Return the features of the faces in their order (`faces_in_order`), by seat and of the table."""
    slots = faces_in_order(situation)
    columns = [*in_face_order(situation.hands / 5, slots), *in_face_order(bids.p_faces, slots)]
    single = [*in_face_order(_raise_margin(bids.margins), slots), *((slots + 1) / FACES).T]
    return columns, single


def _judge_bids(situation: Situation) -> _Bids:
    rules, dice = situation.rules, situation.dice
    rows, seats = np.arange(len(dice)), dice.shape[1]
    own, counts = _counts(situation)
    faces = rules.dice.faces
    helps = situation.wilds[:, np.newaxis] & (np.arange(faces) != rules.dice.special_face - 1)
    others = (dice.sum(axis=1, keepdims=True) - dice)[..., np.newaxis]
    may_raise = situation.lowest > 0
    lacking = (situation.lowest[:, np.newaxis] - own).astype(np.float64)
    p_faces = p_at_least(faces, helps[:, np.newaxis], others, lacking)
    p_faces = np.where(may_raise[:, np.newaxis], p_faces, -1.0)
    favourite = (p_faces + own / 1000).argmax(axis=2)  # of equally likely raises, on the face that the seat holds
    margins = np.where(may_raise, counts - situation.lowest, -MAX_MARGIN)
    best = own.argmax(axis=2)
    best_own, best_total = own.max(axis=2), np.take_along_axis(counts, best, axis=1)
    p_face = np.where(np.take_along_axis(helps, best, axis=1), 2.0, 1.0) / faces
    top = np.argsort(-counts, axis=1, kind="stable")[:, :2]
    p_raise = np.maximum(np.take_along_axis(p_faces, favourite[..., np.newaxis], axis=2)[..., 0], 0)
    likely_raise = favourite[rows, situation.turn]
    p_next = np.maximum(p_faces[rows[:, np.newaxis], np.arange(seats), likely_raise[:, np.newaxis]], 0)
    face = np.maximum(situation.face, 0)
    counted = own[rows, :, face] * (situation.quantity > 0)[:, np.newaxis]
    needed = (situation.quantity[:, np.newaxis] - counted).astype(np.float64)
    p_standing = p_at_least(faces, helps[rows, face][:, np.newaxis], others[..., 0], needed)
    return _Bids(
        counted=counted,
        p_standing=p_standing,
        p_raise=p_raise,
        margin=counts[rows, face] - situation.quantity,
        raise_margin=np.take_along_axis(margins, favourite, axis=1),
        p_next=p_next,
        best_margin=margins.max(axis=1),
        best_own=best_own,
        best_total=best_total,
        next_own=np.take_along_axis(own[rows, situation.turn], best, axis=1),
        surplus=best_total - best_own - others[..., 0] * p_face,
        top=np.take_along_axis(own, top[:, np.newaxis], axis=2),
        top_total=np.take_along_axis(counts, top, axis=1),
        own=own,
        p_faces=p_faces,
        margins=margins,
    )


def _counts(situation: Situation) -> tuple[IntArray, IntArray]:
    """Return the dice of each seat that may count for each face, [row, seat, face], and all that do, [row, face]."""
    rules, hands = situation.rules, situation.hands
    special = rules.dice.special_face - 1
    helps = situation.wilds[:, np.newaxis] & (np.arange(hands.shape[2]) != special)
    own = hands + hands[..., special : special + 1] * helps[:, np.newaxis]
    held = hands.sum(axis=2)
    stairs = np.zeros_like(held, np.bool_)
    if rules.count.hand_bonus is HandBonus.STAIRS:
        stairs = (hands == (np.arange(hands.shape[2]) < held[..., np.newaxis])).all(axis=2) & (held > 0)
        own = np.where(stairs[..., np.newaxis], held[..., np.newaxis] + 1, own)
    counts = own.sum(axis=1)
    if rules.wilds.needs_natural:
        natural = np.where(stairs[..., np.newaxis], held[..., np.newaxis] + 1, hands).sum(axis=1)
        counts = np.where(helps & (hands.sum(axis=1) == 0), natural, counts)
    return own, counts
