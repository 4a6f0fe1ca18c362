"""The order of faces in the features of state values."""

from __future__ import annotations

import numpy as np

from liarsdice.core.engine.state import Phase
from liarsdice.core.records.record import recorded_actions
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match
from liarsdice.state_value.face_order import faces_in_order, in_face_order
from liarsdice.state_value.situation import Situation, situation_of_state

HANDS = np.array([[[2, 0, 1, 0, 2, 0], [0, 0, 3, 1, 1, 0]]])
"""Two seats: 1 1 3 5 5 and 3 3 3 4 5."""


def opening(rules: str) -> Situation:
    """Return a situation after the first roll of two players, where seat 0 is on turn and holds `HANDS[0, 0]`."""
    events = play_match(preset(rules).ruleset, ["threshold"] * 2, seed=2).events
    state = next(state for state, _, _ in recorded_actions(events) if state.phase is Phase.BIDDING)
    return situation_of_state(state)._replace(hands=HANDS, turn=np.array([0]))


def test_faces_that_the_seat_on_turn_holds_most_of_come_first_and_wild_ones_last() -> None:
    assert faces_in_order(opening("perudo")).tolist() == [[4, 2, 3, 1, 5, 0]]


def test_the_face_of_the_standing_bid_comes_before_all_others() -> None:
    standing = opening("perudo")._replace(face=np.array([1]), quantity=np.array([2]))
    assert faces_in_order(standing).tolist() == [[1, 4, 2, 3, 5, 0]]
    on_wilds = opening("perudo")._replace(face=np.array([0]), quantity=np.array([2]))
    assert faces_in_order(on_wilds).tolist() == [[0, 4, 2, 3, 1, 5]]


def test_special_faces_that_are_not_wild_have_no_place_of_their_own() -> None:
    tame = opening("perudo")._replace(wilds=np.array([False]))
    assert faces_in_order(tame).tolist() == [[4, 0, 2, 3, 1, 5]]


def test_values_of_faces_come_in_the_order_of_the_slots() -> None:
    slots = np.array([[4, 2, 0, -1, -1, -1]])
    by_slot = in_face_order(HANDS, slots)
    assert [column.tolist() for column in by_slot] == [[[2, 1]], [[1, 3]], [[2, 0]], [[0, 0]], [[0, 0]], [[0, 0]]]
    totals = in_face_order(HANDS.sum(axis=1), slots)
    assert [column.tolist() for column in totals] == [[3], [4], [2], [0], [0], [0]]
