"""Network inputs: actions that are legal moves, probabilities that agree with the odds, and features by position."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.bots.neural.champion import decode_action
from liarsdice.bots.neural.features import (
    ACTION_COUNT,
    BID_ACTIONS,
    CHALLENGE,
    FEATURE_COUNT,
    QUANTITY_STEPS,
    encode,
    observe,
)
from liarsdice.bots.simple.bid_odds import BID_CREDIT, BidOdds
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.values.features import slot_faces
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
