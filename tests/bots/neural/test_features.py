"""Network inputs: actions that are legal moves, probabilities that agree with the odds, and features by position."""

import numpy as np
import pytest

from liarsdice.bots.neural.champion import decode_action
from liarsdice.bots.neural.features import (
    ACTION_COUNT,
    BID_ACTIONS,
    CHALLENGE,
    FEATURE_COUNT,
    FLAGS,
    QUANTITY_STEPS,
    SEAT_SLOTS,
    encode,
    faces_of_pure_bids,
    observe,
    with_hands,
)
from liarsdice.bots.simple.bid_odds import BID_CREDIT, BidOdds
from liarsdice.core.actions import BidAndShow, RollAgain
from liarsdice.core.engine.engine import decide, evolve_all
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, simulated_preset_names
from liarsdice.values.features import FACE_SLOTS, slot_faces, special_slot
from tests.bots.positions import dealt_state

HANDS = ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6), (1, 4, 4, 5, 6))
BIDS = ((), (Bid(3, 6),), (Bid(3, 6), Bid(4, 6)), (Bid(2, 2), Bid(5, 5)))


def views(name: str) -> list[View]:
    """Return the views of the seat on turn after each row of `BIDS`."""
    states = [dealt_state(preset(name).ruleset, HANDS, bids) for bids in BIDS]
    return [view(state, state.turn) for state in states]


@pytest.mark.parametrize("name", ["perudo", "classic", "mustache"])
def test_every_legal_action_is_a_legal_move(name: str) -> None:
    for shown in views(name):
        inputs = encode(observe(shown))
        assert inputs.features.shape == (1, FEATURE_COUNT)
        assert inputs.action_mask.shape == (1, ACTION_COUNT)
        moves = [decode_action(shown, inputs, action) for action in np.flatnonzero(inputs.action_mask[0]).tolist()]
        assert set(moves) <= set(shown.moves)
        assert len(set(moves)) == len(moves)
        assert inputs.action_mask[0, CHALLENGE] == shown.may_challenge


@pytest.mark.parametrize("name", ["perudo", "classic", "mustache"])
def test_the_probabilities_of_bids_are_those_of_the_inference_bot(name: str) -> None:
    for shown in views(name):
        inputs, odds = encode(observe(shown)), BidOdds(shown, BID_CREDIT)
        for action in np.flatnonzero(inputs.action_mask[0, :BID_ACTIONS]).tolist():
            slot, step = divmod(action, QUANTITY_STEPS)
            bid = Bid(int(inputs.quantities[0, slot, step]), slot_faces(shown.ruleset)[slot])
            p_true = odds.p_bid(bid)
            if p_true:  # the network's tables credit impossible bids too
                assert inputs.p_true[0, action] == pytest.approx(p_true, abs=1e-5)


def test_features_do_not_depend_on_hidden_dice() -> None:
    other_hands = (HANDS[0], (5, 5, 5, 5, 5), HANDS[2])
    rules = preset("perudo").ruleset
    original, changed = (
        encode(observe(view(dealt_state(rules, hands, (Bid(3, 6), Bid(4, 6))), 2))) for hands in (HANDS, other_hands)
    )
    assert (original.features == changed.features).all()


PERUDO = preset("perudo").ruleset
OBSERVATION_HANDS = ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6), (1, 4, 4, 5))


def test_seats_are_counted_from_the_acting_one_in_the_direction_of_play() -> None:
    shown = view(dealt_state(PERUDO, OBSERVATION_HANDS, (Bid(3, 6), Bid(4, 6))), 2)
    observation = observe(shown)
    ahead = [(2 + step * shown.direction.step) % 3 for step in range(3)]
    assert observation.dice[0, :3].tolist() == [shown.dice[seat] for seat in ahead]
    assert observation.dice.shape == (1, SEAT_SLOTS)
    bids = dict(shown.bids)
    assert observation.latest_bid[0, :3, 0].tolist() == [bids[seat].quantity if seat in bids else 0 for seat in ahead]
    assert observation.bidder[0] == ahead.index(1)


@pytest.mark.parametrize("name", simulated_preset_names())
def test_slots_hold_every_face_once_and_know_the_special_one(name: str) -> None:
    rules = preset(name).ruleset
    assert sorted(slot_faces(rules)) == list(range(1, rules.dice.faces + 1))
    assert slot_faces(rules)[special_slot(rules)] == rules.dice.special_face


def test_hand_bids_and_flags_are_those_of_the_view() -> None:
    shown = view(dealt_state(PERUDO, OBSERVATION_HANDS, (Bid(3, 6),)), 1)
    observation, faces = observe(shown), slot_faces(PERUDO)
    assert observation.hand[0].tolist() == [shown.hand.count(face) for face in faces]
    legal = {Bid(int(row) + 1, faces[slot]) for row, slot in np.argwhere(observation.legal_bids[0])}
    assert legal == set(shown.may_bid)
    assert observation.flags.shape == (1, len(FLAGS))
    assert observation.flags[0, FLAGS.index("may_challenge")] == shown.may_challenge


def test_each_face_has_bids_of_the_kind_that_is_more_probably_true() -> None:
    rules = preset("chui-niu+fei").ruleset
    shown = view(dealt_state(rules, ((2, 2, 4, 5, 6), (3, 3, 3, 2, 2)), (Bid(4, 5),)), 1)
    assert {Bid(4, 3, pure=True), Bid(5, 3), Bid(4, 6, pure=True), Bid(4, 6)} <= set(shown.may_bid)
    observation = observe(shown)
    three, six = slot_faces(rules).index(3), slot_faces(rules).index(6)
    assert 3 in faces_of_pure_bids(shown)
    assert 6 not in faces_of_pure_bids(shown)
    assert observation.legal_bids[0, 4 - 1, [three, six]].all()
    assert observation.wilds_after[0, [three, six]].tolist() == [False, True]


def test_a_pure_bid_is_followed_by_pure_bids_where_wild_dice_never_come_back() -> None:
    shown = view(
        dealt_state(preset("chui-niu+zhai").ruleset, ((2, 2, 4, 5, 6), (3, 3, 3, 2, 2)), (Bid(3, 4, pure=True),)), 1
    )
    observation, order = observe(shown), slot_faces(shown.ruleset)
    legal = {
        Bid(int(row) + 1, order[slot], pure=order[slot] != 1) for row, slot in np.argwhere(observation.legal_bids[0])
    }
    assert legal == set(shown.may_bid)
    assert not observation.wilds_after.any()
    assert not observation.wilds_count.any()


def test_dice_of_others_in_the_open_are_known() -> None:
    rules = preset("bluff+show-dice").ruleset
    state = dealt_state(rules, ((4, 4, 2, 5, 6), (3, 3, 1, 2, 5)))
    state = evolve_all(state, decide(state, 0, BidAndShow(Bid(3, 4), (4, 4))))
    state = evolve_all(state, decide(state, None, RollAgain((2, 3, 3))))
    observation, order = observe(view(state, 1)), slot_faces(rules)
    assert observation.dice[0, :2].tolist() == [5, 3]
    assert observation.hand[0].tolist() == [(3, 3, 1, 2, 5, 4, 4).count(face) for face in order]


def test_hands_can_be_exchanged_row_by_row() -> None:
    observation = observe(view(dealt_state(PERUDO, OBSERVATION_HANDS, (Bid(3, 6),)), 1))
    exchanged = with_hands(observation, PERUDO, [(1, 1), (6, 6)])
    assert exchanged.hand.sum(axis=1).tolist() == [2, 2]
    assert exchanged.hand[0, slot_faces(PERUDO).index(1)] == 2
    assert (exchanged.legal_bids == observation.legal_bids).all()


def test_dice_of_more_faces_are_refused() -> None:
    rules = patched(preset("basic").ruleset, dice__faces=FACE_SLOTS + 1)
    with pytest.raises(UnavailableError, match="up to 6 faces, not 7"):
        observe(view(dealt_state(rules, ((1, 7), (2, 6))), 0))
