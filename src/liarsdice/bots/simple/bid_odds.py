"""How likely bids look from one seat: the numbers that the simple bots decide by."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

from liarsdice.core.bids.odds import p_true
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import wilds_after_bid

CREDIT = 0.7
"""Dice of a face that the bot `inference` believes each opponent to hold whose latest bid is on that face."""


class Outlook:
    """Chances of bids for the seat of a view.

    `credit`: how many dice of a face each opponent is believed to hold, beyond chance, whose latest bid of the round is
    on that face. It lowers the quantity that has to be found; between whole numbers the chance is interpolated, so
    with credit c it is `P(q - c)` on the straight line between its neighbours. What cannot be true stays at 0. In a
    round whose face is locked there is no credit: who has to stay on a face says nothing by it.
    """

    def __init__(self, view: View, credit: float = 0.0) -> None:
        self._view = view
        self._others = view.others
        listens = credit and not view.face_locked
        latest = {seat: bid.face for seat, bid in view.bids if seat != view.seat} if listens else {}
        self._credits: dict[int, float] = {}
        for face in latest.values():
            self._credits[face] = self._credits.get(face, 0.0) + credit

    def p_bid(self, bid: Bid) -> float:
        """The chance that a bid is true once it is made: bidding the special face may stop it from being wild."""
        view = self._view
        wilds = wilds_after_bid(view.ruleset, bid.face, wilds_count=view.wilds_count, opening=not view.bids)
        return self._p(bid, wilds_count=wilds)

    @property
    def p_standing(self) -> float:
        """The chance that the standing bid is true; 1 when there is none."""
        bid = self._view.bid
        return 1.0 if bid is None else self._p(bid, wilds_count=self._view.wilds_count)

    @property
    def p_exactly(self) -> float:
        """The chance that the standing bid is exactly right; 0 when there is none."""
        bid = self._view.bid
        if bid is None:
            return 0.0
        return self.p_standing - self._p(Bid(bid.quantity + 1, bid.face), wilds_count=self._view.wilds_count)

    def likeliest(self, bids: Sequence[Bid]) -> tuple[Bid, float] | None:
        """The most probable bid and its chance, the first listed of equals; None where no bid is legal.

        Of each face only the first is looked at: bids are listed lowest quantity first, and more of a face is never
        more probable.
        """
        best: tuple[Bid, float] | None = None
        seen = set[int]()
        for bid in bids:
            if bid.face not in seen:
                seen.add(bid.face)
                p = self.p_bid(bid)
                if best is None or p > best[1]:
                    best = bid, p
                if len(seen) == self._view.ruleset.dice.faces:
                    break
        return best

    def _p(self, bid: Bid, *, wilds_count: bool) -> float:
        plain = self._plain(bid.quantity, bid.face, wilds_count=wilds_count)
        credit = self._credits.get(bid.face, 0.0)
        if not credit or not plain:
            return plain
        needed = max(bid.quantity - credit, 0.0)
        below = floor(needed)
        share = needed - below
        low = self._plain(below, bid.face, wilds_count=wilds_count)
        return low + share * (self._plain(below + 1, bid.face, wilds_count=wilds_count) - low) if share else low

    def _plain(self, quantity: int, face: int, *, wilds_count: bool) -> float:
        view = self._view
        return p_true(view.ruleset, Bid(quantity, face), view.hand, self._others, wilds_count=wilds_count)
