"""The bids of a ruleset, cached: all bids, those that may open a round, and those that beat a given bid."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from operator import attrgetter

from liarsdice.core.rules.bid_limits import may_open_on
from liarsdice.core.rules.bids import Bid, face_order, may_be_pure, raise_relation
from liarsdice.core.rules.ruleset import Ruleset

MAX_CACHED_BIDS, MAX_CACHED_PLACES = 12_000, 50_000
"""How many bids a bid space keeps, and how many places its lists of them have together; beyond that, it begins anew.

This bounds it to about a megabyte, however long somebody plays by rules with thousands of bids.
"""


class BidSpace:
    """All bids of one ruleset, by the highest quantity allowed and the bid to beat.

    `faces` are the faces that may be bid, lowest rank first, and `kinds` the same with whether a bid is pure; pure ones
    come last. Two bid spaces are equal if their rulesets are.
    """

    __slots__ = ("_bids", "_higher", "_opening", "_place_count", "faces", "kinds", "ruleset")

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.faces = face_order(ruleset)
        pure_faces = [face for face in self.faces if may_be_pure(ruleset, face)]
        self.kinds = (*((face, False) for face in self.faces), *((face, True) for face in pure_faces))
        self._higher: dict[Bid, tuple[int, tuple[Bid, ...]]] = {}
        self._opening: dict[tuple[int, int, bool], tuple[Bid, ...]] = {}
        self._bids: tuple[Bid, ...] = ()
        self._place_count = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BidSpace) and self.ruleset == other.ruleset

    def __hash__(self) -> int:
        return hash(self.ruleset)

    def __repr__(self) -> str:
        return f"bid_space({self.ruleset!r})"

    def higher_bids(self, old: Bid, max_quantity: int) -> tuple[Bid, ...]:
        """Return the bids that beat `old`, with quantities up to `max_quantity`, lowest quantity first.

        Only the longest list is cached; it is cut if there are fewer dice by now.
        """
        longest, bids = self._higher.get(old, (-1, ()))
        if longest == max_quantity:
            return bids
        if longest > max_quantity:
            return bids[: bisect_right(bids, max_quantity, key=attrgetter("quantity"))]
        beats = raise_relation(self.ruleset)
        bids = tuple(bid for bid in self._bids_up_to(max_quantity) if beats(old, bid))
        self._make_room(len(bids))
        self._higher[old] = max_quantity, bids
        return bids

    def _make_room(self, count: int) -> None:
        """Forget all lists if there are too many places in them together with `count` more."""
        if self._place_count + count > MAX_CACHED_PLACES:
            self._higher.clear()
            self._opening.clear()
            self._place_count = 0
        self._place_count += count

    def _bids_up_to(self, max_quantity: int) -> tuple[Bid, ...]:
        """Return all bids up to a quantity, as objects that all lists share."""
        count = max_quantity * len(self.kinds)
        if count > MAX_CACHED_BIDS:
            return self.all_bids(1, max_quantity)
        if count > len(self._bids):
            self._bids += self.all_bids(len(self._bids) // len(self.kinds) + 1, max_quantity)
        return self._bids[:count]

    def opening_bids(self, min_quantity: int, max_quantity: int, *, special_round: bool) -> tuple[Bid, ...]:
        """Return the bids in a range of quantities that may open a round, lowest quantity first."""
        bids = self._opening.get((min_quantity, max_quantity, special_round))
        if bids is None:
            bids = tuple(
                bid
                for bid in self._bids_up_to(max_quantity)
                if bid.quantity >= min_quantity and may_open_on(self.ruleset, bid.face, special_round=special_round)
            )
            self._make_room(len(bids))
            self._opening[min_quantity, max_quantity, special_round] = bids
        return bids

    def all_bids(self, min_quantity: int, max_quantity: int) -> tuple[Bid, ...]:
        """Return every bid in a range of quantities, by quantity and then by its place in `kinds`."""
        quantities = range(min_quantity, max_quantity + 1)
        return tuple(Bid(quantity, face, pure) for quantity in quantities for face, pure in self.kinds)


@lru_cache(maxsize=256)
def bid_space(ruleset: Ruleset) -> BidSpace:
    """Return the bid space of a ruleset; the same object for equal rulesets."""
    return BidSpace(ruleset)
