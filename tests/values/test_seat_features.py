"""The features of situations, and the order of faces in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from liarsdice.core.engine.state import Phase
from liarsdice.core.records.record import recorded_actions
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, simulated_preset_names
from liarsdice.play.match_runner import play_match
from liarsdice.values.features import (
    UNKNOWN_KIND,
    Situation,
    faces_in_order,
    feature_count,
    in_face_order,
    seat_features,
    situation_of_state,
)

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


def situations(rules: str, seats: int, **changes: object) -> list[tuple[Situation, bool]]:
    """Return the situations of a match, each with whether it is within a round."""
    ruleset = patched(preset(rules).ruleset, **changes)
    match = play_match(ruleset, ["inference", "random"] * (seats // 2) + ["novice"] * (seats % 2), seed=8)
    return [
        (situation_of_state(state), state.phase is Phase.BIDDING)
        for state, _, _ in recorded_actions(match.events)
        if state.phase in {Phase.BIDDING, Phase.DEAL}
    ]


@pytest.mark.parametrize("rules", simulated_preset_names())
def test_every_situation_has_finite_features(rules: str) -> None:
    for situation, in_round in situations(rules, preset(rules).ruleset.players.min):
        features = seat_features(situation, in_round=in_round)
        assert features.shape == (*situation.dice.shape, feature_count(in_round=in_round))
        assert np.isfinite(features).all()


def test_tables_of_many_seats_and_dice_with_many_faces_have_features() -> None:
    for situation, in_round in situations("perudo", 9) + situations("basic", 2, dice__faces=8):
        assert np.isfinite(seat_features(situation, in_round=in_round)).all()


def test_features_do_not_depend_on_where_the_table_begins_to_count() -> None:
    for unknown, in_round in situations("perudo", 4):
        situation = unknown._replace(players=np.array([[3, UNKNOWN_KIND, 0, 5]]))
        by_seat = ("dice", "had_special", "exempt", "exact_calls", "latest_face", "hands", "players")
        seats = ("turn", "bidder", "special_seat")
        changes: dict[str, Any] = {name: np.roll(getattr(situation, name), 1, axis=1) for name in by_seat}
        for name in seats:
            seat = getattr(situation, name)
            changes[name] = np.where(seat < 0, -1, (seat + 1) % 4)
        rotated = situation._replace(**changes)
        expected = np.roll(seat_features(situation, in_round=in_round), 1, axis=1)
        alive = rotated.dice > 0
        assert np.array_equal(seat_features(rotated, in_round=in_round)[alive], expected[alive])
