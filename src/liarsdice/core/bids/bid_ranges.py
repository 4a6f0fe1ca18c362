"""Bids as ranges of quantities: a few numbers for each face, however many bids there are."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter

import msgspec

from liarsdice.core.rules.bids import Bid


class BidRange(msgspec.Struct, frozen=True, array_like=True):
    """The bids on a face with each quantity from `lowest` to `highest`; all of them are pure, or none is."""

    lowest: int
    highest: int
    face: int
    pure: bool


def bid_ranges(bids: Iterable[Bid], kinds: Iterable[tuple[int, bool]] = ()) -> tuple[BidRange, ...]:
    """Return bids as ranges; those of each kind of bid come with the lowest quantity first.

    `kinds`: the order of the ranges, by face and whether bids are pure; by default that of the first bids.

    >>> [*map(str, bids_in(bid_ranges([Bid(1, 4), Bid(2, 3), Bid(2, 4), Bid(4, 3)], [(3, False), (4, False)])))]
    ['1x4', '2x3', '2x4', '4x3']
    """
    runs: dict[tuple[int, bool], list[list[int]]] = {kind: [] for kind in kinds}
    for bid in bids:
        of_kind = runs.setdefault((bid.face, bid.pure), [])
        if of_kind and of_kind[-1][1] == bid.quantity - 1:
            of_kind[-1][1] = bid.quantity
        else:
            of_kind.append([bid.quantity, bid.quantity])
    return tuple(BidRange(run[0], run[1], face, pure) for (face, pure), of_kind in runs.items() for run in of_kind)


def bids_in(ranges: Iterable[BidRange]) -> tuple[Bid, ...]:
    """Return the bids in ranges, lowest quantity first, and bids of one quantity in the order of the ranges."""
    bids = [Bid(quantity, r.face, r.pure) for r in ranges for quantity in range(r.lowest, r.highest + 1)]
    return tuple(sorted(bids, key=attrgetter("quantity")))
