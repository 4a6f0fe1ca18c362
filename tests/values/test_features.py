"""The kinds of players."""

from typing import Any

import numpy as np
import pytest

from liarsdice.analysis.review.decisions import decisions_of
from liarsdice.bots.registry import bot_names, make_bot
from liarsdice.core.engine.engine import start
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import UnavailableError
from liarsdice.core.records.record import recorded_actions
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, simulated_preset_names
from liarsdice.core.rules.rule_costs import is_learned
from liarsdice.play.match_runner import play_match
from liarsdice.values.features import (
    PLAYER_KINDS,
    UNKNOWN_KIND,
    Situation,
    faces_in_order,
    feature_count,
    in_face_order,
    kind_number,
    p_at_least,
    rule_features,
    seat_features,
    situation_of_state,
)
from liarsdice.values.playouts import copies_of, knows_bids, situation_of_env


def test_every_built_in_bot_is_of_a_kind_and_every_kind_is_a_bot() -> None:
    assert all(kind_number(name) != UNKNOWN_KIND for name in bot_names())
    for number, kind in enumerate(PLAYER_KINDS):
        make_bot(kind.value)
        assert kind_number(kind.value) == number


@pytest.mark.parametrize("bot", ["network:mine.npz", "/home/ann/bot.py", ""])
def test_other_bots_are_of_no_kind(bot: str) -> None:
    assert kind_number(bot) == UNKNOWN_KIND


PERUDO = preset("perudo").ruleset


def test_rules_are_read_only_numbers() -> None:
    features = rule_features(PERUDO)
    assert ((features >= 0) & (features <= 1)).mean() > 0.9
    with pytest.raises(ValueError, match="read-only"):
        features[0] = 2


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


@pytest.mark.parametrize("rules", [name for name in simulated_preset_names() if is_learned(preset(name).ruleset)])
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


def test_it_is_binomial_and_linear_between_whole_numbers() -> None:
    plain, wild, between, certain = p_at_least(
        6, np.array([False, True, False, False]), np.array([2, 2, 2, 2]), np.array([1.0, 1.0, 1.5, -1.0])
    )
    assert plain == pytest.approx(11 / 36)
    assert wild == pytest.approx(20 / 36)
    assert between == pytest.approx((11 + 1) / 72)
    assert certain == 1


@pytest.mark.parametrize("rules", ["perudo", "classic", "snyd-stairs+loser-pays", "openspiel"])
def test_the_engine_and_the_simulator_give_the_same_situation(rules: str) -> None:
    match = play_match(preset(rules).ruleset, ["inference", "regular", "random"], seed=3)
    states = {state.bids: state for state, _, _ in recorded_actions(match.events) if state.phase is Phase.BIDDING}
    compared = 0
    for decision in decisions_of(match.events):
        shown = decision.view
        if not (shown.on_turn and knows_bids(shown, decision.round_dice, decision.move) and shown.bids in states):
            continue
        state = states[decision.view.bids]
        if state.round_number != decision.view.round_number:
            continue
        env = copies_of(decision.view, decision.round_dice, 1)
        for seat, hand in enumerate(state.hands):
            env.state.hands[0, seat] = [hand.count(face) for face in range(1, 7)]
        by_env, by_state = situation_of_env(env), situation_of_state(state)
        for name, left, right in zip(Situation._fields[1:], by_env[1:], by_state[1:], strict=True):
            if name != "round_number" and not (name == "exact_calls" and state.ruleset.exact_call is None):
                assert np.array_equal(left, right), (name, left, right)
        compared += 1
    assert compared > 1


def test_a_situation_between_rounds_has_no_hands_and_the_number_of_the_next_round() -> None:
    match = play_match(preset("perudo").ruleset, ["threshold", "threshold"], seed=3)
    waiting = [state for state, _, _ in recorded_actions(match.events) if state.phase is Phase.DEAL]
    situation = situation_of_state(waiting[1])
    assert not situation.hands.any()
    assert situation.round_number.tolist() == [2]
    assert situation.turn.tolist() == [waiting[1].starter]


def test_matches_for_lives_have_no_situation() -> None:
    with pytest.raises(UnavailableError, match="judged only where losses cost dice"):
        situation_of_state(start(preset("chui-niu+lives").ruleset, ("Ann", "Bo")))
