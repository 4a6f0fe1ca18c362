"""Raise rules in which bids can go round in a loop are found by a search of the relation."""

from __future__ import annotations

from itertools import pairwise

import pytest

from liarsdice.core.rules.bids import Bid, beats
from liarsdice.core.rules.choices import FromPure, FromSpecial, Raise, SpecialRank, ToPure, ToSpecial
from liarsdice.core.rules.parts import Bidding, Dice, RuleChoices
from liarsdice.core.rules.validate import raise_loop


@pytest.mark.parametrize("rule", [Raise.QUANTITY_FIRST, Raise.FACE_FIRST, Raise.PRODUCT, Raise.NO_DECREASE], ids=str)
def test_a_rule_that_orders_bids_has_no_loop(rule: Raise) -> None:
    assert raise_loop(Bidding(raise_=rule), Dice()) == ()


@pytest.mark.parametrize(
    "bidding",
    [
        Bidding(raise_=Raise.EITHER_INCREASES),
        Bidding(
            special_rank=SpecialRank.CONVERT,
            to_special=ToSpecial.CEIL_HALF,
            from_special=FromSpecial.DOUBLE,
            raise_=Raise.FACE_FIRST,
        ),
    ],
    ids=["either_increases", "conversion"],
)
def test_every_bid_of_a_loop_beats_the_one_before(bidding: Bidding) -> None:
    loop = raise_loop(bidding, Dice())
    rules = RuleChoices(bidding=bidding)
    assert len(loop) >= 3
    assert loop[0] == loop[-1]
    assert all(beats(rules, old, new) for old, new in pairwise(loop))


def test_a_loop_of_pure_bids_with_few_faces_is_found() -> None:
    bidding = Bidding(
        raise_=Raise.PRODUCT,
        special_rank=SpecialRank.NOT_BIDDABLE,
        to_pure=ToPure.SAME_QUANTITY,
        from_pure=FromPure.DOUBLE,
    )
    dice = Dice(faces=3, special_face=1)
    loop = raise_loop(bidding, dice)
    assert Bid(10, 2) in loop
    assert all(beats(RuleChoices(bidding=bidding, dice=dice), old, new) for old, new in pairwise(loop))
    assert loop[0] == loop[-1]
