"""Legal bids are a few ranges of each kind, which hold the same bids in the same order."""

import msgspec
from hypothesis import given

from liarsdice.core.bids.bid_chart import BidRange, bid_ranges, bids_in
from liarsdice.core.engine.legal import legal
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.ruleset import Ruleset
from tests.laws.random_matches import random_match
from tests.laws.random_rulesets import seeds, tables


@given(tables(), seeds)
def test_legal_bids_are_ranges_that_hold_the_same_bids_in_the_same_order(table: tuple[Ruleset, int], seed: int) -> None:
    for step in random_match(*table, seed, 40).steps:
        bids, kinds = legal(step.before).bids, step.before.bid_space.kinds
        ranges = bid_ranges(bids, kinds)
        assert bids_in(msgspec.json.decode(msgspec.json.encode(ranges), type=tuple[BidRange, ...])) == bids
        repeats = len(step.before.bids) if table[0].bidding.no_repeat else 0
        assert len(ranges) <= len(kinds) + repeats  # a raise is a range of quantities of each kind


def test_a_gap_divides_a_range_and_pure_bids_have_ranges_of_their_own() -> None:
    bids = (Bid(2, 4), Bid(2, 4, pure=True), Bid(3, 4), Bid(5, 4))
    ranges = bid_ranges(bids)
    assert msgspec.json.encode(ranges) == b"[[2,3,4,false],[5,5,4,false],[2,2,4,true]]"
    assert bids_in(ranges) == bids
