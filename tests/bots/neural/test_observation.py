"""Observations: a view as arrays, relative to the acting seat."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.bots.neural.features import FLAGS, SEAT_SLOTS, faces_of_pure_bids, observe, with_hands
from liarsdice.core.actions import BidAndShow, RollAgain
from liarsdice.core.engine.engine import decide, evolve_all
from liarsdice.core.engine.view import view
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, simulated_preset_names
from liarsdice.values.features import FACE_SLOTS, slot_faces, special_slot
from tests.bots.positions import dealt_state

PERUDO = preset("perudo").ruleset
HANDS = ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6), (1, 4, 4, 5))


def test_seats_are_counted_from_the_acting_one_in_the_direction_of_play() -> None:
    shown = view(dealt_state(PERUDO, HANDS, (Bid(3, 6), Bid(4, 6))), 2)
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
    shown = view(dealt_state(PERUDO, HANDS, (Bid(3, 6),)), 1)
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
    observation = observe(view(dealt_state(PERUDO, HANDS, (Bid(3, 6),)), 1))
    exchanged = with_hands(observation, PERUDO, [(1, 1), (6, 6)])
    assert exchanged.hand.sum(axis=1).tolist() == [2, 2]
    assert exchanged.hand[0, slot_faces(PERUDO).index(1)] == 2
    assert (exchanged.legal_bids == observation.legal_bids).all()


def test_dice_of_more_faces_are_refused() -> None:
    rules = patched(preset("basic").ruleset, dice__faces=FACE_SLOTS + 1)
    with pytest.raises(UnavailableError, match="up to 6 faces, not 7"):
        observe(view(dealt_state(rules, ((1, 7), (2, 6))), 0))
