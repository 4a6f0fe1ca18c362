"""The greedy bot: doubts when that is the better chance, else bids as high as it dares."""

from __future__ import annotations

import msgspec

from liarsdice.bots.simple.bid_odds import Outlook
from liarsdice.bots.simple.call_policy import exact_is_best, out_of_turn
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid


class Greedy(msgspec.Struct, frozen=True):
    """Challenges if P(standing bid false) is at least the P(true) of the most probable raise.

    Else it makes the highest raise (the last listed) with P(true) >= `t`, or the most probable one where none is so
    probable. It leaves the direction of play as it is.
    """

    t: float = 0.4

    def act(self, view: View) -> PlayerAction | None:
        """Choose a move."""
        outlook = Outlook(view)
        if not view.on_turn:
            return out_of_turn(view, outlook, self.t)
        best = outlook.likeliest(view.may_bid)
        if exact_is_best(view, outlook, None if best is None else best[1]):
            return Exact()
        if best is None or (view.may_challenge and 1 - outlook.p_standing >= best[1]):
            return Challenge()
        return self._highest(view, outlook) or best[0]

    def _highest(self, view: View, outlook: Outlook) -> Bid | None:
        return next((bid for bid in reversed(view.may_bid) if outlook.p_bid(bid) >= self.t), None)
