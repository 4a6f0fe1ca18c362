"""Bots that misjudge the odds as people do, each in one way, and never against their own dice."""

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
from liarsdice.core.bids.odds import odds
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Choice
from liarsdice.core.rules.tally import tally

TRUST_CREDIT = 1.5
"""Dice of its face that the latest bid of an opponent is worth to a bot that trusts others."""
NEARLY = 0.5, 0.1
"""How probable a bid seems that needs up to one die more than the average, and more, to who takes that for certain."""


class Misjudgement(Choice):
    """What a bot gets wrong about the others' dice.

    `FORGETS_WILDS`: their wild dice. `TAKES_AVERAGE`: it takes the average for certain, and one die more for possible.
    `GUESSES`: both of these, and one die more is possible for its own bids alone. `TRUSTS`: bids are true.
    """

    FORGETS_WILDS = "forgets_wilds"
    TAKES_AVERAGE = "takes_average"
    GUESSES = "guesses"
    TRUSTS = "trusts"


THRESHOLDS = {
    Misjudgement.FORGETS_WILDS: 0.4,
    Misjudgement.TAKES_AVERAGE: 0.4,
    Misjudgement.GUESSES: 0.6,
    Misjudgement.TRUSTS: 0.2,
}
"""The bots doubt a bid that they take for less probable than this."""


class Misjudging(msgspec.Struct, frozen=True):
    """Plays as `Threshold` by odds that are wrong in one way; what its own dice prove, it knows.

    It bids what its own dice rule out only if they prove the standing bid, too, or if it may not challenge. Out of turn
    it goes by the right odds, and so it does when it may show dice with a bid.
    """

    misjudgement: Misjudgement

    def act(self, view: View) -> PlayerAction | None:
        """Return the move for a view; out of turn a call or None."""
        if not view.on_turn:
            return out_of_turn_call(view, BidOdds(view), THRESHOLDS[Misjudgement.FORGETS_WILDS])
        opening = opening_choice(view)
        if opening is not None:
            return opening
        judged = MisjudgedOdds(view, self.misjudgement)
        if view.may_answer:
            return answer_double(view, judged.p_standing)
        best = judged.most_probable(view.may_bid)
        if prefers_exact_call(view, judged, None if best is None else best[1]):
            return Exact()
        p_raise = None if best is None else best[1]
        passing = pass_or_doubt(view, judged.p_standing, p_raise, THRESHOLDS[self.misjudgement])
        if passing is not None:
            return passing
        if best is None:
            return challenge(view, judged.p_standing)
        doubts = judged.p_standing < THRESHOLDS[self.misjudgement] or (best[1] == 0 and BidOdds(view).p_standing < 1)
        if view.may_challenge and doubts:
            return challenge(view, judged.p_standing)
        return with_shown_dice(view, BidOdds(view), best[0])


class MisjudgedOdds(BidOdds):
    """Odds that are wrong about the others' dice in one way; a bid that is certain or impossible is seen as such."""

    def __init__(self, view: View, misjudgement: Misjudgement) -> None:
        super().__init__(view, TRUST_CREDIT if misjudgement is Misjudgement.TRUSTS else 0.0)
        self._misjudgement = misjudgement

    def _p_at_least(self, bid: Bid, bidder: int | None, *, wilds_count: bool) -> float:
        known = super()._p_at_least(bid, bidder, wilds_count=wilds_count)
        if known in {0, 1}:
            return known
        if self._misjudgement is Misjudgement.TRUSTS:
            return known
        rules, (hand, unseen, faces) = self._view.ruleset, self._view.dice_of_bid(bidder)
        missing = bid.quantity - tally(rules, (hand,), bid.face, wilds_count=wilds_count).count
        counts_wilds = wilds_count and self._misjudgement is Misjudgement.TAKES_AVERAGE
        others = odds(rules, Bid(missing, bid.face), (), unseen, wilds_count=counts_wilds, faces=faces)
        if self._misjudgement is Misjudgement.FORGETS_WILDS:
            return float(others.p_true)
        return 1.0 if missing <= others.expected else NEARLY[missing > others.expected + 1]
