"""What the simulator's kernels read and write: names for the places in its arrays, and the arrays in bundles.

Seats, rounds and dice are counted as in the engine, faces from 0. -1 says that there is none: no limit, bid or seat.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

CHALLENGE, EXACT, CLOCKWISE, ANTICLOCKWISE, FIRST_BID = range(5)
"""Numbers of actions: two calls, two directions, and from `FIRST_BID` on the bids."""
SILENT = -1
"""In place of an action: this match stays as it is."""

RULE_NUMBERS = 40
SPECIAL_FACE, FIXED_CAP, LEAST_OPEN, MOST_OPEN, NO_REPEAT, FACE_LOCKED, LOCK_EXEMPT, MOST_BIDS = range(8)
MOST_ROUNDS, NEEDS_NATURAL, STAIRS, ANYONE_CHALLENGES, BY_DIFFERENCE, LOSS, LOSS_EXACT = range(8, 15)
LATE_FACTOR, ALL_BUT_BIDDER, TO_OPPONENT, STARTS, STARTS_INSTEAD, HAS_EXACT, ANYONE_EXACT = range(15, 22)
GAIN, GAIN_LIMIT, FULL_FORBIDDEN, FAILURE_LOSS, BIDDER_LOSS, OTHERS_LOSS, EXACT_PLAYERS = range(22, 29)
EXACT_IN_SPECIAL, EXACT_STARTS, EXACT_INSTEAD, BUDGET, HAS_SPECIAL, ONCE, SPECIAL_PLAYERS = range(29, 36)
MAY_REVERSE, DIRECTION, PERSISTS, IN_LINE = range(36, 40)
"""`FIXED_CAP` is -1 where hands decide, `LEAST_OPEN` where players do. `DIRECTION` is +1 or -1. `IN_LINE`: whether each
bid of the menu beats all before it, and no other."""

LOSER, WINNER, CALLER, BIDDER, AFTER_LOSER, ROTATE = range(6)
"""`STARTS` and `EXACT_STARTS`, by the order of `NextStarter`."""
NEXT_IN_TURN, OPPONENT, PREVIOUS = range(3)
"""`STARTS_INSTEAD` and `EXACT_INSTEAD`, by the order of `IfEliminated`."""

NOW_NUMBERS = 26
PHASE, ROUND, STEP, CHOSEN, STARTER, TURN, TOP, STANDING, STOOD_BY, BIDS, WILD, SPECIAL = range(12)
ALIVE, ENDED_BY, CALLED, CALLED_BY, CALLED_BID, CALLED_BIDDER, COUNTED, LOST_BY = range(12, 20)
ACTIONS, ROUND_ACTIONS, WAS_SPECIAL, WAS_WILD, STARTED_BY, LATE = range(20, 26)
"""Of a match: `STEP` is +1 or -1, the direction; `STANDING` a bid and `STOOD_BY` its bidder; `SPECIAL` whose round.

From `CALLED` on it is about the latest call: which action, by whom, upon which bid of whom, how many dice counted, who
lost it, in whose special round, whether wild ones were wild, who had started, and whether it was out of turn.
"""
DEAL, BIDDING, OVER = range(3)
"""`PHASE`: what a match waits for."""
LAST_PLAYER, ROUNDS_OVER = 1, 2
"""`ENDED_BY`; 0 while a match goes on."""

SEAT_NUMBERS = 9
DICE, EXACT_CALLS, HAD_SPECIAL, EXEMPT, LATEST, BEFORE, CHANGE, OUT_IN, WON = range(SEAT_NUMBERS)
"""Of a seat: its latest bid of the round and the one before, what the latest call did to its dice, its last round."""

UNIFORM, THRESHOLD, ASKED = range(3)
"""Kinds of minds: two that play compiled, and one that is asked from outside."""

Ints = NDArray[np.int32]


class RuleArrays(NamedTuple):
    """A ruleset for so many seats.

    `numbers`: int64, by the names above. `raises[bid, 0 or 1, place]`: the fewest and the most dice of a face that beat
    a bid, more than any cap where none do. `opens[special round, place]`: whether a round may open there.
    `wild_at_start[special round]`, `wild_after[opening bid, place]`: whether the special face is wild, and stays so.
    `faces[place]`: the face at each place of the order of faces. `tops[dice]`: how much a hand adds to the cap.
    `starting[seat]`: dice at the start of a match.
    """

    numbers: NDArray[np.int64]
    raises: Ints
    opens: Ints
    wild_at_start: Ints
    wild_after: Ints
    faces: Ints
    tops: Ints
    starting: Ints


class TableArrays(NamedTuple):
    """Matches side by side.

    `now[match, number]`, `seats[match, seat, number]` by the names above; `hands[match, seat, face]`: how many dice
    show a face; `open[match, 0 or 1, place]`: the fewest and the most dice of a face that the seat on turn may bid;
    `history[match, bid of the round, 0 or 1]`: seat and bid; `chance[match]` (uint64): where its dice come from.
    """

    now: Ints
    seats: Ints
    hands: Ints
    open: Ints
    history: Ints
    chance: NDArray[np.uint64]


class Chances(NamedTuple):
    """How likely bids are, for minds that ask.

    A set of other players' dice has the row `rows[sum of codes[dice]]`. `sure[row, kind, needed]`: the chance to find
    so many dice among theirs; `bare[row, wild ones held, quantity]` for a hand with no natural one where one is needed.
    `kinds[place, wild]`: which kind of face it is.
    """

    codes: NDArray[np.int64]
    rows: Ints
    sure: NDArray[np.float64]
    bare: NDArray[np.float64]
    kinds: Ints


class Minds(NamedTuple):
    """Who decides in each seat: `kinds[seat]`, and its parameters `t[seat]` and `credit[seat]`."""

    kinds: Ints
    t: NDArray[np.float64]
    credit: NDArray[np.float64]
    chances: Chances


class Line(NamedTuple):
    """Rounds of random play under rules by which bids stand in one line: each beats all before it.

    `order[place]`: the face at each place; `wild`: the face that counts as every other, one that no die has where none
    does. `outcomes[player, count - quantity + top]` for the bidder that many players after the starter: who opens next,
    whose special round it is, who lost, who called, and the dice by seat.
    """

    places: int
    top: int
    dice: int
    faces: int
    wild: int
    order: Ints
    outcomes: NDArray[np.int16]


class Found(NamedTuple):
    """What came of rounds, by round: see `simulate.Rounds`."""

    dice: NDArray[np.int16]
    starter: NDArray[np.int16]
    special: NDArray[np.int16]
    loser: NDArray[np.int16]
    caller: NDArray[np.int16]
    actions: NDArray[np.int16]
