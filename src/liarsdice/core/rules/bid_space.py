"""The bids that a ruleset allows over another bid, looked up instead of worked out at every turn."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from operator import attrgetter

from liarsdice.core.rules.bids import Bid, beats, face_order
from liarsdice.core.rules.choices import SpecialOpening
from liarsdice.core.rules.ruleset import Ruleset

REMEMBERED_MENU_SIZE = 2_000
"""Menus of up to this many bids are kept; larger ones are made anew each time, so that memory stays bounded."""


class Menu:
    """All bids of one ruleset, by the highest quantity allowed and the bid to beat.

    Two menus are equal when their rulesets are.
    """

    __slots__ = ("_opening", "_over", "_widest", "faces", "ruleset")

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.faces = face_order(ruleset)
        self._over: dict[tuple[int, Bid], tuple[Bid, ...]] = {}
        self._widest: dict[Bid, int] = {}
        self._opening: dict[tuple[int, int, bool], tuple[Bid, ...]] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Menu) and self.ruleset == other.ruleset

    def __hash__(self) -> int:
        return hash(self.ruleset)

    def __repr__(self) -> str:
        return f"menu({self.ruleset!r})"

    def over(self, old: Bid, top: int) -> tuple[Bid, ...]:
        """The bids of at most `top` dice that beat `old`, lowest quantity first."""
        found = self._over.get((top, old))
        if found is None:
            found = self._over_anew(old, top)
            if top * len(self.faces) <= REMEMBERED_MENU_SIZE:
                self._over[top, old] = found
                self._widest[old] = max(self._widest.get(old, 0), top)
        return found

    def _over_anew(self, old: Bid, top: int) -> tuple[Bid, ...]:
        """Cut from a longer menu where one is kept, which it is once dice have been lost."""
        widest = self._widest.get(old, 0)
        if widest > top:
            longer = self._over[widest, old]
            return longer[: bisect_right(longer, top, key=attrgetter("quantity"))]
        return tuple(bid for bid in self.all(1, top) if beats(self.ruleset, old, bid))

    def opening(self, least: int, top: int, *, special_round: bool) -> tuple[Bid, ...]:
        """The bids of `least` to `top` dice that may open a round, lowest quantity first."""
        found = self._opening.get((least, top, special_round))
        if found is None:
            found = tuple(
                bid for bid in self.all(least, top) if may_open_on(self.ruleset, bid.face, special_round=special_round)
            )
            if top * len(self.faces) <= REMEMBERED_MENU_SIZE:
                self._opening[least, top, special_round] = found
        return found

    def all(self, least: int, top: int) -> tuple[Bid, ...]:
        """Every bid of `least` to `top` dice, by quantity and then by rank of the face."""
        return tuple(Bid(quantity, face) for quantity in range(least, top + 1) for face in self.faces)


def may_open_on(rules: Ruleset, face: int, *, special_round: bool) -> bool:
    """Whether a round may open with a bid on `face`."""
    if face != rules.dice.special_face:
        return True
    match rules.bidding.special_may_open:
        case SpecialOpening.SPECIAL_ROUND_ONLY:
            return special_round
        case bool() as allowed:
            return allowed


@lru_cache(maxsize=256)
def menu(ruleset: Ruleset) -> Menu:
    """The menu of a ruleset, made once."""
    return Menu(ruleset)
