"""Moves that a network was not trained for: the champion makes them as the simple bots do."""

from __future__ import annotations

from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.bots.simple.call_policy import challenge, out_of_turn_call
from liarsdice.bots.simple.inference import BID_CREDIT
from liarsdice.bots.simple.passing import pass_or_doubt
from liarsdice.bots.simple.showing import with_shown_dice
from liarsdice.core.actions import Challenge, PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid

UNTRAINED_THRESHOLD = 0.4
"""The parameter t of the simple bots' policy that decides in place of a network."""


def with_untrained_moves(view: View, move: PlayerAction | None) -> PlayerAction | None:
    """Return the move of a network, or the move that a simple bot makes in its place.

    Such a move is a challenge for twice the stake, a pass instead of a bid, the doubt of a pass, or a bid with dice to
    show.
    """
    if view.may_double and (move is None or isinstance(move, Challenge)):
        odds = BidOdds(view, BID_CREDIT)
        return out_of_turn_call(view, odds, UNTRAINED_THRESHOLD) if move is None else challenge(view, odds.p_standing)
    if view.may_pass or view.may_challenge_pass:
        odds = BidOdds(view, BID_CREDIT)
        p_raise = odds.p_bid(move) if isinstance(move, Bid) else 1.0  # no pass takes the place of a call
        move = pass_or_doubt(view, odds.p_standing, p_raise, UNTRAINED_THRESHOLD) or move
    if view.may_show and isinstance(move, Bid):
        return with_shown_dice(view, BidOdds(view, BID_CREDIT), move)
    return move
