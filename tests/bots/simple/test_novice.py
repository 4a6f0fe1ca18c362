"""The novice: its estimate ignores wild dice, and it challenges everything above it."""

from __future__ import annotations

import pytest

from liarsdice.bots.simple.simple_bots import Novice
from liarsdice.core.actions import Challenge, PlayerAction
from liarsdice.core.engine.view import view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from tests.bots.positions import position

BASIC = preset("basic").ruleset
OFFICIAL = preset("official").ruleset


def test_it_opens_with_the_face_that_it_holds_most_of() -> None:
    assert Novice().act(view(position(BASIC, ((2, 4, 4), (1, 1, 1))), 0)) == Bid(1, 4)


@pytest.mark.parametrize("bid, move", [("1x5", Bid(2, 3)), ("2x5", Challenge())])
def test_it_challenges_a_bid_above_its_estimate(bid: str, move: PlayerAction) -> None:
    # It holds one five; of the other's three dice half a die is the average: 1.5.
    assert Novice().act(view(position(BASIC, ((5, 1, 1), (5, 3, 3)), bid), 1)) == move


def test_it_ignores_wild_dice() -> None:
    # With ones wild, two of the other's three dice would be enough; without, its estimate is 0.5.
    assert Novice().act(view(position(OFFICIAL, ((6, 1, 1), (1, 1, 3)), "2x6"), 1)) == Challenge()


def test_it_never_calls_out_of_turn() -> None:
    assert Novice().act(view(position(OFFICIAL, ((2, 3), (2, 3), (2, 3)), "6x6"), 2)) is None
