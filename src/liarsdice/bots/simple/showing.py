"""When the simple bots show dice with a bid: if that makes an uncertain bid clearly more probable.

Who shows all dice that count rolls only those that do not, so the bid can but become more probable. It tells the others
what they would have to doubt, so a bot whose bid is probable enough keeps its dice under the cup.
"""

from __future__ import annotations

from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.core.actions import BidAndShow
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid

SAFE_BID = 0.75
"""The probability from which a bid is made without showing dice."""
MIN_GAIN = 0.1
"""By how much dice that are shown have to raise the probability of the bid."""


def with_shown_dice(view: View, odds: BidOdds, bid: Bid) -> Bid | BidAndShow:
    """Return a bid with the dice that count for it, if showing them pays, or else the bid alone."""
    p_alone = odds.p_bid(bid)
    shown = view.showable(bid)[: len(view.hidden) - 1]
    if not shown or p_alone >= SAFE_BID:
        return bid
    gain = odds.after_showing(shown).p_bid(bid) - p_alone
    return BidAndShow(bid, shown) if gain >= MIN_GAIN else bid
