"""The threshold bots: challenge a bid whose probability is below a threshold, else make the most probable bid."""

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


class Threshold(msgspec.Struct, frozen=True):
    """Challenges if P(standing bid is true) < `t`; else makes the most probable legal bid, the first listed of equals.

    It challenges as well if its own dice rule out every bid that it may make, unless they prove the standing one.
    It chooses an opening bid in the same way, so it names a face that it holds. It never changes the direction of play.
    It passes and doubts passes by `pass_or_doubt`, and shows dice with an uncertain bid where that pays
    (`with_shown_dice`).
    `credit`: dice that an opponent's latest bid on a face is worth (see `BidOdds`); the bot `inference` uses it.
    """

    t: float = 0.4
    credit: float = 0.0

    def act(self, view: View) -> PlayerAction | None:
        """Return the move for a view; out of turn a call or None."""
        odds = BidOdds(view, self.credit)
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
        if best is None:
            return challenge(view, odds.p_standing)
        doubts = odds.p_standing < self.t or (best[1] == 0 and odds.p_standing < 1)
        if view.may_challenge and doubts:
            return challenge(view, odds.p_standing)
        return with_shown_dice(view, odds, best[0])
