"""Schema of the simulator's arrays: names for the places in them, and the tuples that kernels take and return.

Import the module as a namespace (`from liarsdice.sim import array_schema as schema`), so that `schema.TURN` says where
an index comes from. Seats and rounds are numbered as in the engine, faces from 0. -1 means "none": no limit, bid or
seat. A *place* is a position in the order of the faces that may be bid. A *bid id* is `(quantity - 1) * places + place`
for that many `places`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Int32Array = NDArray[np.int32]

CHALLENGE, EXACT, CLOCKWISE, ANTICLOCKWISE, FIRST_BID = range(5)
"""Action ids: two calls, two directions, and from `FIRST_BID` on the bids (`FIRST_BID` + bid id)."""
NO_ACTION = -1
"""In place of an action id: this match is left unchanged."""

RULE_FIELDS = 42
SPECIAL_FACE, FIXED_CAP, MIN_OPEN, MAX_OPEN, NO_REPEAT, FACE_LOCKED, LOCK_EXEMPT, MAX_BIDS = range(8)
MAX_ROUNDS, NEEDS_NATURAL, STAIRS_BONUS, ANYONE_MAY_CHALLENGE, LOSS_BY_DIFFERENCE, FIXED_LOSS = range(8, 14)
LOSS_ON_EXACT_COUNT, OUT_OF_TURN_FACTOR, ALL_BUT_BIDDER_LOSE, LOST_DICE_TO_OPPONENT = range(14, 18)
NEXT_STARTER, STARTER_IF_ELIMINATED, HAS_EXACT_CALL, ANYONE_MAY_CALL_EXACT, EXACT_GAIN = range(18, 23)
EXACT_GAIN_CAP, EXACT_FORBIDDEN_AT_CAP, EXACT_FAILURE_LOSS, EXACT_BIDDER_LOSS = range(23, 27)
EXACT_OTHERS_LOSS, EXACT_MIN_PLAYERS, EXACT_IN_SPECIAL_ROUND, EXACT_NEXT_STARTER = range(27, 31)
EXACT_STARTER_IF_ELIMINATED, EXACT_BUDGET, HAS_SPECIAL_ROUND, SPECIAL_ONCE_PER_PLAYER = range(31, 35)
SPECIAL_MIN_PLAYERS, REVERSAL_ROUNDS, START_STEP, REVERSAL_PERSISTS, BIDS_ARE_ORDERED = range(35, 40)
NEXT_MAY_NOT_CALL_EXACT, SHED_BY = 40, 41
"""Indices into `RuleArrays.params`. Most are fields of `Ruleset` under nearly the same name.

`FIXED_CAP`: the highest quantity, -1 if it depends on the dice in play. `MIN_OPEN`: the lowest opening quantity, -1 if
it is the number of players, -2 and -3 if it is one or two more, -4 (`HALF_MORE_THAN_PLAYERS`) if it is one and a half
times as many. `START_STEP`: +1 for clockwise, -1 for anticlockwise.
`REVERSAL_ROUNDS`: up to which round the starter may choose the direction.
`BIDS_ARE_ORDERED`: whether each bid beats exactly the bids with a lower id.
"""

HALF_MORE_THAN_PLAYERS = -4
"""A value of `MIN_OPEN`."""
NOBODY_SHEDS, WINNER_SHEDS, ALL_BUT_LOSER_SHED = -1, 0, 1
"""Values of `SHED_BY`, in the order of `core.rules.choices.ShedBy`; -1 where losers lose dice."""
LOSER, WINNER, CALLER, BIDDER, AFTER_LOSER, ROTATE = range(6)
"""Values of `NEXT_STARTER` and `EXACT_NEXT_STARTER`, in the order of `core.rules.choices.NextStarter`."""
NEXT_IN_TURN, OPPONENT, PREVIOUS, FEWEST_DICE = range(4)
"""Values of `STARTER_IF_ELIMINATED` and `EXACT_STARTER_IF_ELIMINATED`, in the order of `IfEliminated`."""

MATCH_FIELDS = 26
PHASE, ROUND, STEP, DIRECTION_CHOSEN, STARTER, TURN, HIGHEST_QUANTITY, STANDING_BID, STANDING_BIDDER = range(9)
BID_COUNT, WILDS_COUNT, SPECIAL_SEAT, ALIVE_COUNT, END_REASON = range(9, 14)
CALL, CALL_SEAT, CALL_BID, CALL_BIDDER, CALL_COUNT, CALL_LOSER = range(14, 20)
ACTION_COUNT, ROUND_ACTION_COUNT, CALL_SPECIAL_SEAT, CALL_WILDS_COUNT, CALL_STARTER, CALL_OUT_OF_TURN = range(20, 26)
"""Indices into `BatchState.matches[match]`.

`STEP`: +1 or -1, the direction of play. `STANDING_BID`: a bid id. `WILDS_COUNT`: 1 if the special face is wild now.
`SPECIAL_SEAT`: whose special round it is. The fields that begin with `CALL` describe the latest call: the action id,
who made it, on which bid of whom, how many dice counted, who lost, and of its round the special seat, whether wilds
counted, the starter, and whether the call was made out of turn.
"""
DEAL, BIDDING, OVER = range(3)
"""Values of `PHASE`: waits for a deal, waits for a player, has ended."""
LAST_PLAYER, ROUND_LIMIT = 1, 2
"""Values of `END_REASON`; 0 before the end."""

SEAT_FIELDS = 9
DICE, EXACT_CALLS, HAD_SPECIAL, EXEMPT, LATEST_BID, PREVIOUS_BID, DICE_CHANGE, OUT_ROUND, WON = range(SEAT_FIELDS)
"""Indices into `BatchState.seats[match, seat]`.

`LATEST_BID`, `PREVIOUS_BID`: the seat's last two bid ids of this round. `DICE_CHANGE`: dice won (or lost, negative) by
the latest call. `OUT_ROUND`: the round in which the seat lost its last die.
"""

UNIFORM, THRESHOLD, EXTERNAL = range(3)
"""Kinds of policies in `PolicyArrays.kinds`: two that run in the kernels, and one whose actions come from outside."""


class RuleArrays(NamedTuple):
    """A ruleset for a number of seats. `place` is the position of a face in `faces`, the order of the biddable faces.

    `params`: int64 [rule field]. `raises`: int32 [bid id, bound, place], the lowest (bound 0) and the highest (bound 1)
    quantity of a face that beats a bid; lowest > highest where none does. `opens`: int32 [special round, place], 1 if a
    round may open with that face. `wild_at_start`: int32 [special round], 1 if the special face is wild. `wild_after`:
    int32 [is opening bid, place], 1 if it stays wild after a bid on that face. `faces`: int32 [place], the face at each
    place. `cap_per_dice`: int32 [dice], what a hand of that size adds to the highest quantity. `start_dice`: int32
    [seat].
    """

    params: NDArray[np.int64]
    raises: Int32Array
    opens: Int32Array
    wild_at_start: Int32Array
    wild_after: Int32Array
    faces: Int32Array
    cap_per_dice: Int32Array
    start_dice: Int32Array


class BatchState(NamedTuple):
    """The state of many matches under one ruleset.

    `matches`: int32 [match, match field]. `seats`: int32 [match, seat, seat field]. `hands`: int32 [match, seat, face],
    how many dice show a face. `bid_ranges`: int32 [match, bound, place], the lowest (bound 0) and the highest (bound 1)
    quantity of a face that the seat on turn may bid; see `RuleArrays` for `place`. `bid_history`: int32 [match, bid of
    the round, 0 or 1], the seat (0) and the bid id (1). `rng`: uint64 [match], the state of each match's own random
    number generator.
    """

    matches: Int32Array
    seats: Int32Array
    hands: Int32Array
    bid_ranges: Int32Array
    bid_history: Int32Array
    rng: NDArray[np.uint64]


class OddsTables(NamedTuple):
    """Probabilities of bids for threshold policies.

    The other players' dice select the row `rows[sum of hand_codes[dice]]`. `p_at_least`: float64 [row, face kind,
    needed], the probability that they hold at least `needed` matching dice. `p_without_natural`: float64 [row, wilds
    held, quantity], for a hand without a natural die where the rules ask for one. `face_kinds`: int32 [place, wilds
    count]. `hand_codes`: int64 [dice]. `rows`: int32 [sum of codes].
    """

    hand_codes: NDArray[np.int64]
    rows: Int32Array
    p_at_least: NDArray[np.float64]
    p_without_natural: NDArray[np.float64]
    face_kinds: Int32Array


class PolicyArrays(NamedTuple):
    """The policy of each seat: `kinds` int32 [seat]; `thresholds` (0..1) and `credits` (dice) float64 [seat]."""

    kinds: Int32Array
    thresholds: NDArray[np.float64]
    credits: NDArray[np.float64]
    odds: OddsTables


class OrderedBids(NamedTuple):
    """Rounds of random play under rules whose bids are totally ordered: each bid beats all with a lower id.

    `places`: faces that may be bid. `max_quantity`: the highest quantity. `dice`: dice on the table. `face_count`:
    sides of a die. `wild_face`: the face that counts as every other; `face_count` if none does. `faces`: int32 [place].
    `outcomes`: int16 [player, count - quantity + max_quantity, 4 + seats] of a challenge, for the bidder who sits that
    many players after the starter: next starter, special seat, loser, caller, then the dice of each seat.
    """

    places: int
    max_quantity: int
    dice: int
    face_count: int
    wild_face: int
    faces: Int32Array
    outcomes: NDArray[np.int16]


class RoundArrays(NamedTuple):
    """Results of rounds, int16 [round] (`dice`: int16 [round, seat]); fields as in `rollouts.RoundResults`."""

    dice: NDArray[np.int16]
    starter: NDArray[np.int16]
    special: NDArray[np.int16]
    loser: NDArray[np.int16]
    caller: NDArray[np.int16]
    actions: NDArray[np.int16]
