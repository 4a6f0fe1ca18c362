"""The bids of a ruleset, cached: all bids, those that may open a round, and those that beat a given bid."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from operator import attrgetter

from liarsdice.core.rules.bid_limits import may_open_on
from liarsdice.core.rules.bids import Bid, face_order, raise_relation
from liarsdice.core.rules.ruleset import Ruleset

MAX_CACHED_BIDS = 2_000
"""Lists of up to this many bids are cached; longer ones are built each time, so that memory stays bounded."""


class BidSpace:
    """All bids of one ruleset, by the highest quantity allowed and the bid to beat.

    `faces` are the faces that may be bid, lowest rank first. Two bid spaces are equal if their rulesets are.
    """

    __slots__ = ("_higher", "_longest", "_opening", "faces", "ruleset")

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.faces = face_order(ruleset)
        self._higher: dict[tuple[int, Bid], tuple[Bid, ...]] = {}
        self._longest: dict[Bid, int] = {}
        self._opening: dict[tuple[int, int, bool], tuple[Bid, ...]] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BidSpace) and self.ruleset == other.ruleset

    def __hash__(self) -> int:
        return hash(self.ruleset)

    def __repr__(self) -> str:
        return f"bid_space({self.ruleset!r})"

    def higher_bids(self, old: Bid, max_quantity: int) -> tuple[Bid, ...]:
        """Return the bids that beat `old`, with quantities up to `max_quantity`, lowest quantity first."""
        bids = self._higher.get((max_quantity, old))
        if bids is None:
            bids = self._find_higher(old, max_quantity)
            if max_quantity * len(self.faces) <= MAX_CACHED_BIDS:
                self._higher[max_quantity, old] = bids
                self._longest[old] = max(self._longest.get(old, 0), max_quantity)
        return bids

    def _find_higher(self, old: Bid, max_quantity: int) -> tuple[Bid, ...]:
        """Cut from a longer cached list if there is one, which is usual once dice have been lost."""
        longest = self._longest.get(old, 0)
        if longest > max_quantity:
            bids = self._higher[longest, old]
            return bids[: bisect_right(bids, max_quantity, key=attrgetter("quantity"))]
        beats = raise_relation(self.ruleset)
        return tuple(bid for bid in self.all_bids(1, max_quantity) if beats(old, bid))

    def opening_bids(self, min_quantity: int, max_quantity: int, *, special_round: bool) -> tuple[Bid, ...]:
        """Return the bids in a range of quantities that may open a round, lowest quantity first."""
        bids = self._opening.get((min_quantity, max_quantity, special_round))
        if bids is None:
            bids = tuple(
                bid
                for bid in self.all_bids(min_quantity, max_quantity)
                if may_open_on(self.ruleset, bid.face, special_round=special_round)
            )
            if max_quantity * len(self.faces) <= MAX_CACHED_BIDS:
                self._opening[min_quantity, max_quantity, special_round] = bids
        return bids

    def all_bids(self, min_quantity: int, max_quantity: int) -> tuple[Bid, ...]:
        """Return every bid in a range of quantities, by quantity and then by the rank of its face."""
        return tuple(Bid(quantity, face) for quantity in range(min_quantity, max_quantity + 1) for face in self.faces)


@lru_cache(maxsize=256)
def bid_space(ruleset: Ruleset) -> BidSpace:
    """Return the bid space of a ruleset; the same object for equal rulesets."""
    return BidSpace(ruleset)
