"""Cached lists of bids are those that the relation gives."""

from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.rules.bid_limits import may_open_on
from liarsdice.core.rules.bid_space import BidSpace, bid_space
from liarsdice.core.rules.bids import Bid, beats, face_order
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from tests.laws.random_rulesets import rulesets


@given(rulesets(), st.lists(st.integers(1, 9), min_size=2, max_size=5))
def test_higher_bids_are_those_that_beat_a_bid_whatever_was_asked_before(rules: Ruleset, tops: list[int]) -> None:
    bids = BidSpace(rules)
    old = Bid(2, face_order(rules)[0])
    for top in tops:
        assert bids.higher_bids(old, top) == tuple(bid for bid in bids.all_bids(1, top) if beats(rules, old, bid))


@given(rulesets())
def test_opening_bids_are_in_the_range_and_on_faces_that_may_open(rules: Ruleset) -> None:
    for special_round in (False, True):
        opening = bid_space(rules).opening_bids(2, 4, special_round=special_round)
        assert set(opening) == {
            Bid(quantity, face)
            for quantity in (2, 3, 4)
            for face in face_order(rules)
            if may_open_on(rules, face, special_round=special_round)
        }


def test_equal_rulesets_share_their_bid_space() -> None:
    first, second = (bid_space(preset(name).ruleset) for name in ("s000", "chart"))
    assert first is second
    assert first == BidSpace(preset("chart").ruleset)
    assert first != bid_space(preset("basic").ruleset)
    assert repr(first).startswith("bid_space(Ruleset(")
