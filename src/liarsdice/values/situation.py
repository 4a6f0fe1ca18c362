"""Situations: states of matches with all dice, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.core.engine.legal import legal_bids
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.rules.rule_costs import require_simulated
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.values.player_kinds import UNKNOWN_KIND

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


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

    Raises `UnavailableError` under rules that are not simulated.
    """
    require_simulated(state.ruleset, "matches are judged")
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
