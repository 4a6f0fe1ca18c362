"""Bids as the messages of a table hold them."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from liarsdice.core.engine.state import State
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.meaning import has_pure_bids

BidPair = tuple[int, int]
"""A bid as (quantity, face)."""


def bid_pair(bid: Bid) -> BidPair:
    """Return a bid as (quantity, face)."""
    return bid.quantity, bid.face


def places_of_pure_bids(state: State) -> tuple[int, ...] | UnsetType:
    """Return the places of the pure bids among those of the round; unset where no bid can be pure."""
    if not has_pure_bids(state.ruleset):
        return UNSET
    return tuple(place for place, (_, bid) in enumerate(state.bids) if bid.pure)
