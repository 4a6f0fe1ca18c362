"""The greedy bot: challenges if that is the better chance, else bids as high as its threshold allows."""

from __future__ import annotations

import msgspec

from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.bots.simple.call_policy import (
    answer_double,
    challenge,
    opening_choice,
    out_of_turn_call,
    prefers_exact_call,
)
from liarsdice.bots.simple.passing import pass_or_doubt
from liarsdice.bots.simple.showing import with_shown_dice
from liarsdice.core.actions import Exact, PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid

LOWEST_FACE = 1
"""What the lowest die shows."""


class Greedy(msgspec.Struct, frozen=True):
    """Challenges if P(standing bid is false) is at least P(true) of the most probable raise.

    Otherwise it makes the highest raise (the last listed) with P(true) >= `t`, or the most probable one if no raise
    reaches `t`. In a face-off it goes no higher than it would with the lowest die, so that the bid does not tell its
    own. It never changes the direction of play. It shows dice with an uncertain bid where that pays.
    """

    t: float = 0.4

    def act(self, view: View) -> PlayerAction | None:
        """Return the move for a view; out of turn a call or None."""
        odds = BidOdds(view)
        if not view.on_turn:
            return out_of_turn_call(view, odds, self.t)
        opening = opening_choice(view)
        if opening is not None:
            return opening
        if view.may_answer:
            return answer_double(view, odds.p_standing)
        best = odds.most_probable(view.may_bid)
        if prefers_exact_call(view, odds, None if best is None else best[1]):
            return Exact()
        passing = pass_or_doubt(view, odds.p_standing, None if best is None else best[1], self.t)
        if passing is not None:
            return passing
        if best is None or (view.may_challenge and 1 - odds.p_standing >= best[1]):
            return challenge(view, odds.p_standing)
        return with_shown_dice(view, odds, self._highest(view, odds) or best[0])

    def _highest(self, view: View, odds: BidOdds) -> Bid | None:
        if view.face_off:
            odds = BidOdds(msgspec.structs.replace(view, hand=(LOWEST_FACE,)))
        return next((bid for bid in reversed(view.may_bid) if odds.p_bid(bid) >= self.t), None)
