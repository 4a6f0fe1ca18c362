"""The features of seats that fitted values go by."""

from __future__ import annotations

import numpy as np

from liarsdice.analysis.fitted_values.fitted import (
    BIDDER,
    DIFFERENCE,
    HANDS,
    NEXT,
    ON_TURN,
    OPENS,
    ROOM,
    STAKES,
    features_between,
    features_in_round,
)
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Direction
from liarsdice.core.rules.presets import preset
from tests.bots.positions import dealt_state

LIVES = preset("chui-niu+lives").ruleset
HANDS_OF_TWO = ((2, 2, 2, 2, 3), (3, 4, 5, 6, 6))


def test_what_is_left_and_who_opens_is_known_between_rounds() -> None:
    features = features_between(LIVES, (3, 0, 1), 2, Direction.CLOCKWISE, 4)
    assert features[:, STAKES].tolist() == [np.log(3), 0.0, 0.0]
    assert features[0, DIFFERENCE] == -features[2, DIFFERENCE] > 0 == features[1, DIFFERENCE]
    assert features[:, OPENS].tolist() == [0.0, 0.0, 1.0]
    assert features[:, NEXT].tolist() == [1 / 3, 0.0, 0.0]


def test_lives_that_never_run_out_count_by_their_difference() -> None:
    bar = preset("bar-strict").ruleset
    early, late = (features_between(bar, (100, 98), 0, Direction.CLOCKWISE, number) for number in (0, 19))
    assert early[0, STAKES] == late[0, STAKES] == 0
    assert 0 < early[0, DIFFERENCE] < late[0, DIFFERENCE]


def test_a_bid_is_known_to_be_true_or_false() -> None:
    true, false = (features_in_round(dealt_state(LIVES, HANDS_OF_TWO, (Bid(q, 2),))) for q in (4, 6))
    assert np.flatnonzero(true[0, BIDDER : BIDDER + 5]).tolist() == [2]
    assert np.flatnonzero(false[0, BIDDER : BIDDER + 5]).tolist() == [0]
    assert np.flatnonzero(false[1, ON_TURN : ON_TURN + 5]).tolist() == [0]
    assert not true[:, HANDS].any()


def test_room_is_a_true_bid_that_is_legal() -> None:
    with_room, without = (features_in_round(dealt_state(LIVES, HANDS_OF_TWO, (bid,))) for bid in (Bid(2, 4), Bid(5, 6)))
    assert with_room[1, ROOM] > 0 == without[1, ROOM]


def test_alike_dice_stand_out_before_any_bid() -> None:
    features = features_in_round(dealt_state(LIVES, HANDS_OF_TWO))
    assert features[0, HANDS][0] > features[1, HANDS][0] > 0
