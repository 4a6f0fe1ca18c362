"""A beginner: makes the mistakes that people make on their first evening."""

from __future__ import annotations

import msgspec

from liarsdice.core.actions import Challenge, PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid

HOPE = 1
"""How many dice beyond its guess it takes to be there, when it bids itself."""


class Novice(msgspec.Struct, frozen=True):
    """Looks at its own dice, and guesses that of the others each face has its share.

    It forgets that wild ones count, so that it doubts too early where they do. It doubts whatever is more than its
    guess, as if a guess were certain, and bids what it holds most of, by as little as it may: whoever listens knows
    its hand. It never calls exact or out of turn.
    """

    def act(self, view: View) -> PlayerAction | None:
        """Choose a move."""
        if not view.on_turn:
            return None
        lowest: dict[int, Bid] = {}
        for bid in view.may_bid:
            lowest.setdefault(bid.face, bid)
        doubts = view.bid is not None and view.bid.quantity > self._guess(view, view.bid.face)
        if not lowest or (doubts and view.may_challenge):
            return Challenge()
        liked = [bid for bid in lowest.values() if bid.quantity <= self._guess(view, bid.face) + HOPE]
        if not liked and view.may_challenge:
            return Challenge()
        return max(liked or lowest.values(), key=lambda bid: (view.hand.count(bid.face), -bid.quantity))

    def _guess(self, view: View, face: int) -> float:
        return view.hand.count(face) + sum(view.others) / view.ruleset.dice.faces
