"""Bids as the messages of a table hold them."""

import msgspec
import pytest
from msgspec import UNSET

from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.server.protocol.messages import bid_pair, places_of_pure_bids
from tests.bots.positions import position


def test_a_bid_is_a_quantity_and_a_face() -> None:
    assert bid_pair(Bid(5, 4)) == (5, 4)


@pytest.mark.parametrize("rules, places", [("chui-niu+zhai", (1,)), ("perudo", UNSET)])
def test_pure_bids_have_places_where_bids_can_be_pure(rules: str, places: object) -> None:
    bids = ((0, Bid(3, 4)), (1, Bid(4, 4, pure=rules != "perudo")))
    state = msgspec.structs.replace(position(preset(rules).ruleset, ((4, 4), (2, 2), (3, 3))), bids=bids)
    assert places_of_pure_bids(state) == places
