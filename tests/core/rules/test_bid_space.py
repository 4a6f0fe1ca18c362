"""Cached lists of bids are those that the relation gives."""

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.rules.bid_space import BidSpace, bid_space, may_open_on
from liarsdice.core.rules.bids import Bid, beats, face_order, may_be_pure
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
            Bid(quantity, face, pure)
            for quantity in (2, 3, 4)
            for face in face_order(rules)
            for pure in {False, may_be_pure(rules, face)}
            if may_open_on(rules, face, special_round=special_round)
        }


def test_a_bid_space_keeps_a_bounded_number_of_bids() -> None:
    """A player who raises ten times a second for an hour would else fill the memory of a server."""
    bids = BidSpace(preset("perudo").ruleset)
    tracemalloc.start()
    try:
        for top in range(70, 50, -1):
            for old in bids.all_bids(1, 50):
                bids.higher_bids(old, top)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2_000_000


def test_the_lists_of_a_bid_space_share_their_bids() -> None:
    bids = BidSpace(preset("perudo").ruleset)
    lists = [bids.higher_bids(old, top) for top in (10, 30, 20) for old in bids.all_bids(1, 9)]
    lists += [bids.opening_bids(1, top, special_round=False) for top in (10, 30)]
    assert len({id(bid) for listed in lists for bid in listed}) == len({bid for listed in lists for bid in listed})


def test_equal_rulesets_share_their_bid_space() -> None:
    first, second = (bid_space(preset(name).ruleset) for name in ("s000", "chart"))
    assert first is second
    assert first == BidSpace(preset("chart").ruleset)
    assert first != bid_space(preset("basic").ruleset)
    assert repr(first).startswith("bid_space(Ruleset(")
