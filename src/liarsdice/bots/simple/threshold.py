"""The threshold bots: doubt what looks less likely than a fixed chance, else make the safest raise."""

from __future__ import annotations

import msgspec

from liarsdice.bots.simple.bid_odds import Outlook
from liarsdice.bots.simple.call_policy import exact_is_best, out_of_turn
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.engine.view import View


class Threshold(msgspec.Struct, frozen=True):
    """Challenges if P(standing bid true) < `t`; else makes the most probable legal bid, the first listed of equals.

    An opening is chosen in the same way, so it names a face that the bot holds. `credit` (of dice, for each opponent's
    latest bid on a face) makes it a bot that listens: see `Outlook`. It leaves the direction of play as it is.
    """

    t: float = 0.4
    credit: float = 0.0

    def act(self, view: View) -> PlayerAction | None:
        """Choose a move."""
        outlook = Outlook(view, self.credit)
        if not view.on_turn:
            return out_of_turn(view, outlook, self.t)
        best = outlook.likeliest(view.may_bid)
        if exact_is_best(view, outlook, None if best is None else best[1]):
            return Exact()
        if best is None or (view.may_challenge and outlook.p_standing < self.t):
            return Challenge()
        return best[0]
